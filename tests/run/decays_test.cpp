// Decay of matrices alone, where a node holds a part of the vector.
#include <doctest/doctest.h>

#include "tests/support/run.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::decays_test {
namespace {

double loss_of(const char* algorithm, int servers, const char* decays) {
  return *run::run(scenario_from(fmt::format(
                       R"({{"name": "law", "platform": {{"workers": 2, "servers": {}, "bandwidth": "1Gbps"}},
                           "model": "mlp", "data": {{"train": 80, "test": 50}},
                           "training": {{"batch_size": 8, "optimizer": {{"type": "adamw", "learning_rate": 0.01,
                                         "weight_decay": 2, "decays": "{}"}}}},
                           "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "{}", "stop": {{"iterations": 10}},
                           "evaluate": {{"every_iterations": 10}}}})",
                       servers, decays, algorithm)))
              .curve.back()
              .test_loss;
}

}  // namespace

TEST_CASE("servers with parts of the model decay the weights that one server with all of it would") {
  const double whole = loss_of("ps_sync", 1, "matrices");
  CHECK(loss_of("ps_sync", 3, "matrices") == whole);
  CHECK(loss_of("ps_sync", 1, "all") != whole);
}

TEST_CASE("workers that divide a model by channels decay the weights that one worker would") {
  const double whole = loss_of("single", 0, "matrices");
  CHECK(loss_of("vertical", 0, "matrices") == doctest::Approx(whole).epsilon(1e-6));
  CHECK(std::abs(loss_of("single", 0, "all") - whole) > 1e-4);
}

}  // namespace ddl::decays_test
