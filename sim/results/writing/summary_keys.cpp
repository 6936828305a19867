#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "sim/results/writing/closing_table.hpp"
#include "sim/results/writing/requests.hpp"
#include "sim/results/writing/summary.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;
using run::RunResult;
using scenario::Scenario;

// {"w0": values[0], ...}: an object even when there are none.
template <class Value>
Json by_worker(const RunResult& result, const std::vector<Value>& values) {
  Json object = Json::object();
  for (std::size_t worker = 0; worker < values.size(); ++worker) object[result.nodes.at(worker)] = values[worker];
  return object;
}

Json given_up(const RunResult& result, const Summary& summary) {
  Json object = Json::object();
  for (const auto& [worker, times] : summary.given_up) object[result.nodes.at(worker)] = times;
  return object;
}

// In the order of Distribution.
Json json_of(const Distribution& times) {
  return {{"min", times.min}, {"mean", times.mean}, {"median", times.median}, {"p95", times.p95}, {"max", times.max}};
}

Json json_of(const RequestSummary& summary, const RunResult& result) {
  Json exits = Json::object();
  for (const ExitSummary& exit : summary.exits) {
    exits[result.nodes.at(static_cast<std::size_t>(exit.node))] = {{"share", exit.share}, {"accuracy", exit.accuracy}};
  }
  return {{"threshold", or_null(summary.threshold)},
          {"requests", summary.requests},
          {"accuracy", summary.accuracy},
          {"latency_s", json_of(summary.latency_s)},
          {"bytes_per_request", summary.bytes_per_request},
          {"exits", exits}};
}

Json requests(const RunResult& result) {
  Json list = Json::array();
  for (const RequestSummary& one : summarise_requests(result.answers)) list.push_back(json_of(one, result));
  return list;
}

class SummaryKeys {
 public:
  SummaryKeys(const Scenario& scenario, const RunResult& result, const Summary& summary, std::string digest)
      : scenario_(scenario), result_(result), summary_(summary), digest_(std::move(digest)) {}

  Keys take() {
    add_learning();
    add_running();
    add_end();
    return std::move(keys_);
  }

 private:
  void add(std::string name, std::string unit, std::string meaning, Json value) {
    keys_.push_back({std::move(name), std::move(unit), std::move(meaning), std::move(value)});
  }
  // Adds a key by which runs are not compared.
  void tell(std::string name, std::string unit, std::string meaning, Json value) {
    keys_.push_back({std::move(name), std::move(unit), std::move(meaning), std::move(value), false});
  }

  // Null without evaluations.
  void add_score(const std::string& name, const std::string& unit, const std::string& meaning,
                 const std::optional<FinalScore>& score) {
    const auto of = [&](auto member) { return score ? Json((*score).*member) : Json(); };
    add(name + ".mean", unit, "mean over workers of " + meaning, of(&FinalScore::mean));
    add(name + ".min", unit, "smallest of the workers'", of(&FinalScore::min));
    add(name + ".max", unit, "largest of the workers'", of(&FinalScore::max));
    add(name + ".averaged_model", unit, "of the model with the workers' mean weights",
        score ? or_null(score->averaged_model) : Json());
  }

  void add_of_gpt(const Json& tokens, const Json& perplexity, const Json& bits) {
    add("tokens", "tokens", "symbols in the samples trained by all workers, with a gpt", tokens);
    add("perplexity", "", "the exponential of final_loss.mean, with a gpt", perplexity);
    add("bits_per_symbol", "bits", "final_loss.mean over ln 2, with a gpt", bits);
  }

