#include "sim/run/rows/collection.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/finite.hpp"
#include "sim/run/effective.hpp"
#include "sim/run/learning/learned.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run {
namespace {

void collect_nodes(RunResult& result, const Experiment& experiment, const std::vector<const LearningNode*>& nodes) {
  const platform::Fabric& fabric = experiment.fabric();
  result.workers = experiment.cluster().workers;
  for (int id = 0; id < fabric.node_count(); ++id) result.nodes.push_back(fabric.name(id));
  std::size_t steps = 0;
  for (const LearningNode* node : nodes) steps += experiment.is_worker(node->id()) ? node->iterations().size() : 0;
  result.iterations.reserve(steps);
  for (const LearningNode* node : nodes) {
    result.given_up.insert(result.given_up.end(), node->given_up().begin(), node->given_up().end());
    result.answers.insert(result.answers.end(), node->answers().begin(), node->answers().end());
    if (!experiment.is_worker(node->id())) continue;
    const auto rows = node->iterations();
    result.iterations.insert(result.iterations.end(), rows.begin(), rows.end());
    result.steps.push_back(node->counted_steps());
    result.compute_s.push_back(node->compute_seconds(result.simulated_s));
    result.by_layers = result.by_layers || node->steps_by_layers();
  }
}

void collect_network(RunResult& result, const platform::Fabric& fabric, const network::Totals& network) {
  for (std::size_t i = 0; i < network.bytes_per_link.size(); ++i) {
    const platform::LinkInfo& link = fabric.links()[i];
    const double bytes = network.bytes_per_link[i], most = link.bandwidth_bytes_per_s * result.simulated_s;
    result.traffic.push_back(
        {link.name, link.direction, bytes, most > 0 ? bytes / most : 0, link.bandwidth_bytes_per_s});
  }
  result.pairs = network.pairs;
  result.bytes_sent = network.bytes_sent;
  result.bytes_delivered = network.bytes_delivered;
  result.messages_sent = network.messages_sent;
  result.longest_queue = network.longest_queue;
}

std::vector<nn::Score> scores_of_replicas(Trainer& trainer, const std::vector<Payload>& models) {
  std::vector<nn::Score> scores;
  for (const Payload& model : models) scores.push_back(trainer.begin_evaluation(std::vector{model})->wait());
  if (!models.empty()) scores.push_back(trainer.begin_evaluation(models)->wait());
  return scores;
}

// A row of each model, of their mean score, and of their mean, whose score is the last.
std::vector<CurveRow> rows_of_replicas(const Trainer& trainer, const RunResult& result,
                                       const std::vector<nn::Score>& scores, const std::vector<std::string>& names) {
  const auto row_of = [&](std::string_view worker, const nn::Score& score) {
    CurveRow row{.time_s = result.simulated_s, .worker = std::string(worker)};
    trainer.put_score(row, score);
    return row;
  };
  std::vector<CurveRow> rows;
  nn::Score mean;
  for (std::size_t i = 0; i < names.size(); ++i) {
    mean.loss += scores[i].loss / static_cast<double>(names.size());
    mean.accuracy += scores[i].accuracy / static_cast<double>(names.size());
    rows.push_back(row_of(names[i], scores[i]));
  }
  rows.push_back(row_of(mean_of_workers, mean));
  rows.push_back(row_of(averaged_model, scores.back()));
  return rows;
}

void replay_models(RunResult& result, const Trainer& trainer, const Learned& learned) {
  result.is_replay = true;
  result.weights = learned.weights;
  for (std::vector<float>& weights : result.weights) {
    if (weights.empty()) weights = result.weights.front();
  }
  result.consensus_distance = learned.consensus_distance;
  if (learned.replicas.empty()) return;
  const std::vector<std::string> workers(result.nodes.begin(), result.nodes.begin() + result.workers);
  result.replicas = rows_of_replicas(trainer, result, learned.replicas, workers);
}

// Returns the scores of replicas, as Learned has them.
std::vector<nn::Score> collect_models(RunResult& result, Experiment& experiment, const std::vector<NodeState>& states) {
  const std::vector<Payload> models = experiment.judged_models(states);
  const std::vector<char> counts = experiment.counting_workers(states);
  result.weights_at_servers = experiment.judges_servers();
  std::vector<Payload> compared, replicas;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < models.size(); ++i) {
    result.weights.push_back(*models[i]);
    if (models.size() == 1 || counts[i]) compared.push_back(models[i]);
    if (!states[i].replica || !counts[i]) continue;
    replicas.push_back(states[i].replica);
    names.push_back(result.nodes[i]);
  }
  const std::vector<nn::Score> scores = scores_of_replicas(*experiment.trainer(), replicas);
  if (!replicas.empty()) {
    result.replicas = rows_of_replicas(*experiment.trainer(), result, scores, names);
    compared = std::move(replicas);
  }
  result.consensus_distance = consensus_distance_of(compared);
  return scores;
}

