#include "sim/results/writing/closing_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/counted.hpp"
#include "core/data/dataset.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/results/writing/requests.hpp"
#include "sim/results/writing/summary.hpp"

namespace ddl::results {
namespace {

class Lines {
 public:
  explicit Lines(std::size_t width) : width_(width) {}
  void add(std::string_view label, const std::string& text) { text_ += labelled(label, text, width_); }
  std::string text_;

 private:
  std::size_t width_;
};

// "a", or "a .. b" when they differ as written.
std::string range(const std::string& least, const std::string& most) {
  return least == most ? least : least + " .. " + most;
}

std::string network_line(const scenario::Scenario& scenario, const run::RunResult& result) {
  const auto servers = static_cast<std::int64_t>(result.nodes.size()) - result.workers;
  std::string text = counted(result.workers, "worker");
  if (servers > 0) text += ", " + counted(servers, "server");
  if (servers > 0 && !scenario.algorithm->facts().needs_servers) text += " (idle)";
  text += ", model " + (scenario.program ? command_of(*scenario.program) : scenario.model.name);
  std::size_t parameters = 0;
  if (result.weights_at_servers) {
    for (const auto& shard : result.weights) parameters += shard.size();
  } else if (!result.weights.empty()) {
    parameters = result.weights.front().size();
  }
  if (parameters > 0) text += " (" + readable_count(static_cast<double>(parameters)) + " parameters)";
  const double wire_bytes =
      scenario.wire.model_bytes ? scenario.wire.model_bytes->value : static_cast<double>(parameters * sizeof(float));
  if (wire_bytes > 0) text += ", " + readable_bytes(wire_bytes) + " on the wire";
  return text;
}

std::string score_line(const FinalScore& score) {
  std::string text = fmt::format("{:.4f}", score.mean);
  if (score.min != score.max) text += fmt::format(" (workers {:.4f} .. {:.4f})", score.min, score.max);
  if (score.averaged_model) text += fmt::format(", averaged model {:.4f}", *score.averaged_model);
  return text;
}

// ": perplexity 6.71, 2.746 bits a symbol" of a language model.
std::string text_score(const scenario::Scenario& scenario, const FinalScore& loss) {
  if (!nn::gpt_of(scenario.model)) return "";
  return fmt::format(": perplexity {:.4g}, {:.4g} bits a symbol", std::exp(loss.mean), loss.mean / std::numbers::ln2);
}

// "0.9310 at 280 s; guessing gives 0.1": what the final accuracy lies between.
std::string best_line(const scenario::Scenario& scenario, const Summary& summary) {
  const std::string best = fmt::format("{:.4f} at {}", *summary.best, readable_seconds(*summary.best_s));
  if (scenario.program) return best;  // whose classes are not known
  const double classes = data_shape_of(scenario).classes;
  const bool loss = scenario.evaluate.metric == scenario::MetricName::loss;
  return fmt::format("{}; guessing gives {:.3g}", best, loss ? std::log(classes) : 1 / classes);
}

std::string steps_line(const scenario::Scenario& scenario, const run::RunResult& result, const Summary& summary) {
  if (result.steps.empty()) return "none";
  auto [least, most] = std::minmax_element(result.steps.begin(), result.steps.end());
  if (scenario.algorithm->facts().one_trains) least = most;  // the others have no steps
  std::string text = range(readable_count(static_cast<double>(*least)), readable_count(static_cast<double>(*most)));
  text += " (" + readable_count(static_cast<double>(summary.iterations)) + " in all";
  if (result.epochs >= 999.5)
    text += ", " + counted(readable_count(result.epochs), "epoch");
  else if (result.epochs > 0)
    text += ", " + counted(fmt::format("{:.3g}", result.epochs), "epoch");
  return text + ")";
}

// The least that the platform allows.
std::string bound_line(const run::RunResult& result) {
  const network::Bounds& bounds = result.bounds;
  std::string text = readable_seconds(bounds.step_s) + " a step of the slowest worker in the long run: ";
  if (bounds.bottleneck.empty() && result.bytes_sent > 0)
    text += "of computing alone";  // the system lists no traffic that a step needs
  else
    text += bounds.network_bound ? "network-bound" : "compute-bound";
  text += " (compute " + readable_seconds(bounds.compute_s);
  if (!bounds.bottleneck.empty()) text += ", " + bounds.bottleneck + " " + readable_seconds(bounds.network_s);
  return text + ")";
}

std::string requests_line(const RequestSummary& summary, const run::RunResult& result) {
  const bool exits_in_turn = !summary.threshold && summary.exits.size() > 1;  // each answers every request
  std::string text = fmt::format("accuracy {:.4f}{}, ", summary.accuracy, exits_in_turn ? " over all exits" : "") +
                     readable_seconds(summary.latency_s.median) + " (95 % below " +
                     readable_seconds(summary.latency_s.p95) + "), " + readable_bytes(summary.bytes_per_request) +
                     " each";
  if (!summary.threshold && !exits_in_turn) return text;
  for (const ExitSummary& exit : summary.exits) {
    text += ", " + (exits_in_turn ? fmt::format("{:.4f}", exit.accuracy) : readable_share(exit.share)) + " at " +
            result.nodes.at(static_cast<std::size_t>(exit.node));
  }
  return text;
}

template <class... Kinds>
std::int64_t begun(const scenario::Scenario& scenario, double end_s) {
  return std::ranges::count_if(scenario.faults, [&](const scenario::Fault& fault) {
    return ((std::holds_alternative<Kinds>(fault) && std::get<Kinds>(fault).from.value < end_s) || ...);
  });
}

std::string faults_line(const scenario::Scenario& scenario, const run::RunResult& result) {
  const run::FaultCounts& counts = *result.faults;
  std::string text;
  const auto add_text = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count > 0) add_text(readable_count(static_cast<double>(count)) + " " + (count == 1 ? one : many));
  };
  add(counts.crashes, "crash", "crashes");
  add(counts.restarts, "restart", "restarts");
  add(counts.joins, "host joined", "hosts joined");
  add(counts.leaves, "host left", "hosts left");
  add(counts.steps_lost, "step lost", "steps lost");
  add(counts.messages_lost - counts.messages_sent_again, "message never delivered", "messages never delivered");
  add(counts.messages_sent_again, "message sent again", "messages sent again");
  add(begun<scenario::LinkDown>(scenario, result.simulated_s), "link outage", "link outages");
  add(begun<scenario::LinkDegraded>(scenario, result.simulated_s), "link degraded", "links degraded");
  add(begun<scenario::HostSlowed>(scenario, result.simulated_s), "host slowed", "hosts slowed");
  if (begun<scenario::Stragglers>(scenario, result.simulated_s) > 0) add_text("stragglers");
  return text.empty() ? "none of them came to pass" : text;
}

