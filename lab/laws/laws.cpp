#include "lab/laws/laws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/check.hpp"
#include "lab/runs/run.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/run/expected_step.hpp"

namespace ddl::laws {
namespace {

using scenario::Override;
using Changes = std::vector<Override>;

Verdict fails(std::string why) { return {Outcome::fails, std::move(why)}; }
Verdict does_not_apply(std::string why) { return {Outcome::does_not_apply, std::move(why)}; }

run::RunResult run_until(const Subject& subject, const std::string& stop, Changes more = {}, int threads = 0) {
  const std::string_view metric = subject.scenario().evaluate.judged_by().word;
  more.insert(more.begin(),
              {{"stop", stop}, {"evaluate", fmt::format(R"({{"every_iterations": 5, "metric": "{}"}})", metric)}});
  return run::run(subject.with(std::move(more)), {.threads = threads, .progress = nullptr});
}

std::string iterations(int steps) { return fmt::format(R"({{"iterations": {}}})", steps); }
Override slowed(const std::string& worker, int times) {
  return {"compute.slowdown", worker.empty() ? "{}" : fmt::format(R"({{"{}": {}}})", worker, times)};
}
const std::string nobody;

// The first and the last worker of a short run.
std::set<std::string> first_and_last(const Subject& subject) {
  const run::RunResult result = run_until(subject, iterations(1));
  return {result.nodes.front(), result.nodes.at(static_cast<std::size_t>(result.workers) - 1)};
}

Verdict takes_the_steps_asked_for(const Subject& subject) {
  constexpr int steps = 9;
  std::set<std::string> slow = first_and_last(subject);
  slow.insert(nobody);
  for (const std::string& worker : slow) {
    const run::RunResult result = run_until(subject, iterations(steps), {slowed(worker, 7)});
    const std::string where = worker.empty() ? "" : fmt::format(", with {} seven times slower", worker);
    const auto is_right = [&](std::int64_t taken) {
      return taken == steps || (taken == 0 && subject.system().facts().one_trains);
    };
    if (result.stopped_by != "iterations") return fails("ended by " + result.stopped_by + where);
    if (!std::ranges::all_of(result.steps, is_right)) {
      return fails(fmt::format("workers took {} steps, of {}{}", fmt::join(result.steps, ", "), steps, where));
    }
    if (result.bytes_delivered != result.bytes_sent) {
      return fails(fmt::format("{} of {} bytes arrived{}", result.bytes_delivered, result.bytes_sent, where));
    }
  }
  return {};
}

Verdict counts_samples(const Subject& subject) {
  if (subject.system().facts().is_model_parallel()) return does_not_apply("its workers share minibatches");
  const int batch = subject.scenario().training.batch_size;
  for (const std::string& worker : first_and_last(subject)) {
    const double least = 20.5 * batch;
    const auto result = run_until(subject, fmt::format(R"({{"samples": {}}})", std::ceil(least)), {slowed(worker, 7)});
    const double train = result.samples / result.epochs;
    const auto epochs = run_until(subject, fmt::format(R"({{"epochs": {}}})", least / train), {slowed(worker, 7)});
    for (const auto& [ended, by] : {std::pair(&result, "samples"), std::pair(&epochs, "epochs")}) {
      if (ended->stopped_by != by || ended->samples < least * (1 - 1e-9) || ended->samples >= least + batch) {
        return fails(
            fmt::format("ended by {} after {} samples, asked for {} in batches of {}, with {} seven times slower",
                        ended->stopped_by, ended->samples, least, batch, worker));
      }
    }
  }
  return {};
}

Verdict ends_at_the_time(const Subject& subject) {
  if (subject.system().requests() > 0) return does_not_apply("it answers requests after a count of steps");
  const std::string time = fmt::format("{:.3g}", 0.8 * run_until(subject, iterations(8)).simulated_s);
  const run::RunResult result = run_until(subject, fmt::format(R"({{"time": "{}s"}})", time));
  const double asked_s = std::stod(time);
  if (result.stopped_by != "time" || result.simulated_s != asked_s) {
    return fails(fmt::format("ended by {} at {} s, of {}", result.stopped_by, result.simulated_s, time));
  }
  if (std::accumulate(result.steps.begin(), result.steps.end(), std::int64_t{0}) == 0) return fails("took no step");
  for (const run::IterationRow& row : result.iterations) {
    if (row.end_s > asked_s) return fails(fmt::format("a step ended at {} s, after the run at {}", row.end_s, time));
  }
  return {};
}

// Compares what was learned and counted, and when.
Verdict are_the_same(const run::RunResult& one, const run::RunResult& other, const char* what) {
  const std::string digest = results::digest_of(one), another = results::digest_of(other);
  if (digest != another) return fails(fmt::format("digests {} and {} {}", digest, another, what));
  const auto same_end = [](const run::IterationRow& a, const run::IterationRow& b) { return a.end_s == b.end_s; };
  if (one.simulated_s != other.simulated_s || !std::ranges::equal(one.iterations, other.iterations, same_end)) {
    return fails(fmt::format("other times {}: the runs end at {} and {} s", what, one.simulated_s, other.simulated_s));
  }
  return {};
}

Verdict repeats(const Subject& subject) {
  const auto once = [&] { return run_until(subject, iterations(10), {}, 1); };
  return are_the_same(once(), once(), "of two runs of one scenario");
}

Verdict depends_on_no_threads(const Subject& subject) {
  const auto with = [&](int threads) { return run_until(subject, iterations(10), {}, threads); };
  return are_the_same(with(1), with(3), "with one thread and with three");
}

Verdict notices_divergence(const Subject& subject) {
  const run::RunResult result =
      run_until(subject, iterations(50), {{"training.optimizer", R"({"type": "sgd", "learning_rate": 1e38})"}});
  if (!result.divergence) return fails("with a learning rate of 1e38 it ends by " + result.stopped_by);
  if (result.divergence->step >= 10) return fails(fmt::format("noticed in step {} only", result.divergence->step));
  for (const run::IterationRow& row : result.iterations) {
    if (row.train_loss && !std::isfinite(*row.train_loss)) return fails("a loss that is no number was recorded");
  }
  return {};
}

// Judges each worker by its own model: with others' gradients summed or models averaged, either all end with the same
// bits, as promised, or some do not. At one pace, and at paces far apart.
Verdict has_equal_replicas_if_it_says_so(const Subject& subject) {
  const bool promised = subject.system().facts().equal_replicas;
  if (first_and_last(subject).size() < 2) return does_not_apply("there is one worker");
  for (const std::string& slow : {nobody, *first_and_last(subject).begin()}) {
    const auto result = run_until(subject, iterations(13), {{"compute.jitter", "0"}, slowed(slow, 3)});
    if (result.weights_at_servers || result.weights.size() < 2) {
      return promised ? fails("facts.equal_replicas is true, of workers without models of their own")
                      : does_not_apply("its workers have no models of their own");
    }
    const bool equal = std::ranges::all_of(result.weights, [&](const auto& w) { return w == result.weights.front(); });
    if (equal == promised) continue;
    return fails(fmt::format("facts.equal_replicas is {}, and all end with {}{}", promised,
                             equal ? "one model" : "different models",
                             slow.empty() ? "" : ", with " + slow + " three times slower"));
  }
  return {};
}

// With links a hundred times as quick as the platform's, and so slow that a message takes far longer than a gradient.
Verdict is_above_its_bound(const Subject& subject) {
  for (const double factor : {100.0, 0.02}) {
    const double all = factor * subject.scenario().platform.bandwidth_factor;
    const auto result = run_until(subject, iterations(60),
                                  {{"platform.bandwidth_factor", fmt::format("{}", all)}, {"compute.jitter", "0"}});
    const std::int64_t slowest = *std::ranges::min_element(result.steps);
    // Steps under way at the end have not been waited for: fewer than two.
    const double least_s = result.bounds.step_s * static_cast<double>(slowest - 2);
    if (result.simulated_s * (1 + 1e-9) >= least_s) continue;
    return fails(fmt::format("{} steps take {:.4g} s, and by traffic() at least {:.4g} s, with links {} times as quick",
                             slowest, result.simulated_s, least_s, factor));
  }
  return {};
}

Verdict goes_on_after_a_crash(const Subject& subject) {
  if (subject.system().needs_all_hosts()) return does_not_apply("no host may come or go");
  const run::RunResult whole = run_until(subject, iterations(20));
  if (whole.workers < 2) return does_not_apply("there is one worker");
  for (const char* state : {"kept", "lost"}) {
    const std::string fault =
        fmt::format(R"([{{"type": "host_crash", "host": "{}", "at": "{:.3g}s", "restart": "{:.3g}s", "state": "{}"}}])",
                    whole.nodes.at(1), 0.2 * whole.simulated_s, 0.4 * whole.simulated_s, state);
    const std::string stop = fmt::format(R"({{"iterations": 20, "time": "{:.3g}s"}})", 30 * whole.simulated_s);
    const run::RunResult result = run_until(subject, stop, {{"faults", fault}});
    if (result.stopped_by != "iterations" || !result.faults || result.faults->crashes != 1) {
      return fails(fmt::format("ended by {} at {:.4g} s, with a worker's crash and its state {}; without at {:.4g} s",
                               result.stopped_by, result.simulated_s, state, whole.simulated_s));
    }
  }
  return {};
}

Verdict takes_the_same_time_without_learning(const Subject& subject) {
  // Four bytes a parameter, so that vectors of both runs are as long, and cut at the same places.
  const std::size_t parameters = run_until(subject, iterations(1)).weights.at(0).size();
  Changes same = {{"wire.model_bytes", fmt::format("\"{}B\"", 4 * parameters)}};
  // Without layers a vector cannot be cut between them.
  for (const Override& by_no_layers :
       {Override{"algorithm.partitioner", "\"even\""}, Override{"algorithm.overlap", "\"none\""}}) {
    if (subject.takes(by_no_layers)) same.push_back(by_no_layers);
  }
  // Without a model there is no accuracy to evaluate and no weight to record.
  Changes timing_only = same;
  timing_only.insert(
      timing_only.end(),
      {{"model", "\"none\""}, {"evaluate", "{}"}, {"record", R"({"iterations": true})"}, {"data.augment", "\"none\""}});
  const auto timed = run_until(subject, iterations(12), timing_only),
             learned = run_until(subject, iterations(12), same);
  if (!timed.weights.empty() || learned.weights.empty()) return fails("weights where nothing is learned");
  if (timed.bytes_sent != learned.bytes_sent || timed.messages_sent != learned.messages_sent) {
    return fails(fmt::format("with model none {} bytes in {} messages, with a model {} in {}", timed.bytes_sent,
                             timed.messages_sent, learned.bytes_sent, learned.messages_sent));
  }
  const auto same_end = [](const run::IterationRow& a, const run::IterationRow& b) {
    return a.end_s == b.end_s && !a.train_loss;
  };
  if (timed.simulated_s != learned.simulated_s || timed.steps != learned.steps ||
      !std::ranges::equal(timed.iterations, learned.iterations, same_end)) {
    return fails(fmt::format("other times: with model none the run ends at {} s, with a model at {} s",
                             timed.simulated_s, learned.simulated_s));
  }
  return {};
}

// True if the servers' model and a single worker's approach each other without being one.
bool has_center(const System& system) {
  if (!system.facts().needs_servers) return false;
  Cluster one;
  one.workers = one.servers = 1;
  const auto consensus = system.consensus(one);
  return consensus && consensus->factor > 0 && consensus->factor < 1;
}

Verdict is_sgd_alone(const Subject& subject) {
  const SystemFacts& facts = subject.system().facts();
  if (facts.is_model_parallel()) return does_not_apply("its workers share minibatches");
  if (facts.least_workers > 1) return does_not_apply("it needs more workers");
  if (has_center(subject.system())) return does_not_apply("consensus() averages its model with that of servers");
  const Changes alone = {{"platform.workers", "1"}, slowed(nobody, 1)};
  Changes single = alone;
  single.insert(single.begin(), {"algorithm", "\"single\""});
  const auto result = run_until(subject, iterations(12), alone);
  if (!result.replicas.empty()) return does_not_apply("workers are judged by other models than their own");
  const std::vector<float> mine = result.weights.at(0),
                           plain = run_until(subject, iterations(12), single).weights.at(0);
  if (mine.size() != plain.size()) return fails(fmt::format("{} weights, and {} by SGD", mine.size(), plain.size()));
  if (mine == plain) return {};
  double largest = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) largest = std::max<double>(largest, std::fabs(mine[i] - plain[i]));
  return fails(
      fmt::format("after 12 steps weights of one worker differ by up to {:.3g} from those of \"single\"", largest));
}

// Its settings of `overlap`, its own first.
std::vector<Changes> ways_of_overlapping(const Subject& subject) {
  std::vector<Changes> ways{{}};
  for (const char* word : {"\"none\"", "\"backward\"", "\"layers\"", "false", "true"}) {
    const Override way{"algorithm.overlap", word};
    if (subject.takes(way)) ways.push_back({way});
  }
  return ways;
}

Override optimizer(const std::string& settings) { return {"training.optimizer", settings}; }

std::string name_of(const Changes& way) { return way.empty() ? "as it is" : "with overlap " + way.front().value; }

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  return std::sqrt(std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus(),
                                         [](double x, double y) { return (x - y) * (x - y); }));
}