std::string learned_bytes(const RunResult& result, Experiment& experiment, std::vector<nn::Score> replicas) {
  Learned learned{.minibatches = std::vector<std::vector<nn::Score>>(result.steps.size()),
                  .evaluations = experiment.scores(),
                  .told = experiment.trainer()->told(),
                  .replicas = std::move(replicas),
                  .weights = result.weights,
                  .consensus_distance = result.consensus_distance};
  for (std::size_t i = learned.weights.size(); i-- > 1;) {
    if (learned.weights[i] == learned.weights.front()) learned.weights[i].clear();
  }
  for (const IterationRow& row : result.iterations) {
    learned.minibatches[static_cast<std::size_t>(row.worker)].push_back(
        {row.train_loss.value(), row.train_accuracy.value_or(0)});
  }
  return to_bytes(std::move(learned));
}

std::string text_of(const Draw& draw, const RunResult& result) {
  return draw.kind == Draw::node ? result.nodes.at(draw.drawn) : std::to_string(draw.drawn);
}

// In the order of nodes, each node's by purpose.
void collect_draws(RunResult& result, const Experiment& experiment, const std::vector<const LearningNode*>& nodes) {
  std::vector<DrawRow>& rows = result.recorded.draws;
  for (const LearningNode* node : nodes) {
    for (const Draw& draw : node->draws())
      rows.push_back({node->id(), draw.purpose, draw.number, text_of(draw, result)});
  }
  if (experiment.scenario().record.draws) {
    for (const auto& graph : experiment.graphs().drawn()) {
      for (int node = 0; node < graph->nodes(); ++node) {
        std::int64_t number = 0;
        for (int round = 0; round < graph->rounds(); ++round) {
          for (const int neighbour : graph->targets(node, round)) {
            rows.push_back({node, "neighbour", number++, result.nodes.at(static_cast<std::size_t>(neighbour))});
          }
        }
      }
    }
  }
  std::ranges::stable_sort(rows, {}, [](const DrawRow& row) { return std::tie(row.node, row.purpose); });
}

// Divergence that only another step would have noticed.
std::optional<Divergence> divergence_at_the_end(const RunResult& result, const Experiment& experiment,
                                                const std::vector<NodeState>& states) {
  for (int id = 0; id < experiment.nodes(); ++id) {
    const NodeState& state = states[static_cast<std::size_t>(id)];
    if (!experiment.judges(id) || all_finite(*state.weights)) continue;
    return Divergence{id, experiment.is_worker(id) ? state.steps : experiment.steps(), result.simulated_s, "weights"};
  }
  const std::size_t workers = static_cast<std::size_t>(result.workers);
  const std::size_t rows = workers + 2;  // in the last evaluation
  check(result.curve.size() >= rows, "a run that learns ends with an evaluation");
  for (std::size_t worker = 0; worker < workers; ++worker) {
    if (std::isfinite(result.curve[result.curve.size() - rows + worker].test_loss.value_or(0))) continue;
    return Divergence{static_cast<int>(worker), result.steps[worker], result.simulated_s, "test loss"};
  }
  return std::nullopt;
}

void check_counts(const RunResult& result, std::int64_t steps) {
  std::int64_t of_workers = 0;
  for (const std::int64_t of_worker : result.steps) of_workers += of_worker;
  check(of_workers == steps, "every finished step is some worker's");
  check(result.iterations.size() == static_cast<std::size_t>(steps), "every finished step has its row");
  for (const IterationRow& row : result.iterations) check(row.start_s <= row.end_s, "a step ends after it starts");
}

}  // namespace

RunResult collect(Experiment& experiment, const RunEnd& end, const std::vector<const LearningNode*>& nodes,
                  const std::vector<NodeState>& states, const network::Totals& network) {
  RunResult result;
  result.simulated_s = end.time_s();
  result.samples = experiment.samples();
  result.epochs = experiment.epochs();
  result.bounds = experiment.bounds();
  Trainer* const trainer = experiment.trainer();
  const bool is_ours = experiment.network() != nullptr;
  result.settings = scenario::settings_of(effective(experiment.scenario(), experiment.fabric(), experiment.cluster(),
                                                    experiment.model(), is_ours ? &trainer->data() : nullptr));
  result.curve = experiment.curve();
  collect_nodes(result, experiment, nodes);
  collect_network(result, experiment.fabric(), network);
  result.divergence = end.divergence();
  if (trainer != nullptr && trainer->learned() != nullptr) {
    replay_models(result, *trainer, *trainer->learned());
  } else if (trainer != nullptr) {
    std::vector<nn::Score> replicas = collect_models(result, experiment, states);
    if (!result.divergence) result.divergence = divergence_at_the_end(result, experiment, states);
    if (experiment.learning() && !result.divergence) {
      result.learned = {*experiment.learning(), learned_bytes(result, experiment, std::move(replicas))};
    }
  }
  if (trainer != nullptr) {
    result.math_s = trainer->math_seconds();
    result.evaluation_s = trainer->evaluation_seconds();
    trainer->record_to(result.recorded);
    result.program = trainer->model().program;
  }
  collect_draws(result, experiment, nodes);
  result.stopped_by = result.divergence ? "diverged" : end.reason();
  result.events = result.messages_sent + experiment.steps();
  check_counts(result, experiment.steps());
  return result;
}

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

rusage usage_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

double cpu_seconds() {
  const rusage usage = usage_so_far();
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

void add_process_cost(RunResult& result) {
  result.cpu_s = cpu_seconds();
  result.peak_memory_bytes = 1024.0 * static_cast<double>(usage_so_far().ru_maxrss);
}

}  // namespace ddl::run
