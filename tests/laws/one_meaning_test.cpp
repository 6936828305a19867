// A setting means the same to every system. Where all gradients are equal, a step of each worker must move the model as
// one step of one worker would: whatever the schedule of the learning rate, the penalty or the optimizer, whether
// gradients come as one sum or one by one, and however many workers there are.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/node/vectors.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::one_meaning_test {
namespace {

using Vector = std::vector<float>;

// All workers have the same single sample. At such small rates its gradient is the same in every step.
constexpr double rate = 1e-5;
const std::string sgd = R"("type": "sgd")";
const std::string adam = R"("type": "adam", "epsilon": 1e-30)";
const std::string momentum = R"("type": "momentum", "momentum": 0.5)";

struct Training {
  std::string optimizer;      // its type and settings except the rate
  std::string schedule = "";  // ", ..."
  std::string scale = "mean";
  double learning_rate = rate;
  const char* model_name = "softmax";
  std::string more = "";  // faults that leave without the last worker: ", ..."

  // The model after `steps` steps of each worker; the mean of those present, if each has its own.
  Vector model(const std::string& algorithm, int workers, int steps) const {
    const std::string scenario = fmt::format(
        R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "servers": 1, "bandwidth": "80Mbps",
             "latency": "1ms", {}}}, "model": "{}", "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
             "data": {{"train": 1, "test": 10, "partition": "full"}}, "algorithm": {}, "stop": {{"iterations": {}}},
             "training": {{"batch_size": 1, "gradient_scale": "{}",
                           "optimizer": {{"learning_rate": {}, {} {}}}}} {}}})",
        workers, textbook, model_name, algorithm, steps, scale, learning_rate, optimizer, schedule, more);
    const auto result = run::run(scenario_from(scenario));
    const std::size_t models =
        result.weights_at_servers || more.empty() ? result.weights.size() : result.weights.size() - 1;
    Vector mean(result.weights.front().size());
    for (std::size_t i = 0; i < models; ++i) {
      add_scaled(mean, result.weights[i], 1 / static_cast<float>(models));
    }
    return mean;
  }
};

double length(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return std::sqrt(sum);
}

// Distance that four workers go from the end of one step to the end of another, relative to one worker alone.
double relative_path(const std::string& algorithm, int from, int to, const Training& training, Training single) {
  const auto path = [&](const std::string& system, int workers, const Training& how) {
    return length(how.model(system, workers, to), how.model(system, workers, from));
  };
  const double one = path("\"single\"", 1, single);
  REQUIRE(one > 0);
  return path(algorithm, 4, training) / one;
}
double relative_path(const std::string& algorithm, int from, int to, const Training& training) {
  return relative_path(algorithm, from, to, training, training);
}

// With their defaults. Gossip keeps the models' mean where two move by opposite amounts, and an outer step of rate one
// is the mean.
std::vector<std::string> systems_that_step() {
  std::vector<std::string> systems;
  for (const std::string& name : names_of_systems(4, 1)) {
    systems.push_back(name == "gossip" ? R"({"name": "gossip", "mode": "pair"})"
                      : name == "diloco"
                          ? R"({"name": "diloco", "sync_every": 1, "outer": {"type": "sgd", "learning_rate": 1}})"
                          : quoted(name));
  }
  return systems;
}

// Its first step has the worker's own gradient alone: those of its peers come with the next.
bool is_ako(const std::string& algorithm) { return algorithm.find("ako") != std::string::npos; }
// From the end of the first step, because there is no model after zero steps.
constexpr int begin = 1, end = 8;

}  // namespace

TEST_CASE("every system follows a schedule step by step, as one worker does") {
  for (const char* schedule :
       {R"(, "schedule": {"type": "steps", "at": [3, 5], "factor": 0.25})", R"(, "warmup_steps": 5)",
        R"(, "warmup_steps": 2, "schedule": {"type": "cosine", "steps": 8})",
        R"(, "warmup_steps": 2, "schedule": {"type": "cosine", "floor": 0.1})"}) {
    CAPTURE(schedule);
    for (const std::string& system : systems_that_step()) {
      CAPTURE(system);
      CHECK(relative_path(system, begin, end, {sgd, schedule}) == doctest::Approx(1).epsilon(2e-3));
    }
  }
}