// Steps that cover two rounds of everything it exchanges.
int two_rounds(const Subject& subject) { return std::max(6, 2 * subject.system().period() + 1); }

Verdict clips_whole_gradients(const Subject& subject) {
  constexpr double clip = 1e-3, most_steps_longer = 10;  // an outer step with momentum may be longer
  const int steps = two_rounds(subject);
  std::string refusal;
  bool clips = false;
  for (const Changes& way : ways_of_overlapping(subject)) {
    const auto trained = [&](const char* rate) {
      Changes changes = way;
      changes.push_back(
          optimizer(fmt::format(R"({{"type": "sgd", "learning_rate": {}, "clip_norm": {}}})", rate, clip)));
      if (const Override one{"platform.servers", "1"}; subject.takes(one)) changes.push_back(one);
      return run_until(subject, iterations(steps), changes).weights;
    };
    try {
      const auto end = trained("1"), start = trained("1e-30");
      for (std::size_t i = 0; i < end.size(); ++i) {
        const double moved = distance(end[i], start[i]), gradients = steps * static_cast<double>(end.size());
        if (moved <= most_steps_longer * clip * std::max<double>(gradients, 10)) continue;
        return fails(fmt::format("{} a model moves by {:.3g} in {} steps, of which each gradient is clipped to {}",
                                 name_of(way), moved, steps, clip));
      }
      clips = true;
    } catch (const scenario::ScenarioErrors& errors) {
      refusal = errors.lines.front();
    }
  }
  return clips ? Verdict() : does_not_apply("it refuses clip_norm: " + refusal);
}

