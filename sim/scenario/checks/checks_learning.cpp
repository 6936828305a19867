// Checks of data, model, stop conditions and evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/data/dataset.hpp"
#include "core/data/partition.hpp"
#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "core/nn/optimizer.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/memory.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr double kMostWireBytes = 1e15;  // a petabyte, so that sums of sizes stay exact

// Where that is known without reading all files.
std::optional<std::int64_t> samples_known(const std::optional<std::int64_t>& given, const Scenario& scenario,
                                          std::int64_t synthetic, std::optional<std::int64_t> data::DataShape::*own) {
  if (given) return given;
  if (scenario.own_data) return *scenario.own_data.*own;
  const bool generated = scenario.data.source == data::DataSource::synthetic && !scenario.program;
  return generated ? std::optional(synthetic) : std::nullopt;
}
std::optional<std::int64_t> training_samples_known(const Scenario& scenario) {
  return samples_known(scenario.data.train, scenario, data::synthetic_training_samples, &data::DataShape::train);
}
std::optional<std::int64_t> test_samples_known(const Scenario& scenario) {
  return samples_known(scenario.data.test, scenario, data::synthetic_test_samples, &data::DataShape::test);
}

void check_norms(const Scenario& scenario, const nn::Model& model, Findings& findings) {
  if (scenario.training.batch_size > 1 || !findings.clean("$.training")) return;
  if (const auto norm = nn::norm_of_single_values(model)) {
    findings.add("$.training.batch_size",
                 fmt::format("1, but {} cannot learn from one value per channel; expected at least 2, or batch "
                             "normalisation over several pixels",
                             in_quotes(*norm)));
  }
}

}  // namespace

void check_data(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.data")) return;
  const data::DataSpec& data = scenario.data;
  const Place place{findings, "$.data"};
  if (findings.clean("$.algorithm") && scenario.algorithm->facts().chooses_samples) {
    const std::string why = fmt::format(
        "is given, but every worker of \"{}\" has the whole training set and chooses "
        "its samples; expected no such key",
        scenario.algorithm->facts().name);
    if (data.partition != data::PartitionKind::iid) place.at("partition").error(why);
    if (!data.shuffle) place.at("shuffle").error(why);
  }
  const auto workers = workers_known(scenario.platform);
  const auto train = training_samples_known(scenario);
  if (scenario.model.none() || !train || !findings.clean("$.training")) return;
  const bool all_have_shards = findings.clean("$.algorithm") && !scenario.algorithm->facts().one_trains &&
                               !scenario.algorithm->facts().one_model;
  std::optional<data::PartitionProblem> problem;
  const int batch = scenario.training.batch_size;
  if (workers && all_have_shards && findings.clean("$.platform")) {
    problem = data::partition_problem(data.partition, *train, *workers, batch);
  }
  if (batch > *train && (!problem || problem->key != std::string_view("train"))) {
    findings.add("$.training.batch_size",
                 fmt::format("{} samples a batch of {} in all; expected at most as many", batch, *train));
  } else if (problem) {
    place.at(problem->key).error(problem->what);
  }
}

void check_model(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.model") || !findings.clean("$.data")) return;
  if (scenario.model.none() || scenario.program) return check_memory(scenario, nullptr, findings);
  const data::DataShape data = data_shape_of(scenario);
  const bool are_images = data.shape.height * data.shape.width > 1 && scenario.data.source != data::DataSource::text;
  if (scenario.data.augment != data::Augment::none && !are_images) {
    findings.add("$.data.augment", fmt::format("\"{}\" moves images, but samples are {} values; expected \"none\"",
                                               name_of(scenario.data.augment), data.shape.size()));
  }
  try {
    const nn::Model model(scenario.model, data.shape, data.classes);
    check_norms(scenario, model, findings);
    if (std::holds_alternative<nn::MuonParams>(scenario.training.optimizer) &&
        std::ranges::none_of(model.matrices(), &Matrix::hidden)) {
      findings.add("$.training.optimizer.type",
                   "\"muon\" is for hidden matrices, of which the model has none; expected \"adamw\"");
    }
    const LearnedModel learned = learned_model(model);
    check_memory(scenario, &learned, findings);
  } catch (const nn::ModelError& error) {
    const bool listed_layers = scenario.model.name == "layers";
    const bool flat = scenario.own_data && !nn::gpt_of(scenario.model) && data.shape.height * data.shape.width == 1;
    const std::string samples =
        flat
            ? fmt::format("; samples are {} values, no images, for which models such as \"mlp\" are", data.shape.size())
            : "";
    findings.add(listed_layers ? fmt::format("$.model.layers[{}]", error.layer) : "$.model", error.what() + samples);
  }
}