// For systems whose workers step together: eight steps of four are 32 samples.
TEST_CASE("a cosine without steps falls alike whether the run ends by steps or by samples") {
  for (const char* system :
       {"\"ps_sync\"", "\"ps_async\"", "\"ps_ssp\"", "\"ring_allreduce\"", "\"d_psgd\"", "\"alone\""}) {
    CAPTURE(system);
    const auto path = [&](const char* stop) {
      const auto result =
          run::run(learning(system, 4, 1,
                            fmt::format(R"("data": {{"train": 1, "test": 10, "partition": "full"}}, "stop": {},
                                     "training": {{"batch_size": 1, "optimizer": {{"learning_rate": {},
                                                   "schedule": "cosine"}}}})",
                                        stop, rate)));
      return length(result.weights.front(), Vector(result.weights.front().size()));
    };
    CHECK(path(R"({"samples": 32})") / path(R"({"iterations": 8})") == doctest::Approx(1).epsilon(2e-3));
  }
}

TEST_CASE("every system steps as far as one worker with Adam, which undoes a scale of its gradients") {
  for (const char* schedule : {"", R"(, "schedule": {"type": "steps", "at": [3, 5], "factor": 0.25})"}) {
    CAPTURE(schedule);
    for (const std::string& system : systems_that_step()) {
      CAPTURE(system);
      CHECK(relative_path(system, begin, end, {adam, schedule}) == doctest::Approx(1).epsilon(2e-3));
    }
  }
}

TEST_CASE("every system comes to the pace of one worker with momentum") {
  for (const std::string& system : systems_that_step()) {
    CAPTURE(system);
    CHECK(relative_path(system, 24, 32, {momentum}) == doctest::Approx(1).epsilon(2e-3));
  }
}

TEST_CASE("parts of Ako's sums, and slices that are applied as they come, weigh what is in them") {
  const Training with_penalty{.optimizer = R"("type": "sgd", "weight_decay": 1e4)", .model_name = "mlp"};
  for (const char* system :
       {R"({"name": "ako", "partitions": 3})", R"({"name": "ako", "partitions": 3, "schedule": "broadcast"})",
        R"({"name": "ako", "partitions": 3, "overlap": "backward"})", R"({"name": "ako", "apply": "on_arrival"})",
        R"({"name": "ako", "partitions": 3, "apply": "on_arrival"})",
        R"({"name": "ako", "partitions": 3, "codec": {"type": "qsgd", "bits": 8}})"}) {
    CAPTURE(system);
    const bool encodes = std::string(system).find("qsgd") != std::string::npos;
    CHECK(relative_path(system, 6, 30, {sgd}) == doctest::Approx(1).epsilon(encodes ? 0.05 : 2e-3));
    if (std::string(system).find("on_arrival") == std::string::npos) {
      CHECK(relative_path(system, 6, 30, {adam}) == doctest::Approx(1).epsilon(encodes ? 0.05 : 2e-3));
    }
    if (!encodes) {
      // The penalty alone is a tenth of the model a step, and falls with it: sums of three steps come a little late.
      CHECK(relative_path(system, 6, 30, with_penalty) == doctest::Approx(1).epsilon(0.15));
    }
  }
}

TEST_CASE("summed gradients make the step n times as long, and leave its number and its penalty's share") {
  const char* falls = R"(, "schedule": {"type": "steps", "at": [3, 5], "factor": 0.25})";
  for (const char* system : {"\"ps_sync\"", "\"ps_async\"", "\"ps_ssp\"", "\"ring_allreduce\"", "\"tree_allreduce\"",
                             "\"star_allreduce\"", "\"hierarchical_allreduce\"", "\"partial_allreduce\"", "\"ako\""}) {
    CAPTURE(system);
    for (const std::string& optimizer : {sgd, adam}) {
      CAPTURE(optimizer);
      CHECK(relative_path(system, begin, end, {optimizer, falls, "sum"}, {optimizer, falls}) ==
            doctest::Approx(4).epsilon(2e-3));
    }
    const Training penalised{.optimizer = R"("type": "sgd", "weight_decay": 100)", .scale = "sum", .model_name = "mlp"};
    Training four_times = penalised;
    four_times.learning_rate = 4 * rate;
    CHECK(relative_path(system, begin, end, penalised, four_times) == doctest::Approx(1).epsilon(1e-2));
  }
}

