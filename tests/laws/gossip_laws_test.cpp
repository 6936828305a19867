// Gossip where not every peer answers. c = 0.1 s of compute, N/B = 1 s.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::gossip_laws_test {

namespace {

// Models that start apart and do not learn, so that only averaging moves them.
std::vector<std::vector<float>> models_after(const std::string& algorithm, int workers) {
  auto scenario = learning(algorithm, workers, 0,
                           R"("data": {"train": 200, "test": 50}, "stop": {"iterations": 8},
                              "training": {"batch_size": 4, "init": "independent",
                                           "optimizer": {"type": "sgd", "learning_rate": 1e-30}})");
  scenario.model.name = "mlp";
  return runtime::run(scenario).weights;
}

// Whether a model is still worker 0's first one; weights that start at zero feel even the least learning rate.
bool is_first_of_w0(const std::vector<float>& model) {
  return largest_difference(model, models_after(R"("single")", 1)[0]) < 1e-20;
}

std::vector<double> ends_of(const experiment::RunResult& result, int worker) {
  std::vector<double> ends;
  for (const experiment::IterationRow& row : result.iterations) {
    if (row.worker == worker) ends.push_back(row.end_s);
  }
  return ends;
}

}  // namespace

TEST_CASE("once its timeout is over a worker goes on without averaging") {
  const auto result = runtime::run(
      timing_only(R"({"name": "gossip", "peer": "ring", "timeout": "300ms"})", 3, 0, "0ms", R"({"iterations": 4})"));
  for (int worker = 0; worker < 3; ++worker) {
    const auto ends = ends_of(result, worker);
    for (std::size_t step = 0; step < 4; ++step)
      CHECK(ends[step] == doctest::Approx(0.4 * static_cast<double>(step + 1)));
  }
  CHECK(is_first_of_w0(models_after(R"({"name": "gossip", "timeout": "1ms"})", 3)[0]));  // less than a round trip
  CHECK_FALSE(is_first_of_w0(models_after(R"({"name": "gossip", "timeout": "10s"})", 3)[0]));
}

TEST_CASE("a late joiner begins when its time has come, from a peer's model") {
  const auto late = models_after(R"({"name": "gossip", "late_joiners": {"w1": "5s"}})", 2);
  CHECK(is_first_of_w0(late[0]));  // all its questions were refused
  CHECK(is_first_of_w0(late[1]));
  CHECK_FALSE(is_first_of_w0(models_after(R"({"name": "gossip"})", 2)[1]));
}

TEST_CASE("a refusal costs a round trip, a first model a round trip and N/B") {
  for (const char* mode : {"pull", "push", "pair"}) {
    CAPTURE(mode);
    const std::string settings =
        fmt::format(R"({{"name": "gossip", "mode": "{}", "late_joiners": {{"w1": "30s"}}}})", mode);
    const auto result = runtime::run(timing_only(settings, 2, 0, "50ms", R"({"iterations": 5})"));
    const double question = std::string(mode) == "pull" ? 0 : 1.0;  // a pushed model travels before it is refused
    CHECK(ends_of(result, 0).back() == doctest::Approx(5 * (0.1 + 0.1 + question)));
    CHECK(result.iterations[5].worker == 1);
    CHECK(result.iterations[5].start_s == doctest::Approx(30 + 0.1 + 1.0));
  }
}

TEST_CASE("a late joiner is refused by others that are late, and asks on") {
  const auto models = models_after(R"({"name": "gossip", "peer": "ring",
                                       "late_joiners": {"w1": "3s", "w2": "4s", "w3": "2s"}})",
                                   4);
  for (const auto& model : models) CHECK(is_first_of_w0(model));
}

TEST_CASE("late joiners must be workers, and not all of them") {
  const auto with = [](const char* late) {
    return timing_only(fmt::format(R"({{"name": "gossip", "late_joiners": {}}})", late), 2, 0, "0ms",
                       R"({"iterations": 1})");
  };
  CHECK_THROWS_AS(runtime::run(with(R"({"w7": "1s"})")), InputError);
  CHECK_THROWS_AS(runtime::run(with(R"({"w0": "1s", "w1": "2s"})")), InputError);
}

}  // namespace ddl::gossip_laws_test
