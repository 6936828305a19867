#include "sim/results/writing/summary_keys.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/results/writing/closing_table.hpp"
#include "sim/results/writing/requests.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;
using run::RunResult;
using scenario::by_accuracy, scenario::by_loss;
using Source = SummarySource;

// Bytes and samples are counts kept as doubles: whole ones are written without ".0".
Json count_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(value) <= exact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A member of what a run may lack.
template <class Group, class Value>
Json of(const std::optional<Group>& group, Value Group::*member) {
  return group ? Json((*group).*member) : Json(nullptr);
}
template <class Group>
Json of(const std::optional<Group>& group, std::optional<double> Group::*member) {
  return group ? json_of((*group).*member) : Json(nullptr);
}

// Only runs with faults have counts of them.
template <class Value>
Json of_faults(const Source& from, Value run::FaultCounts::*member) {
  return from.result.faults ? Json((*from.result.faults).*member) : Json(Json::value_t::discarded);
}

// {"w0": values[0], ...}: an object even when there are none.
template <class T>
Json by_worker(const RunResult& result, const std::vector<T>& values) {
  Json object = Json::object();
  for (std::size_t worker = 0; worker < values.size(); ++worker) object[result.nodes.at(worker)] = values[worker];
  return object;
}

Json by_target(const Summary& summary, Json (*value)(const TargetReached&)) {
  Json object = Json::object();
  for (const TargetReached& target : summary.targets) object[fmt::format("{}", target.target)] = value(target);
  return object;
}

// Only runs that are judged by this metric have its keys.
bool is_judged_by(const Source& from, const scenario::Metric& metric) {
  return from.scenario.evaluate.judged_by().word == metric.word;
}
Json best(const Source& from, const scenario::Metric& metric) {
  return is_judged_by(from, metric) ? json_of(from.summary.best) : Json(Json::value_t::discarded);
}
Json times_to_targets(const Source& from, const scenario::Metric& metric) {
  if (!is_judged_by(from, metric)) return Json::value_t::discarded;
  return by_target(from.summary, [](const TargetReached& target) { return json_of(target.time_s); });
}
Json bytes_to_targets(const Source& from, const scenario::Metric& metric) {
  if (!is_judged_by(from, metric)) return Json::value_t::discarded;
  return by_target(from.summary, [](const TargetReached& target) {
    return target.bytes ? count_number(*target.bytes) : Json(nullptr);
  });
}

Json given_up(const Source& from) {
  Json object = Json::object();
  for (const auto& [worker, times] : from.summary.given_up) object[from.result.nodes.at(worker)] = times;
  return object;
}

Json json_of(const RequestSummary& summary, const RunResult& result) {
  Json exits = Json::object();
  for (const ExitSummary& exit : summary.exits) {
    exits[result.nodes.at(static_cast<std::size_t>(exit.node))] = {{"share", exit.share}, {"accuracy", exit.accuracy}};
  }
  const Distribution& times = summary.latency_s;
  return {
      {"threshold", json_of(summary.threshold)},
      {"requests", summary.requests},
      {"accuracy", summary.accuracy},
      {"latency_s",
       {{"min", times.min}, {"mean", times.mean}, {"median", times.median}, {"p95", times.p95}, {"max", times.max}}},
      {"bytes_per_request", summary.bytes_per_request},
      {"exits", exits}};
}

Json requests(const Source& from) {
  Json list = Json::array();
  for (const RequestSummary& one : summarise_requests(from.result.answers)) list.push_back(json_of(one, from.result));
  return list;
}

// Null without evaluations.
template <auto scores, auto member>
Json score(const Source& from) {
  return of(from.summary.*scores, member);
}

constexpr KeyUse told = KeyUse::told, measured = KeyUse::measured, newer = KeyUse::newer;