// Gradients are negligible beside the penalty; each update leaves 1 - rate * decay * weight of the model.
TEST_CASE("a penalty weighs as much as the gradients that it belongs to") {
  const Training nothing{.optimizer = sgd, .learning_rate = 1e-30, .model_name = "mlp"};
  for (const std::string& system : systems_that_step()) {
    CAPTURE(system);
    // AD-PSGD takes the penalty where it takes the gradient, a step ago: the law holds for steps that are short.
    const double share = system == "\"ad_psgd\"" ? 0.01 : 0.5;
    // L2's part of the gradient, and AdamW's beside it, whose epsilon leaves nothing of the gradient.
    for (const char* kind : {R"("type": "sgd")", R"("type": "adamw", "epsilon": 1e30)"}) {
      CAPTURE(kind);
      const Training penalised{.optimizer = fmt::format(R"({}, "weight_decay": {})", kind, share / rate),
                               .model_name = "mlp"};
      const auto left = [&](int steps) {
        const Vector start = nothing.model(system, 4, 1), now = penalised.model(system, 4, steps);
        return length(now, Vector(now.size())) / length(start, Vector(start.size()));
      };
      const bool one_by_one = system == "\"ps_async\"" || system == "\"ps_ssp\"";
      const double step = one_by_one ? std::pow(1 - share / 4, 4) : 1 - share;
      const double first = is_ako(system) ? 1 - share / 4 : step;
      CHECK(left(1) == doctest::Approx(first).epsilon(1e-3));
      CHECK(left(3) == doctest::Approx(first * step * step).epsilon(1e-3));
    }
  }
}

// When four equal workers' gradients arrive together, the first two have full weight, the next a half, the last a
// third.
TEST_CASE("a server that is aware of staleness shortens the step, and the penalty with it, whatever the optimizer") {
  const char* aware = R"({"name": "ps_async", "staleness_aware": true})";
  const double plain = relative_path(aware, 4, 12, {sgd});
  CHECK(plain == doctest::Approx((1 + 1 + 1.0 / 2 + 1.0 / 3) / 4).epsilon(2e-3));
  CHECK(relative_path(aware, 4, 12, {adam}) == doctest::Approx(plain).epsilon(2e-3));
  // Everything but the penalty is negligible; logarithms of the remaining model add up like steps.
  const auto decayed = [&](const char* system) {
    const Training training{.optimizer = R"("type": "sgd", "weight_decay": 1e3)", .model_name = "mlp"};
    const Vector before = training.model(system, 4, 4), after = training.model(system, 4, 12);
    return std::log(length(before, Vector(before.size())) / length(after, Vector(after.size())));
  };
  CHECK(decayed(aware) / decayed("\"ps_async\"") == doctest::Approx(plain).epsilon(2e-2));
}

// Two of four workers train in each round of four steps: six rounds are 24 steps of the model.
TEST_CASE(
    "the model of sampled federated averaging has the rates of its own steps, the same for all workers of a round") {
  const char* falls = R"("schedule": {"type": "steps", "at": [6, 13], "factor": 0.1}, "warmup_steps": 3)";
  const auto model = [&](const std::string& algorithm, int workers, const std::string& stop) {
    return run::run(learning(algorithm, workers, 1,
                             fmt::format(R"("data": {{"train": 1, "test": 10, "partition": "full"}},
                                     "training": {{"batch_size": 1, "optimizer": {{"learning_rate": {}, {}}}}},
                                     "stop": {})",
                                         rate, falls, stop)))
        .weights.front();
  };
  const Vector one = model("\"single\"", 1, R"({"iterations": 24})");
  const Vector sampled = model(R"({"name": "fedavg", "local_steps": 4, "sampled": 2})", 4, R"({"samples": 48})");
  const Vector start(one.size());  // a softmax model's
  CHECK(length(sampled, start) / length(one, start) == doctest::Approx(1).epsilon(2e-3));
}

// The gradients of three workers are a step where the fourth has crashed in its first.
TEST_CASE("gradients weigh by the workers that are there") {
  const std::string crash = R"(, "faults": [{"type": "host_crash", "host": "w3", "at": "50ms"}])";
  const std::vector<std::string> left_out = {"wait", "gossip", "sgp", "diloco"};  // SGP: see docs/faults.md
  const std::vector<std::string> special = {R"({"name": "gossip", "mode": "pair"})",
                                            R"({"name": "diloco", "on_failure": "go_on", "sync_every": 1,
                                                "outer": {"type": "sgd", "learning_rate": 1}})"};
  for (const std::string& system : systems_in_faults(4, 1, special)) {
    const auto is_in = [&](const std::string& word) { return system.find(word) != std::string::npos; };
    if (std::ranges::any_of(left_out, is_in) && std::ranges::count(special, system) == 0) continue;
    CAPTURE(system);
    const Training crashed{.optimizer = sgd, .more = crash}, whole{sgd};
    const double one = length(whole.model("\"single\"", 1, end), whole.model("\"single\"", 1, begin));
    const double path = length(crashed.model(system, 4, end), crashed.model(system, 4, begin));
    CHECK(path / one == doctest::Approx(1).epsilon(2e-3));
  }
}