std::string math_line(const scenario::Scenario& scenario) {
  return std::string(name_of(nn::math_that_runs(scenario.math.mode))) + ", " + nn::math_kernels(scenario.math.mode);
}

std::string given_up_line(const Summary& summary, const run::RunResult& result) {
  std::string text;
  for (const auto& [worker, times] : summary.given_up) {
    text += (text.empty() ? "" : ", ") + result.nodes.at(worker);
    if (times > 1) text += fmt::format(" {} times", times);
  }
  return text;
}

}  // namespace

std::string divergence_text(const run::RunResult& result) {
  if (!result.divergence) return "";
  const run::Divergence& divergence = *result.divergence;
  return fmt::format("{}, step {} at {}: its {} {} not finite",
                     result.nodes.at(static_cast<std::size_t>(divergence.node)), divergence.step,
                     readable_seconds(divergence.time_s), divergence.what, divergence.what == "weights" ? "are" : "is");
}

std::string closing_table(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& folder,
                          std::size_t width) {
  const Summary summary = summarise(scenario, result);
  Lines lines(width);
  lines.text_ = fmt::format("{}, seed {}\n", scenario.name, scenario.seed);
  lines.add("algorithm", scenario.algorithm->facts().name);
  lines.add("cluster", network_line(scenario, result));
  if (!scenario.model.none() && !scenario.program) lines.add("math", math_line(scenario));
  if (summary.final_accuracy) lines.add("accuracy", score_line(*summary.final_accuracy));
  const std::string metric{scenario.evaluate.judged_by().word};
  if (summary.best) lines.add("best " + metric, best_line(scenario, summary));
  if (summary.final_loss)
    lines.add("loss", score_line(*summary.final_loss) + text_score(scenario, *summary.final_loss));
  if (summary.replica_accuracy) lines.add("replicas", score_line(*summary.replica_accuracy) + " accuracy");
  for (const TargetReached& target : summary.targets) {
    lines.add("time to " + metric,
              fmt::format("{}: ", target.target) +
                  (target.time_s ? readable_seconds(*target.time_s) + ", " + readable_bytes(*target.bytes) + " sent"
                                 : "not reached"));
  }
  lines.add(result.measured ? "measured time" : "simulated time",
            readable_seconds(result.simulated_s) + ", stopped by " + result.stopped_by);
  if (result.divergence) lines.add("diverged", divergence_text(result));
  lines.add("steps per worker", steps_line(scenario, result, summary));
  if (const auto& times = summary.seconds_per_batch) {
    lines.add("time per step", readable_seconds(times->mean) + ", the mean of all steps (median " +
                                   readable_seconds(times->median) + ", 95 % below " + readable_seconds(times->p95) +
                                   ")");
  }
  if (summary.slowest_step_s) lines.add("slowest worker", readable_seconds(*summary.slowest_step_s) + " a step");
  lines.add("lower bound", bound_line(result));
  if (result.network) {
    lines.add("network model", platform::text_of(*result.network) + " (" + result.network->why + ")");
  }
  if (result.measured) lines.add("real network", result.measured->network);
  lines.add("sent", readable_bytes(result.bytes_sent) + " in " + counted(result.messages_sent, "message"));
  if (result.faults) lines.add("faults", faults_line(scenario, result));
  if (!summary.given_up.empty()) lines.add("given up", given_up_line(summary, result));
  if (const auto& link = summary.busiest_link) {
    lines.add("busiest link", link->name + ", " + readable_share(link->utilisation) + " used");
  }
  if (!summary.idle_fraction.empty()) {
    const auto [least, most] = std::minmax_element(summary.idle_fraction.begin(), summary.idle_fraction.end());
    lines.add("workers idle", range(readable_share(*least), readable_share(*most)));
  }
  if (const auto& staleness = summary.staleness) {
    lines.add("staleness", fmt::format("{:.3g} updates on average, {:.3g} at most", staleness->mean, staleness->max));
  }
  for (const RequestSummary& requests : summarise_requests(result.answers)) {
    lines.add(requests.threshold ? fmt::format("threshold {}", *requests.threshold) : std::string("requests"),
              requests_line(requests, result));
  }
  if (!folder.empty()) lines.add("results", folder);
  return lines.text_;
}

}  // namespace ddl::results
