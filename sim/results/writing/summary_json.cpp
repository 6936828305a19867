#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/results/writing/requests.hpp"
#include "sim/results/writing/results.hpp"
#include "sim/results/writing/summary.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

// Bytes and samples are counts kept as doubles: whole ones are written without ".0".
Json count_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(value) <= exact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const std::optional<FinalScore>& score) {
  if (!score) return nullptr;
  return {{"mean", score->mean},
          {"min", score->min},
          {"max", score->max},
          {"averaged_model", json_of(score->averaged_model)}};
}

Json json_of(const std::optional<Distribution>& times) {
  if (!times) return nullptr;
  return {
      {"min", times->min}, {"mean", times->mean}, {"median", times->median}, {"p95", times->p95}, {"max", times->max}};
}

Json json_of(const network::Bounds& bounds) {
  return {{"step_s", bounds.step_s},
          {"bottleneck", bounds.bottleneck.empty() ? Json(nullptr) : Json(bounds.bottleneck)},
          {"network_s", bounds.network_s},
          {"compute_s", bounds.compute_s},
          {"bytes_per_step", count_number(bounds.bytes_per_step)},
          {"network_bound", bounds.network_bound}};
}

Json json_of(const RequestSummary& summary, const experiment::RunResult& result) {
  Json exits = Json::object();
  for (const ExitSummary& exit : summary.exits) {
    exits[result.nodes.at(static_cast<std::size_t>(exit.node))] = {{"share", exit.share}, {"accuracy", exit.accuracy}};
  }
  return {{"threshold", json_of(summary.threshold)},
          {"requests", summary.requests},
          {"accuracy", summary.accuracy},
          {"latency_s", json_of(std::optional(summary.latency_s))},
          {"bytes_per_request", summary.bytes_per_request},
          {"exits", exits}};
}

// {"w0": values[0], ...}: an object even when there are none.
template <class T>
Json by_worker(const experiment::RunResult& result, const std::vector<T>& values) {
  Json object = Json::object();
  for (std::size_t worker = 0; worker < values.size(); ++worker) object[result.nodes.at(worker)] = values[worker];
  return object;
}

}  // namespace

std::string summary_json(const scenario::Scenario& scenario, const experiment::RunResult& result,
                         const std::string& digest) {
  const Summary summary = summarise(scenario, result);
  Json json;
  json["name"] = scenario.name;
  json["seed"] = scenario.seed;
  json["algorithm"] = scenario.algorithm->facts().name;
  json["simulated_seconds"] = result.simulated_s;
  json["iterations"] = summary.iterations;
  json["iterations_per_worker"] = by_worker(result, result.steps);
  json["samples"] = count_number(result.samples);
  json["epochs"] = result.epochs;
  json["final_accuracy"] = json_of(summary.final_accuracy);
  json["final_loss"] = json_of(summary.final_loss);
  json["best_accuracy"] = json_of(summary.best_accuracy);
  json["time_to_accuracy_s"] = Json::object();
  json["bytes_to_accuracy"] = Json::object();
  for (const TargetReached& target : summary.targets) {
    const std::string key = fmt::format("{}", target.accuracy);
    json["time_to_accuracy_s"][key] = json_of(target.time_s);
    json["bytes_to_accuracy"][key] = target.bytes ? count_number(*target.bytes) : Json(nullptr);
  }
  json["seconds_per_batch"] = json_of(summary.seconds_per_batch);
  json["time_per_epoch_s"] = json_of(summary.time_per_epoch_s);
  json["bytes_sent"] = count_number(result.bytes_sent);
  json["messages_sent"] = result.messages_sent;
  json["busiest_link"] = nullptr;
  if (const auto& link = summary.busiest_link) {
    json["busiest_link"] = {{"name", link->name}, {"utilisation", link->utilisation}};
  }
  json["staleness"] = nullptr;
  if (const auto& staleness = summary.staleness) {
    json["staleness"] = {{"mean", staleness->mean}, {"max", staleness->max}};
  }
  json["consensus_distance"] = json_of(result.consensus_distance);
  json["idle_fraction"] = by_worker(result, summary.idle_fraction);
  json["requests"] = Json::array();
  for (const RequestSummary& requests : summarise_requests(result.answers)) {
    json["requests"].push_back(json_of(requests, result));
  }
  json["longest_queue"] = result.longest_queue;
  json["given_up"] = Json::object();
  for (const auto& [worker, times] : summary.given_up) json["given_up"][result.nodes.at(worker)] = times;
  json["stopped_by"] = result.stopped_by;
  json["diverged"] = result.divergence ? Json(divergence_text(result)) : Json(nullptr);
  if (const auto& faults = result.faults) {
    json["faults"] = {{"crashes", faults->crashes},
                      {"restarts", faults->restarts},
                      {"joins", faults->joins},
                      {"leaves", faults->leaves},
                      {"steps_lost", faults->steps_lost},
                      {"messages_lost", faults->messages_lost},
                      {"messages_sent_again", faults->messages_sent_again},
                      {"bytes_lost", count_number(faults->bytes_lost)}};
  }
  json["digest"] = digest;
  json["bounds"] = json_of(result.bounds);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary_json(const scenario::Scenario& scenario, const experiment::RunResult& result) {
  return summary_json(scenario, result, digest_of(result));
}

}  // namespace ddl::results