// Others' gradients may be read earlier or later, unless a step reads exactly those that all sent in the step before.
Verdict learns_the_same_when_it_overlaps(const Subject& subject) {
  const std::vector<Changes> ways = ways_of_overlapping(subject);
  if (ways.size() < 2) return does_not_apply("it has no setting \"overlap\"");
  Changes group;
  if (!subject.system().facts().equal_replicas) group = {{"platform.workers", "1"}, slowed(nobody, 1)};
  for (const char* settings : {R"({"type": "momentum", "learning_rate": 0.05, "weight_decay": 0.01, "warmup_steps": 3,
            "schedule": {"type": "cosine", "steps": 9, "floor": 0.1}})",
                               R"({"type": "adam", "learning_rate": 0.01, "epsilon": 0.01})",
                               R"({"type": "sgd", "learning_rate": 0.1, "clip_norm": 0.5})"}) {
    std::optional<std::vector<float>> expected;
    for (const Changes& way : ways) {
      Changes changes = group;
      changes.insert(changes.end(), way.begin(), way.end());
      changes.push_back(optimizer(settings));
      if (const Override one{"platform.servers", "1"}; subject.takes(one)) changes.push_back(one);
      std::vector<float> learned;
      try {
        learned = run_until(subject, iterations(two_rounds(subject)), changes).weights.at(0);
      } catch (const scenario::ScenarioErrors&) {
        continue;  // it refuses this optimizer
      }
      if (!expected) expected = learned;
      const double apart = distance(learned, *expected), length = distance(learned, std::vector<float>(learned.size()));
      if (apart > 1e-5 * length) {
        return fails(fmt::format("{} it learns a model that is {:.3g} apart, of one {:.3g} long, with {}", name_of(way),
                                 apart, length, settings));
      }
    }
  }
  return {};
}