void check_wire(const Scenario& scenario, Findings& findings) {
  const auto complain = [&](const char* path, double bytes) {
    if (bytes <= kMostWireBytes || !findings.clean(path)) return;
    findings.add(path, fmt::format("{:.3g} bytes are too many; expected at most {:.0e}", bytes, kMostWireBytes));
  };
  if (scenario.wire.model_bytes) complain("$.wire.model_bytes", scenario.wire.model_bytes->value);
  complain("$.wire.header_bytes", scenario.wire.header_bytes.value);
}

void check_memory(const Scenario& scenario, const LearnedModel* model, Findings& findings) {
  for (const char* path : {"$.platform", "$.algorithm", "$.training", "$.stop"}) {
    if (!findings.clean(path)) return;
  }
  const int workers = workers_known(scenario.platform).value_or(1);
  const auto steps = static_cast<double>(scenario.stop.iterations.value_or(0));
  const auto parts = memory_of(scenario, model, workers, servers_of(scenario.platform), steps,
                               training_samples_known(scenario).value_or(0));
  if (const auto too_much = excess(parts, most_memory_bytes, "")) findings.add(too_much->path, too_much->what);
}

void check_one_model(const Scenario& scenario, Findings& findings) {
  const SystemFacts& system = scenario.algorithm->facts();
  if (!system.one_model || !findings.clean("$.algorithm") || !findings.clean("$.training.init")) return;
  if (scenario.training.init == InitialWeights::independent) {
    findings.add("$.training.init", fmt::format("\"independent\", but the workers of \"{}\" share one model; "
                                                "expected \"shared\"",
                                                system.name));
  }
}

void check_schedule(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.training") || !findings.clean("$.stop")) return;
  const nn::RateParams& rate = nn::rate_params(scenario.training.optimizer);
  const auto* cosine = std::get_if<nn::CosineRate>(&rate.schedule);
  if (cosine == nullptr) return;
  const StopSpec& stop = scenario.stop;
  if (!cosine->steps && !stop.time && !stop.iterations && !stop.epochs && !stop.samples) {
    findings.add("$.training.optimizer.schedule.steps",
                 "is missing, and the run has no end that is known before; expected steps, or one of stop.time, "
                 "iterations, epochs and samples");
  }
  if (cosine->steps && *cosine->steps <= rate.warmup_steps) {
    findings.add("$.training.optimizer.schedule.steps",
                 fmt::format("{} is within the {} steps of warm-up; expected more, for they are counted from the first "
                             "step",
                             *cosine->steps, rate.warmup_steps));
  }
}

// Targets are of the metric by which models are judged, so that it is clear what a comparison is about.
void check_targets(const EvaluateSpec& evaluate, Findings& findings) {
  const Metric& metric = evaluate.judged_by();
  for (const auto& [targets, of] :
       {std::pair(&evaluate.target_accuracy, &by_accuracy), std::pair(&evaluate.target_loss, &by_loss)}) {
    const std::string path = fmt::format("$.evaluate.target_{}", of->word);
    if (!targets->empty() && of->word != metric.word) {
      findings.add(path, fmt::format("is of {}, but models are judged by {}; expected target_{}, or \"metric\": \"{}\"",
                                     of->word, metric.word, metric.word, of->word));
    }
    for (auto one = targets->begin(); one != targets->end(); ++one) {
      if (std::find(targets->begin(), one, *one) == one) continue;
      findings.add(fmt::format("{}[{}]", path, one - targets->begin()),
                   "repeats an earlier target; expected each once");
    }
  }
}

