// Gossip where not every peer answers. c = 0.1 s of compute, N/B = 1 s.
#include <doctest/doctest.h>

#include "tests/laws/decentralized.hpp"
#include "tests/support/run.hpp"

namespace ddl::gossip_laws_test {

namespace {

// Models that start apart and do not learn, so that only averaging moves them.
std::vector<std::vector<float>> models_after(const std::string& algorithm, int workers,
                                             const std::vector<scenario::Fault>& faults = {}) {
  auto scenario = only_averaging(algorithm, workers, 8);
  scenario.faults = faults;
  return run::run(scenario).weights;
}

// True if a model is still worker 0's first one; weights that start at zero feel even the least learning rate.
bool is_first_of_w0(const std::vector<float>& model) {
  return largest_difference(model, models_after(R"("single")", 1)[0]) < 1e-20;
}

scenario::HostJoin join(const char* host, double at_s) { return {host, Seconds{at_s}}; }

}  // namespace

TEST_CASE("once its timeout is over a worker goes on without averaging") {
  const auto result = run::run(
      timing_only(R"({"name": "gossip", "peer": "ring", "timeout": "300ms"})", 3, 0, "0ms", R"({"iterations": 4})"));
  for (int worker = 0; worker < 3; ++worker) {
    const auto ends = ends_of(result, worker);
    for (std::size_t step = 0; step < 4; ++step)
      CHECK(ends[step] == doctest::Approx(0.4 * static_cast<double>(step + 1)));
  }
  CHECK(is_first_of_w0(models_after(R"({"name": "gossip", "timeout": "1ms"})", 3)[0]));  // less than a round trip
  CHECK_FALSE(is_first_of_w0(models_after(R"({"name": "gossip", "timeout": "10s"})", 3)[0]));
}

TEST_CASE("a worker that joins begins when its time has come, from a peer's model") {
  const auto models = models_after(R"({"name": "gossip"})", 2, {join("w1", 5)});
  CHECK(is_first_of_w0(models[0]));  // it had no peer to average with until its steps were over
  CHECK(is_first_of_w0(models[1]));
  CHECK_FALSE(is_first_of_w0(models_after(R"({"name": "gossip"})", 2)[1]));
}

TEST_CASE("a peer that has yet to join costs no time, a first model a round trip and N/B") {
  for (const char* mode : {"pull", "push", "pair"}) {
    CAPTURE(mode);
    const std::string settings = fmt::format(R"({{"name": "gossip", "mode": "{}"}})", mode);
    auto scenario = timing_only(settings, 2, 0, "50ms", R"({"iterations": 5})");
    scenario.faults = {join("w1", 30)};
    const auto result = run::run(scenario);
    CHECK(ends_of(result, 0).back() == doctest::Approx(5 * 0.1));
    CHECK(result.iterations[5].worker == 1);
    CHECK(result.iterations[5].start_s == doctest::Approx(30 + 0.1 + 1.0));
  }
}

TEST_CASE("a worker that joins is refused by one that joins just then, and asks on") {
  const auto models =
      models_after(R"({"name": "gossip", "peer": "ring"})", 4, {join("w1", 3), join("w2", 3), join("w3", 2)});
  for (const auto& model : models) CHECK(is_first_of_w0(model));
}

}  // namespace ddl::gossip_laws_test