// A worker that is away for some steps, with or without its state, and comes back: all-reduces and rounds go on with
// equal models, so the rates, the penalty and the optimizer's state must be the same, too.
TEST_CASE("a worker that comes back or late steps as the others do") {
  const std::string schedule = R"(, "weight_decay": 0.1, "warmup_steps": 3,
                                    "schedule": {"type": "steps", "at": [9, 20], "factor": 0.1})";
  for (const char* fault :
       {R"({"type": "host_crash", "host": "w1", "at": "450ms", "restart": "1250ms", "state": "lost"})",
        R"({"type": "host_crash", "host": "w1", "at": "450ms", "restart": "1250ms", "state": "kept"})",
        R"({"type": "join", "host": "w1", "at": "1250ms"})"}) {
    CAPTURE(fault);
    for (const char* name : {"ring_allreduce", "tree_allreduce", "star_allreduce", "hierarchical_allreduce",
                             "butterfly_allreduce", "local_sgd"}) {
      CAPTURE(name);
      for (const std::string& optimizer : {sgd, adam, momentum}) {
        CAPTURE(optimizer);
        const std::string scenario = fmt::format(
            R"({{"name": "law", "platform": {{"topology": "star", "workers": 3, "bandwidth": "80Mbps",
                 "latency": "1ms", {}}},
                 "model": "softmax", "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
                 "data": {{"train": 300, "test": 50}}, "algorithm": {}, "stop": {{"iterations": 40}},
                 "training": {{"batch_size": 10, "optimizer": {{"learning_rate": 0.01, {} {}}}}}, "faults": [{}]}})",
            textbook, with_policy(name, "go_on"), optimizer, schedule, fault);
        const auto result = run::run(scenario_from(scenario));
        REQUIRE(result.weights.size() == 3);
        CHECK(largest_difference(result.weights[1], result.weights[0]) == 0);
        CHECK(largest_difference(result.weights[2], result.weights[0]) == 0);
      }
    }
  }
}

// With equal gradients and one start, models are equal as long as their rates are.
TEST_CASE("a worker that was away takes its next steps at the rate of the others, in rounds between neighbours, too") {
  const char* schedule = R"(, "warmup_steps": 3, "schedule": {"type": "cosine", "floor": 0.1})";
  for (const char* state : {"lost", "kept"}) {
    const std::string fault = fmt::format(
        R"(, "faults": [{{"type": "host_crash", "host": "w1", "at": "450ms", "restart": "1250ms", "state": "{}"}}])",
        state);
    CAPTURE(fault);
    // Ended by time: a worker that was away has steps left when the others have none.
    for (const char* name : {"d_psgd", "ring_allreduce", "partial_allreduce"}) {
      CAPTURE(name);
      const auto result = run::run(
          learning(with_policy(name, "go_on"), 4, 0,
                   fmt::format(R"("data": {{"train": 1, "test": 10, "partition": "full"}}, "stop": {{"time": "3s"}},
                         "training": {{"batch_size": 1, "optimizer": {{"learning_rate": {} {}}}}} {})",
                               rate, schedule, fault)));
      const double way = length(result.weights[0], Vector(result.weights[0].size()));
      CHECK(length(result.weights[1], result.weights[0]) < 1e-3 * way);
    }
    // Federated averaging: the model's steps are the server's.
    const auto after = [&](const std::string& faults) {
      return run::run(learning(with_policy("fedavg", "go_on"), 4, 1,
                               fmt::format(
                                   R"("data": {{"train": 1, "test": 10, "partition": "full"}}, "stop": {{"time": "4s"}},
              "training": {{"batch_size": 1, "optimizer": {{"learning_rate": {} {}}}}} {})",
                                   rate, schedule, faults)))
          .weights[0];
    };
    const Vector whole = after(""), start(whole.size());
    CHECK(length(after(fault), start) / length(whole, start) == doctest::Approx(1).epsilon(0.1));
  }
}

}  // namespace ddl::one_meaning_test