// The same numbers are drawn, so that times differ by rounding alone.
Verdict takes_the_expected_step(const Subject& subject) {
  constexpr double tolerance = 0.01;
  bool is_judged = false;
  for (const Changes& way : ways_of_overlapping(subject)) {
    const auto until = [&](int steps) {
      Changes changes = way;
      changes.push_back({"stop", iterations(steps)});
      changes.push_back({"evaluate", R"({"every_iterations": 1000})"});
      return subject.with(std::move(changes));
    };
    const scenario::Scenario scenario = until(std::max(200, 8 * subject.system().period()));
    const auto expected = run::expected_step(scenario, run::forecast_of(scenario));
    if (!expected) continue;
    is_judged = true;
    const run::StepTime step = run::mean_step(run::run(until(expected->steps)), run::Steps::middle);
    if (std::fabs(expected->step.seconds - step.seconds) <= tolerance * step.seconds) continue;
    return fails(fmt::format("{} a step takes {:.4g} s, and {:.4g} s are expected", name_of(way), step.seconds,
                             expected->step.seconds));
  }
  return is_judged ? Verdict() : does_not_apply("its messages depend on what it learns, or take long to simulate");
}

using Files = std::map<std::string, std::string>;

Files files_of(const scenario::Scenario& scenario, const run::RunResult& result) {
  Files files;
  results::write_result_files(scenario, result, results::digest_of(result),
                              [&](const std::string& name, const std::string& text) { files[name] = text; });
  return files;
}