void check_stop_and_evaluation(const Scenario& scenario, Findings& findings) {
  const StopSpec& stop = scenario.stop;
  if (findings.clean("$.stop") && !stop.time && !stop.iterations && !stop.epochs && !stop.samples && !stop.accuracy &&
      !stop.loss) {
    findings.add("$.stop",
                 "has no condition; expected at least one of time, iterations, epochs, samples, accuracy, loss");
  }
  if (scenario.algorithm->requests() > 0 && findings.clean("$.stop") && findings.clean("$.algorithm") &&
      !stop.iterations && !stop.epochs && !stop.samples) {
    findings.add("$.stop",
                 "ends the run with training, but requests come after it; expected iterations, epochs or samples");
  }
  const EvaluateSpec& evaluate = scenario.evaluate;
  if (!findings.clean("$.evaluate") || !findings.clean("$.stop")) return;
  if (evaluate.every && stop.time && stop.time->value / evaluate.every->value > most_evaluations) {
    findings.add("$.evaluate.every", fmt::format("asks for {:.0f} evaluations until stop.time; expected at most {:.0f}",
                                                 stop.time->value / evaluate.every->value, most_evaluations));
  }
  if (evaluate.every_iterations && stop.iterations) {
    const double points = static_cast<double>(*stop.iterations) / static_cast<double>(*evaluate.every_iterations);
    if (points > most_evaluations) {
      findings.add("$.evaluate.every_iterations",
                   fmt::format("asks for {:.0f} evaluations until stop.iterations; expected at most {:.0f}", points,
                               most_evaluations));
    }
  }
  const auto test = test_samples_known(scenario);
  if (evaluate.samples && test && *evaluate.samples > *test && findings.clean("$.data")) {
    findings.add("$.evaluate.samples",
                 fmt::format("{} is too large; expected at most the {} test samples", *evaluate.samples, *test));
  }
  check_targets(evaluate, findings);
}

void fill_defaults(Scenario& scenario, const std::string& file) {
  if (scenario.name.empty()) scenario.name = name_of_file(file, "scenario");
  if (scenario.data.source == data::DataSource::synthetic && !scenario.model.none() && !scenario.program) {
    scenario.data.train = scenario.data.train.value_or(data::synthetic_training_samples);
    scenario.data.test = scenario.data.test.value_or(data::synthetic_test_samples);
  }
  auto* hosts = std::get_if<GeneratedPlatform>(&scenario.platform.hosts);
  if (hosts != nullptr && hosts->topology == Topology::two_sites && !hosts->bandwidth.empty()) {
    hosts->site_bandwidth = site_bandwidth_of(*hosts);
    hosts->site_latency = site_latency_of(*hosts);
  }
  if (auto* sites = std::get_if<SitesPlatform>(&scenario.platform.hosts)) {
    for (SiteLink& link : sites->links) link.down = link.back();
  }
  std::visit(
      [&](auto& params) {
        if constexpr (requires { params.decays; }) {
          const bool is_gpt = nn::gpt_of(scenario.model).has_value();
          params.decays = params.decays.value_or(is_gpt ? nn::Decays::matrices : nn::Decays::all);
        }
      },
      scenario.training.optimizer);
  scenario.platform.network.tcp_window = tcp_window_of(scenario.platform.network);
  for (Fault& fault : scenario.faults) {
    auto* crash = std::get_if<HostCrash>(&fault);
    if (crash != nullptr && crash->restart) crash->state = crash->state.value_or(HostState::lost);
  }
  scenario.algorithm.change().fill_defaults(nullptr);
  EvaluateSpec& evaluate = scenario.evaluate;
  if (scenario.model.none()) return;
  if (!evaluate.metric) {
    const bool of_loss = !evaluate.target_loss.empty() && evaluate.target_accuracy.empty();
    evaluate.metric = of_loss ? MetricName::loss : MetricName::accuracy;
  }
  if (evaluate.every || evaluate.every_iterations) return;
  if (scenario.stop.time) {
    evaluate.every = Seconds{scenario.stop.time->value / 50};
  } else {
    evaluate.every_iterations = 10;
  }
}

}  // namespace ddl::scenario
