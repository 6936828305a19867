#include "lab/studies/cui_2019.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "lab/studies/figures.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"

namespace ddl::studies {
namespace cui_study {

using Json = nlohmann::ordered_json;

bool in_between(const Scale& scale) { return !scale.full && !scale.data.empty(); }

int batches_of(const Scale& scale) { return in_between(scale) ? 12000 : published_batches; }

std::vector<Preset> learning_presets(const Scale& scale) {
  if (in_between(scale)) return {presets[0]};
  return {std::begin(presets), std::end(presets)};
}

TablePosition time_of(const char* preset, const char* quantity, const char* system) {
  return {"time", {preset, quantity}, system};
}
TablePosition learnt(const char* preset, const char* quantity, const char* system) {
  return {"learning", {preset, quantity}, system};
}

// --- scenarios ---

namespace {

constexpr int evaluations = 20;

Json images(const Scale& scale) {
  if (scale.data.empty()) return {{"source", "synthetic"}, {"train", 50000}, {"test", 10000}};
  return {{"source", "cifar-10"}, {"path", scale.data}};
}

Json network(const Scale& scale) {
  if (scale.data.empty()) return "mlp";
  return scale.full ? vgg_network({2, 2, 4, 4, 4}) : small_vgg_network(false);
}

}  // namespace

Json scenario(const Preset& preset, int workers, int batches, const Scale& scale) {
  Json json;
  json["data"] = images(scale);
  json["data"]["partition"] = "full";
  json["model"] = network(scale);
  json["training"] = {
      {"batch_size", 32},
      {"gradient_scale", "sum"},
      {"optimizer", {{"type", "momentum"}, {"learning_rate", scale.data.empty() ? 0.003 : 0.01}, {"momentum", 0.9}}}};
  json["wire"] = {{"model_bytes", preset.bytes}};
  json["compute"] = {{"seconds_per_batch", preset.computing}, {"jitter", 0.03}};
  const int steps = batches / workers;
  json["stop"] = {{"iterations", steps}};
  json["evaluate"] = {{"every_iterations", steps / evaluations}};
  if (in_between(scale)) json["evaluate"]["samples"] = test_images_in_between;
  return json;
}

Json decentralized_scenario(const Preset& preset, const Scale& scale) {
  Json json = scenario(preset, 4, batches_of(scale), scale);
  json["platform"] = {{"topology", "star"}, {"workers", 4}, {"bandwidth", preset.rate}, {"latency", "0.1ms"}};
  json["algorithm"] = {
      {"name", "gossip"}, {"mode", "pull"}, {"peer", "ring"}, {"order", "sequential"}, {"threshold", "abs_mean"}};
  return json;
}

Json centralized_scenario(const Preset& preset, const Scale& scale) {
  Json json = scenario(preset, 4, batches_of(scale), scale);
  json["platform"] = {{"topology", "star"},
                      {"workers", 4},
                      {"servers", 1},
                      {"bandwidth", preset.rate},
                      {"server_bandwidth", preset.server_rate},
                      {"latency", "0.1ms"}};
  json["algorithm"] = {{"name", "ps_async"}};
  return json;
}

Json single_scenario(int batches, const Scale& scale) {
  Json json = scenario(presets[0], 1, batches, scale);
  json["platform"] = {{"topology", "star"}, {"workers", 1}, {"bandwidth", presets[0].rate}};
  json["algorithm"] = "single";
  return json;
}

Json timed(Json json) {
  json["data"] = {{"train", 50000}};
  json["model"] = "none";
  json["stop"] = {{"iterations", published_batches / 4}};
  json.erase("training");
  json.erase("evaluate");
  return json;
}

// --- figures ---

namespace {

// The histogram of a run: what each batch took, in seconds, in rising order.
std::vector<double> batch_times(const results::FinishedRun& run) {
  std::vector<double> seconds;
  results::read_rows<run::IterationRow>(
      run.folder, [&](const run::IterationRow& row) { seconds.push_back(row.end_s - row.start_s); });
  std::ranges::sort(seconds);
  return seconds;
}
}  // namespace

Reading percentile(double percent) {
  return [percent](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<double> seconds = batch_times(run);
    if (seconds.empty()) return std::nullopt;
    const double place = std::ceil(percent / 100 * static_cast<double>(seconds.size()));
    return seconds[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
  };
}

Reading percent_of_batches(double from, double to) {
  return [from, to](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<double> seconds = batch_times(run);
    if (seconds.empty()) return std::nullopt;
    const auto count = std::ranges::lower_bound(seconds, to) - std::ranges::lower_bound(seconds, from);
    return 100 * static_cast<double>(count) / static_cast<double>(seconds.size());
  };
}

namespace {

// Mean over the minibatches of all workers in the last twentieth of the `steps` of each before `part` of them, times
// `factor`.
Reading of_minibatches(std::optional<double> run::IterationRow::*value, double part, int steps, double factor = 1) {
  return [=](const results::FinishedRun& run) -> std::optional<double> {
    double sum = 0, count = 0;
    results::read_rows<run::IterationRow>(run.folder, [&](const run::IterationRow& row) {
      const auto step = static_cast<double>(row.iteration);
      if (step < (part - 0.05) * steps || step >= part * steps || !(row.*value)) return;
      sum += *(row.*value);
      ++count;
    });
    return count > 0 ? std::optional(factor * sum / count) : std::nullopt;
  };
}
// By how much the mean of the last three evaluations is above that after three twentieths of the batches.
Reading points_learnt_late() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<run::CurveRow> curve = results::read_mean_curve(run.folder);
    for (const run::CurveRow& row : curve) {
      if (row.iteration < 0.149 * curve.back().iteration) continue;
      return *final_accuracy_percent(3)(run) - 100 * row.test_accuracy;
    }
    return std::nullopt;
  };
}

struct PublishedFigures {
  std::optional<double> least, most, quick;
  double accuracy, training_accuracy, loss;
};

std::vector<Figure> figures_of_times(const char* preset, const char* system, const PublishedFigures& published) {
  std::vector<Figure> list = {{time_of(preset, least, system), published.least, measured("seconds_per_batch.min")},
                              {time_of(preset, first_percentile, system), std::nullopt, percentile(1)},
                              {time_of(preset, median, system), std::nullopt, percentile(50)},
                              {time_of(preset, last_percentile, system), std::nullopt, percentile(99)},
                              {time_of(preset, most, system), published.most, measured("seconds_per_batch.max")},
                              {time_of(preset, quick, system), published.quick, percent_of_batches(0, 0.7)}};
  constexpr double edges[] = {0, 0.6, 0.7, 1, 1.5, 2, 2.5, 3, 3.5, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i + 1 < std::size(edges); ++i) {
    const std::string range = std::isinf(edges[i + 1]) ? fmt::format("{} s and more", edges[i])
                                                       : fmt::format("{} to {} s", edges[i], edges[i + 1]);
    list.push_back({{"histogram", {preset, range}, system}, std::nullopt, percent_of_batches(edges[i], edges[i + 1])});
  }
  return list;
}

// Of a run in which the workers take `batches` together.
std::vector<Figure> figures_of_learning(const char* preset, const char* system, int workers, int batches,
                                        const PublishedFigures& published) {
  const int steps = batches / workers;
  std::vector<Figure> list = {
      {learnt(preset, accuracy, system), published.accuracy, final_accuracy_percent(3)},
      {learnt(preset, training_accuracy, system), published.training_accuracy, final_training_accuracy(steps)},
      {learnt(preset, loss, system), published.loss, final_training_loss(steps)},
      {learnt(preset, late, system), std::nullopt, points_learnt_late()}};
  for (const char* quantity : {loss, training_accuracy}) {
    const auto value = quantity == loss ? &run::IterationRow::train_loss : &run::IterationRow::train_accuracy;
    const double factor = quantity == loss ? 1 : 100;
    for (const double part : {0.05, 0.15, 0.25, 0.5, 0.75, 1.0}) {
      const std::string until = fmt::format("{:.0f}", part * batches);
      list.push_back(
          {{"curves", {preset, quantity, until}, system}, std::nullopt, of_minibatches(value, part, steps, factor)});
    }
  }
  return list;
}

void add(std::vector<Figure>& figures, std::vector<Figure> more) {
  for (Figure& figure : more) figures.push_back(std::move(figure));
}

// Published of four nodes: training accuracies 86.7, 92.2, 95.3, 94.5; losses 0.3670, 0.2103, 0.1774, 0.1688; test
// accuracies 79.9, 79.6, 79.8, 79.8. The tables have their means.
const PublishedFigures published_of_peers{0.58, 0.73, std::nullopt, 79.775, 92.175, 0.230875};
const PublishedFigures published_of_server{0.62, 3.43, 25, 79.5, 96.7, 0.4877};
const PublishedFigures published_of_one{{}, {}, {}, 83.8, 96.5, 0.4192};

// Of a preset that is learnt with, one run gives both times and what is learnt; times of others are of runs without.
std::vector<Cell> cells_of(const Preset& preset, const char* slug, const char* system, const Json& json,
                           const PublishedFigures& published, const Scale& scale) {
  std::vector<Figure> times = figures_of_times(preset.name, system, published);
  const std::string name = fmt::format("{}_{}", preset.name, slug);
  const std::vector<Preset> learning = learning_presets(scale);
  const bool learns =
      std::ranges::any_of(learning, [&](const Preset& of) { return std::string_view(of.name) == preset.name; });
  const int batches = batches_of(scale);
  std::vector<Cell> cells;
  if (!learns || batches != published_batches) cells.push_back({name + "_times", timed(json).dump(), times});
  if (!learns) return cells;
  Cell learns_too{name, json.dump(), cells.empty() ? std::move(times) : std::vector<Figure>()};
  add(learns_too.figures, figures_of_learning(preset.name, system, 4, batches, published));
  cells.push_back(std::move(learns_too));
  return cells;
}

// What one machine learns does not depend on the network: one run stands for all presets.
Cell single_cell(const Scale& scale) {
  const int batches = batches_of(scale);
  Cell result{"single", single_scenario(batches, scale).dump(), {}};
  for (const Preset& preset : learning_presets(scale)) {
    add(result.figures, figures_of_learning(preset.name, single, 1, batches, published_of_one));
  }
  return result;
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> list;
  for (const Preset& preset : presets) {
    for (auto& [slug, system, json, published] :
         {std::tuple("decentralized", decentralized, decentralized_scenario(preset, scale), published_of_peers),
          std::tuple("centralized", centralized, centralized_scenario(preset, scale), published_of_server)}) {
      for (Cell& cell : cells_of(preset, slug, system, json, published, scale)) list.push_back(std::move(cell));
    }
  }
  list.push_back(single_cell(scale));
  return list;
}

}  // namespace

Reading final_training_loss(int steps) { return of_minibatches(&run::IterationRow::train_loss, 1, steps); }
Reading final_training_accuracy(int steps) { return of_minibatches(&run::IterationRow::train_accuracy, 1, steps, 100); }

}  // namespace cui_study

Study cui_2019(const Scale& scale) {
  using namespace cui_study;
  Study study;
  study.name = "cui_2019";
  study.title = "Cui (2019): pulling models from peers against a parameter server";
  study.source = "Cui, peer-to-peer deep learning with gradient compression, 2019: testbed of five machines";
  study.size = size_text(scale);
  study.seeds = {1, 2, 3, 4, 5};
  if (in_between(scale)) study.seeds = {1, 2, 3};
  if (scale.full) study.seeds = {1};
  study.tables = {{"time", "Seconds per batch", {"preset", "quantity"}, "system", 2},
                  {"histogram", "Histogram: % of the batches by what they take", {"preset", "batches"}, "system", 2},
                  {"learning", "What is learnt", {"preset", "quantity"}, "system", 2},
                  {"curves", "Training curves", {"preset", "quantity", "batches"}, "system", 2}};
  study.cells = cells(scale);
  if (scale.data.empty()) add_experiments(study);
  study.claims = claims(scale);
  study.notes = cui_study::notes(scale);
  return study;
}

}  // namespace ddl::studies