  void add_learning() {
    tell("name", "", "name of the scenario", scenario_.name);
    tell("seed", "", "seed of all random numbers", scenario_.seed);
    tell("algorithm", "", "training system", scenario_.algorithm->facts().name);
    add("simulated_seconds", "s", "length of the run", result_.simulated_s);
    add("iterations", "steps", "steps finished by all workers", summary_.iterations);
    add("iterations_per_worker.<worker>", "steps", "steps finished by this worker", by_worker(result_, result_.steps));
    add("samples", "samples", "samples trained by all workers", count_number(result_.samples));
    add("epochs", "epochs", "passes over the training set, all workers together", result_.epochs);
    add_score("final_accuracy", "share", "the test accuracy in the last evaluation; null without evaluations",
              summary_.final_accuracy);
    add_score("final_loss", "nats", "the test loss in the last evaluation, likewise", summary_.final_loss);
    if (const auto gpt = nn::gpt_of(scenario_.model)) {
      const auto of_loss = [&](auto function) {
        return summary_.final_loss ? Json(function(summary_.final_loss->mean)) : Json();
      };
      add_of_gpt(count_number(result_.samples * gpt->context), of_loss([](double nats) { return std::exp(nats); }),
                 of_loss([](double nats) { return nats / std::numbers::ln2; }));
    } else {
      add_of_gpt(left_out(), left_out(), left_out());
    }
    add_score(
        "replica_accuracy", "share",
        "the test accuracy, at the end, of their own models where they are judged by another (diloco); null elsewhere",
        summary_.replica_accuracy);
    add_score("replica_loss", "nats", "the test loss, likewise", summary_.replica_loss);
    const bool by_loss = scenario_.evaluate.judged_by().word == scenario::by_loss.word;
    const auto of_accuracy = [&](Json value) { return by_loss ? left_out() : value; };
    const auto of_loss = [&](Json value) { return by_loss ? value : left_out(); };
    Json times = Json::object(), bytes = Json::object();
    for (const TargetReached& target : summary_.targets) {
      times[fmt::format("{}", target.target)] = or_null(target.time_s);
      bytes[fmt::format("{}", target.target)] = target.bytes ? count_number(*target.bytes) : Json();
    }
    add("best_accuracy", "share", "the largest mean over workers in any evaluation",
        of_accuracy(or_null(summary_.best)));
    add("best_loss", "nats", "of runs judged by loss, instead: the smallest", of_loss(or_null(summary_.best)));
    add("time_to_accuracy_s.<target>", "s",
        "first evaluation whose mean over workers reaches the target; null if none does", of_accuracy(times));
    add("bytes_to_accuracy.<target>", "bytes", "bytes sent by all nodes by then; null likewise", of_accuracy(bytes));
    add("time_to_target_s.<target>", "s", "of runs judged by loss, instead of time_to_accuracy_s", of_loss(times));
    add("bytes_to_target.<target>", "bytes", "likewise", of_loss(bytes));
  }

  void add_running() {
    const auto of_steps = [&](auto member) {
      return summary_.seconds_per_batch ? Json((*summary_.seconds_per_batch).*member) : Json();
    };
    add("seconds_per_batch.min", "s",
        "shortest time from start to end of a finished step, waiting included; seconds_per_batch is null without steps",
        of_steps(&Distribution::min));
    add("seconds_per_batch.mean", "s", "mean time of a step", of_steps(&Distribution::mean));
    add("seconds_per_batch.median", "s", "median; quantiles are interpolated linearly",
        of_steps(&Distribution::median));
    add("seconds_per_batch.p95", "s", "95 % of the steps took at most this", of_steps(&Distribution::p95));
    add("seconds_per_batch.max", "s", "longest time of a step", of_steps(&Distribution::max));
    add("time_per_epoch_s", "s", "simulated_seconds over epochs; null when there are none",
        or_null(summary_.time_per_epoch_s));
    add("bytes_sent", "bytes", "sent by all nodes", count_number(result_.bytes_sent));
    add("messages_sent", "", "sent by all nodes", result_.messages_sent);
    const auto& link = summary_.busiest_link;
    tell(
        "busiest_link.name", "",
        "link and direction with the largest utilisation, links that flows do not share left out; busiest_link is null "
        "when nothing travelled over such a link",
        link ? Json(link->name) : Json());
    add("busiest_link.utilisation", "share", "share of its nominal bandwidth, over the whole run",
        link ? Json(link->utilisation) : Json());
    const auto& staleness = summary_.staleness;
    add("staleness.mean", "updates",
        "mean over all finished steps, as in iterations.csv; staleness is null without steps",
        staleness ? Json(staleness->mean) : Json());
    add("staleness.max", "updates", "largest of all steps", staleness ? Json(staleness->max) : Json());
    add("consensus_distance", "",
        "mean over workers of the squared distance between their final weights and the mean weights; 0 where servers "
        "hold the one model, null in a timing-only run",
        or_null(result_.consensus_distance));
    add("compute_utilisation", "share", "share of the run in which a worker computed, mean over workers",
        summary_.compute_utilisation);
    add("goodput", "share",
        "where hosts were away, steps that reached the model (finished, less faults.steps_unshared) over "
        "those of the same time with all hosts there, by each worker's mean time of a step before the first was away; "
        "may exceed 1 where the others are quicker meanwhile; null where one was away from nearly the first step on",
        result_.absences.empty() ? left_out() : or_null(summary_.goodput));
    add("idle_fraction.<worker>", "share", "share of the run in which this worker did not compute",
        by_worker(result_, summary_.idle_fraction));
    tell("requests", "",
         "a list: per threshold in the order tried (or once, without thresholds) threshold, requests, accuracy, "
         "latency_s with min, mean, median, p95 and max, bytes_per_request, and exits.<host> with the share of the "
         "requests it answered and their accuracy; empty if nothing was asked",
         requests(result_));
    add("longest_queue", "messages", "most messages that waited for one destination at one time",
        result_.longest_queue);
    tell("given_up.<worker>", "",
         "how often a server went on without this worker, which it had not heard of for failure_timeout; servers count "
         "each for itself; only workers that were given up have a key",
         given_up(result_, summary_));
  }

