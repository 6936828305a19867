// Codecs inside training systems: invariants, and savings.
#include <doctest/doctest.h>

#include "sim/results/writing/result_files.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::codec_laws_test {

namespace {

std::string with_codec(const char* system, const std::string& codec) {
  return fmt::format(R"({{"name": {}, "codec": {}}})", system, codec);
}

const std::string rest = R"("data": {"train": 400, "test": 100}, "stop": {"iterations": 20},
                            "training": {"batch_size": 10, "optimizer": {"type": "momentum", "learning_rate": 0.05}})";

// In a system's settings, between quotation marks.
const char* const with_codecs[] = {R"("ps_async")", R"("ps_sync")", R"("ako", "partitions": 3)"};

}  // namespace

TEST_CASE("all-reduces gather encoded gradients: every one reaches every worker once, and all sum as a server does") {
  const auto codec = R"({"type": "random_k", "fraction": 0.1, "error_feedback": true})";
  const auto server = run::run(learning(with_codec(R"("ps_sync")", codec), 5, 1, rest));
  for (const char* collective : {"ring", "tree", "star", "hierarchical", "butterfly"}) {
    CAPTURE(collective);
    const std::string system = fmt::format(R"("{}_allreduce")", collective);
    const auto gathered = run::run(learning(with_codec(system.c_str(), codec), 5, 0, rest));
    for (const auto& weights : gathered.weights) {
      CHECK(weights == gathered.weights[0]);
      CHECK(largest_difference(weights, server.weights[0]) < 1e-6);
    }
    const auto timed = run::run(timing_only(with_codec(system.c_str(), codec), 5, 0, "0ms", R"({"iterations": 6})"));
    CHECK(timed.bytes_sent == 6 * 5 * 4 * 1e5);
  }
  const auto ring =
      run::run(timing_only(with_codec(R"("ring_allreduce")", codec), 5, 0, "0ms", R"({"iterations": 6})"));
  CHECK(ring.simulated_s == doctest::Approx(6 * (0.1 + 4 * 0.1)).epsilon(0.01));
  const auto part = run::run(
      timing_only(with_codec(R"("partial_allreduce", "partitions": 2)", codec), 5, 0, "0ms", R"({"iterations": 6})"));
  CHECK(part.bytes_sent == 6 * 5 * 4 * 0.5e5);
}

TEST_CASE("sizes follow the wire's scale: real values may be few and the model on the wire large") {
  auto scenario = learning(with_codec(R"("ps_sync")", R"({"type": "top_k", "fraction": 0.01})"), 2, 1, rest);
  scenario.wire.model_bytes = Bytes{20e6};
  const auto result = run::run(scenario);
  const double d = static_cast<double>(result.weights[0].size());
  CHECK(result.bytes_sent == doctest::Approx(20 * 2 * 20e6 * (1 + 2 * std::ceil(0.01 * d) / d)));
}

TEST_CASE("a timing-only model cannot say how much a threshold lets through") {
  CHECK_THROWS_AS(
      run::run(timing_only(with_codec(R"("ps_sync")", R"("mean_threshold")"), 2, 1, "0ms", R"({"iterations": 1})")),
      InputError);
}

TEST_CASE("with error feedback the hundredth part of the gradients learns, and what a run gives depends on no thread") {
  for (const char* codec : {R"({"type": "top_k", "fraction": 0.02})", R"("sign")", R"("mean_threshold")",
                            R"({"type": "qsgd", "bits": 3, "bucket": 64})",
                            R"({"type": "random_k", "fraction": 0.1, "error_feedback": true})"}) {
    CAPTURE(codec);
    for (const char* system : with_codecs) {
      const auto scenario = learning(with_codec(system, codec), 4, 1,
                                     R"("data": {"train": 800, "test": 300}, "stop": {"iterations": 60},
                            "training": {"batch_size": 16, "optimizer": {"type": "sgd", "learning_rate": 0.1}})");
      const auto one = run::run(scenario, {.threads = 1, .progress = {}});
      CHECK(results::digest_of(one) == results::digest_of(run::run(scenario, {.threads = 3, .progress = {}})));
      CHECK(one.curve.back().test_loss < 0.85 * *one.curve.front().test_loss);
    }
  }
}

}  // namespace ddl::codec_laws_test