// A run's learning is replayed on other networks, with other times of steps and sizes of messages.
Verdict learns_the_same_at_all_times(const Subject& subject) {
  if (!subject.system().facts().timing_independent) return does_not_apply("facts.timing_independent is false");
  const std::string last = *first_and_last(subject).rbegin();
  const auto scenario_with = [&](Changes changes) {
    const std::string_view metric = subject.scenario().evaluate.judged_by().word;
    changes.insert(changes.end(), {{"stop", iterations(std::max(12, two_rounds(subject)))},
                                   {"evaluate", fmt::format(R"({{"every_iterations": 5, "metric": "{}"}})", metric)},
                                   {"record", R"({"trace": true})"}});
    return subject.with(changes);
  };
  const Files nothing;
  std::optional<run::LearnedBytes> first;
  for (const Changes& times : {Changes{{"platform.bandwidth_factor", "100"}},
                               Changes{{"platform.bandwidth_factor", "0.05"},
                                       {"platform.latency_factor", "20"},
                                       {"compute.jitter", "0.5"},
                                       slowed(last, 5),
                                       {"wire.model_bytes", "\"300kB\""}},
                               Changes{{"compute.jitter", "1"}, slowed(nobody, 1), {"platform.network.draw", "2"}}}) {
    const scenario::Scenario scenario = scenario_with(times);
    const run::RunResult learned = run::run(scenario, {.progress = {}, .learned = &nothing});
    if (!learned.learned) return does_not_apply("with its settings no run replays another");
    if (!first) first = learned.learned;
    const bool same_parts = learned.learned->from == first->from;
    if (same_parts && learned.learned->bytes != first->bytes) return fails("it learns other things at other times");
    const run::LearnedBytes& known = same_parts ? *first : *learned.learned;
    const Files what{{known.from, known.bytes}};
    const run::RunResult replayed = run::run(scenario, {.progress = {}, .learned = &what});
    if (!replayed.is_replay) return fails("what another run learned is not replayed");
    const Files expected = files_of(scenario, learned), files = files_of(scenario, replayed);
    for (const auto& [name, text] : expected) {
      if (!files.contains(name) || files.at(name) != text) return fails("a replay writes another " + name);
    }
    if (files.size() != expected.size()) return fails("a replay writes more files");
  }
  return {};
}

constexpr Law laws[] = {
    {"steps", "each worker takes the steps asked for, whichever is slow, and all that is sent arrives",
     takes_the_steps_asked_for},
    {"samples", "samples and epochs end a run, and count over all workers", counts_samples},
    {"time", "a run ends at the time asked for", ends_at_the_time},
    {"repeats", "a run that is repeated is the same to the bit", repeats},
    {"threads", "so it is with any number of threads", depends_on_no_threads},
    {"diverges", "numbers that are none end a run", notices_divergence},
    {"replicas", "workers end with equal models if its facts say so, and only then", has_equal_replicas_if_it_says_so},
    {"bound", "no mean step is shorter than its lower bound", is_above_its_bound},
    {"crash", "a worker's crash and return do not stop the others", goes_on_after_a_crash},
    {"timing", "with model none it takes the same time and sends the same messages",
     takes_the_same_time_without_learning},
    {"alone", "one worker learns what SGD does, to the bit", is_sgd_alone},
    {"clips", "with clip_norm no step is longer, or the setting is refused, whatever overlaps", clips_whole_gradients},
    {"overlap", "what overlaps changes times, and not what one worker or equal replicas learn",
     learns_the_same_when_it_overlaps},
    {"replay", "what it learns follows from steps alone if its facts say so: replayed at other times, to the byte",
     learns_the_same_at_all_times},
    {"expected", "a step takes what check expects of it, within a hundredth", takes_the_expected_step},
};

}  // namespace

std::span<const Law> all() { return laws; }

Verdict judge(const Law& law, const Subject& subject) {
  const auto refused = [&](const std::string& what) {
    const bool is_split = subject.system().facts().is_model_parallel();
    return Verdict{is_split ? Outcome::does_not_apply : Outcome::refused, "its scenario is refused: " + what};
  };
  try {
    return law.judge(subject);
  } catch (const scenario::ScenarioErrors& errors) {
    return refused(errors.lines.front());
  } catch (const InputError& error) {
    return refused(error.what());
  } catch (const process::RunFailed& error) {
    return fails(error.what());
  } catch (const InternalError& error) {
    return fails(error.what());
  }
}

}  // namespace ddl::laws
