// Diverging training is noticed where it diverges, and ends the run.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/base/finite.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::divergence_test {

namespace {

// The first update is 1e38 times a gradient: whatever is computed at those weights overflows.
run::RunResult run_away(const std::string& system, int workers, int servers, const std::string& stop) {
  return run::run(learning(system, workers, servers,
                           R"("data": {"train": 200, "test": 50}, "training": {"batch_size": 10, "optimizer":
                         {"type": "sgd", "learning_rate": 1e38}}, "stop": )" +
                               stop));
}

}  // namespace

TEST_CASE("one number that is none is found anywhere in a vector, and large ones are numbers") {
  for (const std::size_t size : {1, 7, 4096, 4097, 10000}) {
    std::vector<float> values(size, std::numeric_limits<float>::max());
    CHECK(all_finite(values));
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
        auto spoiled = values;
        spoiled[place] = bad;
        CHECK_FALSE(all_finite(spoiled));
      }
    }
  }
  CHECK(all_finite({}));
}

TEST_CASE("a run that diverges ends at the first gradient that shows it, and says whose and which") {
  const auto result = run_away(R"("single")", 1, 0, R"({"iterations": 50})");
  CHECK(result.stopped_by == "diverged");
  REQUIRE(result.divergence);
  // Step 0 is a gradient at fine weights; its update is not, and step 1 is over after another 100 ms.
  CHECK(result.divergence->node == 0);
  CHECK(result.divergence->step == 1);
  CHECK(result.divergence->time_s == doctest::Approx(0.2));
  CHECK(result.simulated_s == result.divergence->time_s);
  CHECK(result.steps == std::vector<std::int64_t>{1});
  CHECK(result.iterations.size() == 1);
}

TEST_CASE("divergence in the last update is noticed by the model that it leaves") {
  for (const int servers : {0, 2}) {
    const auto result = run_away(servers == 0 ? R"("single")" : R"("ps_async")", 1, servers, R"({"iterations": 1})");
    CHECK(result.steps == std::vector<std::int64_t>{1});
    CHECK(result.stopped_by == "diverged");
  }
}

TEST_CASE("a run that goes well diverges nowhere") {
  const auto result =
      run::run(learning(R"("ps_async")", 2, 1, R"("data": {"train": 200, "test": 50}, "stop": {"iterations": 5})"));
  CHECK_FALSE(result.divergence);
  CHECK(result.stopped_by == "iterations");
}

}  // namespace ddl::divergence_test