  // Only runs with faults have counts of them.
  template <class Count>
  void tell_faults(const std::string& name, const std::string& unit, const std::string& meaning,
                   Count run::FaultCounts::*count) {
    const auto& faults = result_.faults;
    tell("faults." + name, unit, meaning, faults ? count_number(static_cast<double>((*faults).*count)) : left_out());
  }

  void add_end() {
    tell("stopped_by", "",
         "stop condition that held first: time, iterations, epochs, samples, accuracy or loss; or finished: the "
         "training system has no more to do; or diverged",
         result_.stopped_by);
    tell(
        "diverged", "",
        "a sentence: which worker's weights, loss or gradient were first not finite, in which step and when; null in a "
        "run that did not diverge",
        result_.divergence ? Json(divergence_text(result_)) : Json());
    using run::FaultCounts;
    tell_faults("crashes", "",
                "hosts that crashed, each time counted; there is no faults without faults in the scenario",
                &FaultCounts::crashes);
    tell_faults("restarts", "", "hosts that were started again", &FaultCounts::restarts);
    tell_faults("joins", "", "hosts that joined late", &FaultCounts::joins);
    tell_faults("leaves", "", "hosts that left", &FaultCounts::leaves);
    tell_faults("steps_lost", "steps", "begun and lost in a crash", &FaultCounts::steps_lost);
    tell_faults("steps_unshared", "steps", "finished, but in no mean when their host went (diloco, local_sgd)",
                &FaultCounts::steps_unshared);
    tell_faults(
        "messages_lost", "messages",
        "transmissions that did not arrive and were sent again (message_loss), and messages that were queued or "
        "on the wire from or to a host that went, or sent to one that was not there",
        &FaultCounts::messages_lost);
    tell_faults("messages_sent_again", "messages", "the transmissions among these that were sent again",
                &FaultCounts::messages_sent_again);
    tell_faults("bytes_lost", "bytes", "whole messages among these that were on the wire; also counted in bytes_sent",
                &FaultCounts::bytes_lost);
    tell("digest", "",
         "64-bit hash, 16 hexadecimal digits, over what was learned and counted: each worker's steps, messages, bytes, "
         "curve.csv, pairs.csv and requests.csv without their times, and the final weights; the same on every machine "
         "and with every SimGrid",
         digest_);
    add("slowest_step_s", "s",
        "simulated time over the steps of the worker with the fewest: what bounds.step_s bounds; null without steps",
        or_null(summary_.slowest_step_s));
    const network::Bounds& bounds = result_.bounds;
    add("bounds.step_s", "s",
        "least possible time of a step of the slowest worker in the long run, from the analysis of the platform",
        bounds.step_s);
    tell("bounds.bottleneck", "",
         "link and direction that needs longest for the messages of such a step, or \"window\" and the two nodes whose "
         "connections do; null when nothing travels",
         bounds.bottleneck.empty() ? Json() : Json(bounds.bottleneck));
    add("bounds.network_s", "s", "that it needs", bounds.network_s);
    add("bounds.compute_s", "s", "the slowest worker's mean gradient", bounds.compute_s);
    add("bounds.bytes_per_step", "bytes", "sent per step of a worker", count_number(bounds.bytes_per_step));
    add("bounds.network_bound", "", "true when the network, not computing, sets the least step time",
        bounds.network_bound);
  }

  const Scenario& scenario_;
  const RunResult& result_;
  const Summary& summary_;
  const std::string digest_;
  Keys keys_;
};

}  // namespace

Keys summary_keys(const Scenario& scenario, const RunResult& result, const Summary& summary,
                  const std::string& digest) {
  return SummaryKeys(scenario, result, summary, digest).take();
}

std::string summary_json(const Scenario& scenario, const RunResult& result, const std::string& digest) {
  return json_text(summary_keys(scenario, result, summarise(scenario, result), digest));
}

}  // namespace ddl::results