constexpr SummaryKey keys[] = {
    {"name", "", "name of the scenario", told, [](const Source& from) { return Json(from.scenario.name); }},
    {"seed", "", "seed of all random numbers", told, [](const Source& from) { return Json(from.scenario.seed); }},
    {"algorithm", "", "training system", told,
     [](const Source& from) { return Json(from.scenario.algorithm->facts().name); }},
    {"simulated_seconds", "s", "length of the run", measured,
     [](const Source& from) { return Json(from.result.simulated_s); }},
    {"iterations", "steps", "steps finished by all workers", measured,
     [](const Source& from) { return Json(from.summary.iterations); }},
    {"iterations_per_worker.<worker>", "steps", "steps finished by this worker", measured,
     [](const Source& from) { return by_worker(from.result, from.result.steps); }},
    {"samples", "samples", "samples trained by all workers", measured,
     [](const Source& from) { return count_number(from.result.samples); }},
    {"epochs", "epochs", "passes over the training set, all workers together", measured,
     [](const Source& from) { return Json(from.result.epochs); }},
    {"final_accuracy.mean", "share",
     "test accuracy in the last evaluation, mean over workers; final_accuracy is null "
     "without evaluations",
     measured, score<&Summary::final_accuracy, &FinalScore::mean>},
    {"final_accuracy.min", "share", "accuracy of the worst worker", measured,
     score<&Summary::final_accuracy, &FinalScore::min>},
    {"final_accuracy.max", "share", "accuracy of the best worker", measured,
     score<&Summary::final_accuracy, &FinalScore::max>},
    {"final_accuracy.averaged_model", "share", "of the model with the workers' mean weights", measured,
     score<&Summary::final_accuracy, &FinalScore::averaged_model>},
    {"final_loss.mean", "nats", "test loss in the last evaluation, likewise", measured,
     score<&Summary::final_loss, &FinalScore::mean>},
    {"final_loss.min", "nats", "smallest of the workers'", measured, score<&Summary::final_loss, &FinalScore::min>},
    {"final_loss.max", "nats", "largest of the workers'", measured, score<&Summary::final_loss, &FinalScore::max>},
    {"final_loss.averaged_model", "nats", "of the model with the workers' mean weights", measured,
     score<&Summary::final_loss, &FinalScore::averaged_model>},
    {"replica_accuracy.mean", "share",
     "at the end, of workers' own models where they are judged by another (diloco): mean over workers; "
     "replica_accuracy and replica_loss are null elsewhere",
     newer, score<&Summary::replica_accuracy, &FinalScore::mean>},
    {"replica_accuracy.min", "share", "of the worst worker's", newer,
     score<&Summary::replica_accuracy, &FinalScore::min>},
    {"replica_accuracy.max", "share", "of the best worker's", newer,
     score<&Summary::replica_accuracy, &FinalScore::max>},
    {"replica_accuracy.averaged_model", "share", "of the model with their mean weights", newer,
     score<&Summary::replica_accuracy, &FinalScore::averaged_model>},
    {"replica_loss.mean", "nats", "test loss, likewise", newer, score<&Summary::replica_loss, &FinalScore::mean>},
    {"replica_loss.min", "nats", "smallest of the workers'", newer, score<&Summary::replica_loss, &FinalScore::min>},
    {"replica_loss.max", "nats", "largest of the workers'", newer, score<&Summary::replica_loss, &FinalScore::max>},
    {"replica_loss.averaged_model", "nats", "of the model with their mean weights", newer,
     score<&Summary::replica_loss, &FinalScore::averaged_model>},
    {"best_accuracy", "share", "the largest mean over workers in any evaluation", measured,
     [](const Source& from) { return best(from, by_accuracy); }},
    {"best_loss", "nats", "of runs judged by loss, instead: the smallest", measured,
     [](const Source& from) { return best(from, by_loss); }},
    {"time_to_accuracy_s.<target>", "s",
     "first evaluation whose mean over workers reaches the target; null if none does", measured,
     [](const Source& from) { return times_to_targets(from, by_accuracy); }},
    {"bytes_to_accuracy.<target>", "bytes", "bytes sent by all nodes by then; null likewise", measured,
     [](const Source& from) { return bytes_to_targets(from, by_accuracy); }},
    {"time_to_target_s.<target>", "s", "of runs judged by loss, instead of time_to_accuracy_s", measured,
     [](const Source& from) { return times_to_targets(from, by_loss); }},
    {"bytes_to_target.<target>", "bytes", "likewise", measured,
     [](const Source& from) { return bytes_to_targets(from, by_loss); }},
    {"seconds_per_batch.min", "s",
     "shortest time from start to end of a finished step, waiting included; seconds_per_batch is null without steps",
     measured, [](const Source& from) { return of(from.summary.seconds_per_batch, &Distribution::min); }},
    {"seconds_per_batch.mean", "s", "mean time of a step", measured,
     [](const Source& from) { return of(from.summary.seconds_per_batch, &Distribution::mean); }},
    {"seconds_per_batch.median", "s", "median; quantiles are interpolated linearly", measured,
     [](const Source& from) { return of(from.summary.seconds_per_batch, &Distribution::median); }},
    {"seconds_per_batch.p95", "s", "95 % of the steps took at most this", measured,
     [](const Source& from) { return of(from.summary.seconds_per_batch, &Distribution::p95); }},
    {"seconds_per_batch.max", "s", "longest time of a step", measured,
     [](const Source& from) { return of(from.summary.seconds_per_batch, &Distribution::max); }},
    {"time_per_epoch_s", "s", "simulated_seconds over epochs; null when there are none", measured,
     [](const Source& from) { return json_of(from.summary.time_per_epoch_s); }},
    {"bytes_sent", "bytes", "sent by all nodes", measured,
     [](const Source& from) { return count_number(from.result.bytes_sent); }},
    {"messages_sent", "", "sent by all nodes", measured,
     [](const Source& from) { return Json(from.result.messages_sent); }},
    {"busiest_link.name", "",
     "link and direction with the largest utilisation, links that flows do not share left "
     "out; busiest_link is null when nothing travelled over such a link",
     told, [](const Source& from) { return of(from.summary.busiest_link, &BusiestLink::name); }},
    {"busiest_link.utilisation", "share", "share of its nominal bandwidth, over the whole run", measured,
     [](const Source& from) { return of(from.summary.busiest_link, &BusiestLink::utilisation); }},
    {"staleness.mean", "updates", "mean over all finished steps, as in iterations.csv; staleness is null without steps",
     measured, [](const Source& from) { return of(from.summary.staleness, &Staleness::mean); }},
    {"staleness.max", "updates", "largest of all steps", measured,
     [](const Source& from) { return of(from.summary.staleness, &Staleness::max); }},
    {"consensus_distance", "",
     "mean over workers of the squared distance between their final weights and the mean "
     "weights; 0 where servers hold the one model, null in a timing-only run",
     measured, [](const Source& from) { return json_of(from.result.consensus_distance); }},
    {"compute_utilisation", "share", "share of the run in which a worker computed, mean over workers", newer,
     [](const Source& from) { return Json(from.summary.compute_utilisation); }},
    {"idle_fraction.<worker>", "share", "share of the run in which this worker did not compute", measured,
     [](const Source& from) { return by_worker(from.result, from.summary.idle_fraction); }},
    {"requests", "",
     "a list: per threshold in the order tried (or once, without thresholds) threshold, "
     "requests, accuracy, latency_s with min, mean, median, p95 and max, "
     "bytes_per_request, and exits.<host> with the share of the requests it answered "
     "and their accuracy; empty if nothing was asked",
     told, [](const Source& from) { return requests(from); }},
    {"longest_queue", "messages", "most messages that waited for one destination at one time", measured,
     [](const Source& from) { return Json(from.result.longest_queue); }},
    {"given_up.<worker>", "",
     "how often a server went on without this worker, which it had not heard of for "
     "failure_timeout; servers count each for itself; only workers that were given up have a key",
     told, [](const Source& from) { return given_up(from); }},
    {"stopped_by", "",
     "stop condition that held first: time, iterations, epochs, samples, "
     "accuracy or loss; or finished: the training system has no more to do; or diverged",
     told, [](const Source& from) { return Json(from.result.stopped_by); }},
    {"diverged", "",
     "a sentence: which worker's weights, loss or gradient were first not finite, in which step and when; null in a "
     "run that did not diverge",
     told,
     [](const Source& from) { return from.result.divergence ? Json(divergence_text(from.result)) : Json(nullptr); }},
    {"faults.crashes", "",
     "hosts that crashed, each time counted; there is no faults without faults in the "
     "scenario",
     told, [](const Source& from) { return of_faults(from, &run::FaultCounts::crashes); }},
    {"faults.restarts", "", "hosts that were started again", told,
     [](const Source& from) { return of_faults(from, &run::FaultCounts::restarts); }},
    {"faults.joins", "", "hosts that joined late", told,
     [](const Source& from) { return of_faults(from, &run::FaultCounts::joins); }},
    {"faults.leaves", "", "hosts that left", told,
     [](const Source& from) { return of_faults(from, &run::FaultCounts::leaves); }},
    {"faults.steps_lost", "steps", "begun and lost in a crash", told,
     [](const Source& from) { return of_faults(from, &run::FaultCounts::steps_lost); }},
    {"faults.messages_lost", "messages",
     "transmissions that did not arrive and were sent again (message_loss), and messages "
     "that were queued or on the wire from or to a host that went, or sent to one that was "
     "not there",
     told, [](const Source& from) { return of_faults(from, &run::FaultCounts::messages_lost); }},
    {"faults.messages_sent_again", "messages", "the transmissions among these that were sent again", told,
     [](const Source& from) { return of_faults(from, &run::FaultCounts::messages_sent_again); }},
    {"faults.bytes_lost", "B", "whole messages among these that were on the wire; also counted in bytes_sent", told,
     [](const Source& from) {
       return from.result.faults ? count_number(from.result.faults->bytes_lost) : Json(Json::value_t::discarded);
     }},
    {"digest", "",
     "64-bit hash, 16 hexadecimal digits, over what was learned and counted: each worker's steps, messages, bytes, "
     "curve.csv, pairs.csv and requests.csv without their times, and the final weights; the same on every "
     "machine and with every SimGrid",
     told, [](const Source& from) { return Json(from.digest); }},
    {"slowest_step_s", "s",
     "simulated time over the steps of the worker with the fewest: what bounds.step_s bounds; null without steps",
     measured, [](const Source& from) { return json_of(from.summary.slowest_step_s); }},
    {"bounds.step_s", "s",
     "least possible time of a step of the slowest worker in the long run, from the analysis of the platform", measured,
     [](const Source& from) { return Json(from.result.bounds.step_s); }},
    {"bounds.bottleneck", "",
     "link and direction that needs longest for the messages of such a step; null when "
     "nothing travels",
     told,
     [](const Source&
            from) { return from.result.bounds.bottleneck.empty() ? Json(nullptr) : Json(from.result.bounds.bottleneck); }},
    {"bounds.network_s", "s", "that it needs", measured,
     [](const Source& from) { return Json(from.result.bounds.network_s); }},
    {"bounds.compute_s", "s", "the slowest worker's mean gradient", measured,
     [](const Source& from) { return Json(from.result.bounds.compute_s); }},
    {"bounds.bytes_per_step", "bytes", "sent per step of a worker", measured,
     [](const Source& from) { return count_number(from.result.bounds.bytes_per_step); }},
    {"bounds.network_bound", "", "true when the network, not computing, sets the least step time", measured,
     [](const Source& from) { return Json(from.result.bounds.network_bound); }},
};

// The object's name and the member's; the second is empty where a key stands for itself.
std::pair<std::string, std::string> parts_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {std::string(name), ""};
  return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

bool is_null_throughout(const Json& object) {
  for (const Json& member : object) {
    if (!member.is_null()) return false;
  }
  return true;
}

}  // namespace

std::span<const SummaryKey> summary_keys() { return keys; }

std::string summary_json(const scenario::Scenario& scenario, const RunResult& result, const std::string& digest) {
  const Summary summary = summarise(scenario, result);
  const Source source{scenario, result, summary, digest};
  Json json = Json::object();
  for (const SummaryKey& key : keys) {
    const Json value = key.value(source);
    if (value.is_discarded()) continue;
    const auto [name, member] = parts_of(key.name);
    if (member.empty() || member.starts_with('<')) {
      json[name] = value;
    } else {
      json[name][member] = value;
    }
  }
  for (const SummaryKey& key : keys) {
    const auto [name, member] = parts_of(key.name);
    if (member.empty() || member.starts_with('<') || !json.contains(name)) continue;
    if (json[name].is_object() && is_null_throughout(json[name])) json[name] = nullptr;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ddl::results
