// Sparse models on the wire and on the clock: only existing weights travel and cost time.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::sparse_laws_test {

namespace {

scenario::Scenario training(const std::string& model, const std::string& algorithm, int servers) {
  scenario::Scenario scenario = scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 2, "servers": {}, "bandwidth": "80Mbps",
          "latency": "1ms", "speed": "1Gf", {}}}, "compute": {{"jitter": 0}}, "wire": {{"header_bytes": "0B"}},
          "model": "{}", "data": {{"train": 200, "test": 50}}, "training": {{"batch_size": 10}},
          "algorithm": {}, "stop": {{"iterations": 4}}}})",
      servers, textbook, model, algorithm));
  return scenario;
}

// Synthetic images are 12 x 12. Block designs of order 12 for 16 units, then 4 for 20 units, then the whole 20 x 10.
constexpr double kSparseWeights = 16 * 12 + 20 * 4 + 200, kSparseValues = kSparseWeights + 10;
constexpr double kDenseWeights = 144 * 16 + 16 * 20 + 200, kDenseValues = kDenseWeights + 16 + 20 + 10;

}  // namespace

TEST_CASE("every exchange of a sparse model takes four bytes for each value that is there") {
  for (const char* ending : {"-bibd", "-random"}) {
    const auto sparse = run::run(training(std::string("mlp-3-1") + ending, R"("d_psgd")", 0));
    CHECK(sparse.weights[0].size() == kSparseValues);
    // Two workers send each other a model in each of four steps.
    CHECK(sparse.bytes_sent == 2 * 4 * 4 * kSparseValues);
  }
  CHECK(run::run(training("mlp-3-1", R"("d_psgd")", 0)).bytes_sent == 2 * 4 * 4 * kDenseValues);
}

TEST_CASE("a gradient of a sparse model takes the time of the operations that are there") {
  const auto seconds = [](const std::string& model) {
    return run::run(training(model, R"("d_psgd")", 0)).iterations.front().compute_s;
  };
  // Six operations per weight and sample, ten samples, a thousand million a second.
  CHECK(seconds("mlp-3-1-bibd") == doctest::Approx(6 * 10 * kSparseWeights / 1e9));
  CHECK(seconds("mlp-3-1") == doctest::Approx(6 * 10 * kDenseWeights / 1e9));
}

TEST_CASE("Ako's partitions of a sparse model are even in what travels") {
  const auto result = run::run(
      training("mlp-3-1-bibd", R"({"name": "ako", "partitions": 2, "partitioner": "even", "overflow": "block"})", 0));
  // A step sends one of two partitions, in turns: in four steps each worker sends two models' worth.
  CHECK(result.bytes_sent == 2 * 2 * 4 * kSparseValues);
}

TEST_CASE("sparse models learn under servers, all-reduce, gossip and Ako") {
  for (const char* system : {R"("ps_sync")", R"("ring_allreduce")", R"("gossip")", R"("ako")"}) {
    CAPTURE(system);
    scenario::Scenario scenario = training("mlp-3-1-bibd", system, std::string(system) == R"("ps_sync")" ? 1 : 0);
    scenario.stop.iterations = 300;
    const auto result = run::run(scenario);
    CHECK(*result.iterations.back().train_loss < 0.9 * *result.iterations.front().train_loss);
  }
}

}  // namespace ddl::sparse_laws_test
