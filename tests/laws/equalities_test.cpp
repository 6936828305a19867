// Training systems that must learn the same, whatever the data: the simulator must not change the mathematics.
#include <doctest/doctest.h>

#include "sim/results/writing/result_files.hpp"
#include "tests/support/keeps.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::equalities_test {
namespace {

struct Side {
  std::string system;
  int workers, servers = 0;
  double jitter = 0;

  run::RunResult run(const std::string& rest) const {
    auto scenario = learning(system.starts_with('{') ? system : quoted(system), workers, servers, rest);
    scenario.compute.jitter = jitter;
    return ddl::run::run(scenario);
  }
};

// Every model of both; to the bit unless a difference is allowed.
void check_equal(const Side& one, const Side& other, const std::string& rest, double within = 0) {
  CAPTURE(one.system);
  CAPTURE(other.system);
  CAPTURE(one.workers);
  const auto a = one.run(rest), b = other.run(rest);
  for (const auto& model : a.weights) CHECK(largest_difference(model, b.weights[0]) <= within);
  for (const auto& model : b.weights) CHECK(largest_difference(model, a.weights[0]) <= within);
}

std::string of_settings(const std::string& optimizer, int batch_size, const std::string& data,
                        const std::string& stop = R"({"iterations": 12})") {
  return fmt::format(R"("data": {}, "stop": {}, "training": {{"batch_size": {}, "optimizer": {}}})", data, stop,
                     batch_size, optimizer);
}

const std::string momentum = R"({"type": "momentum", "learning_rate": 0.05})",
                  sgd = R"({"type": "sgd", "learning_rate": 0.2})", adam = R"({"type": "adam", "learning_rate": 0.01})";
const std::string shards_of_one_batch = R"({"train": 64, "test": 100})", data = R"({"train": 600, "test": 100})";

}  // namespace

TEST_CASE("synchronous systems = one worker with the union batch, however the gradients come in") {
  // Every worker's shard is one batch, so a round sees all 64 samples, as does the single worker's batch.
  const auto one = Side{"single", 1}.run(of_settings(momentum, 64, shards_of_one_batch)).weights[0];
  for (const int n : {2, 4, 8}) {
    for (const Side& side : {Side{"ps_sync", n, 1},
                             {"ps_sync", n, 1, 0.3},
                             {"ring_allreduce", n},
                             {"tree_allreduce", n},
                             {"star_allreduce", n},
                             {"hierarchical_allreduce", n},
                             {"butterfly_allreduce", n},
                             {R"({"name": "d_psgd", "topology": "complete", "combine": "after"})", n}}) {
      CAPTURE(side.system);
      const auto result = side.run(of_settings(momentum, 64 / n, shards_of_one_batch));
      for (const auto& model : result.weights) CHECK(largest_difference(model, one) < 1e-6);
      for (const auto& model : result.weights) CHECK(model == result.weights[0]);
      for (const run::IterationRow& row : result.iterations) CHECK(row.staleness == 0);
    }
    // All sum in worker order.
    check_equal({"star_allreduce", n}, {"ps_sync", n, 1}, of_settings(momentum, 64 / n, shards_of_one_batch));
    check_equal({"butterfly_allreduce", n}, {"ps_sync", n, 1}, of_settings(momentum, 64 / n, shards_of_one_batch));
  }
  for (const char* collective : {"ring", "tree", "star", "hierarchical", "butterfly"}) {
    check_equal({fmt::format(R"({{"name": "local_sgd", "local_steps": 1, "collective": "{}"}})", collective), 4},
                {"ring_allreduce", 4}, of_settings(sgd, 16, shards_of_one_batch), 1e-6);
  }
  check_equal({R"({"name": "ako", "partitions": 1, "staleness_bound": 0, "tf_ako": {"clock": "ping_pong"}})", 3},
              {"ps_sync", 3, 1}, of_settings(momentum, 10, data), 1e-6);
  const auto free = Side{R"({"name": "ako", "partitions": 1})", 3}.run(of_settings(momentum, 10, data));
  CHECK(largest_difference(free.weights[0], Side{"ps_sync", 3, 1}.run(of_settings(momentum, 10, data)).weights[0]) >
        1e-4);
}

TEST_CASE("with one worker every system is plain SGD, to the bit") {
  std::vector<std::string> systems = {
      R"({"name": "ako", "partitions": 3})",           R"({"name": "ako", "partitions": "adaptive"})",
      R"({"name": "gossip", "mode": "pair"})",         R"({"name": "partial_allreduce", "partitions": 3})",
      R"({"name": "local_sgd", "local_steps": 3})",    R"({"name": "fedavg", "local_steps": 3})",
      R"({"name": "ps_ssp", "staleness_aware": true})"};
  for (const std::string& name : names_of_systems(1, 1)) systems.push_back(quoted(name));
  for (const std::string& system : systems) {
    const std::string text = learning_text(system, 1, 1, of_settings(momentum, 10, data));
    const laws::Outcome outcome = check_keeps("alone", laws::Subject(systems::built_in(), text, "law.json"));
    // DiLoCo is judged by a model that follows the worker.
    CHECK((outcome == laws::Outcome::does_not_apply) == (system == quoted("diloco")));
  }
}

TEST_CASE("other messages with the same gradients change no weight") {
  const std::string rest = of_settings(momentum, 10, data);
  check_equal({"ps_sync", 3, 4, 0.3}, {"ps_sync", 3, 1, 0.3}, of_settings(adam, 16, data));  // shards
  check_equal({R"({"name": "partial_allreduce", "partitions": 1})", 4}, {"ring_allreduce", 4}, rest);
  check_equal({R"({"name": "fedavg", "local_steps": 4})", 4, 1}, {R"({"name": "local_sgd", "local_steps": 4})", 4},
              of_settings(sgd, 10, data), 1e-6);
  check_equal({R"({"name": "fedavg", "local_steps": 4, "sampled": 4})", 4, 3},
              {R"({"name": "fedavg", "local_steps": 4})", 4, 1}, of_settings(sgd, 10, data));
  // An unreached staleness bound changes nothing at all, nor does no codec, or one that sends every value.
  const auto digest = [&](const std::string& system) { return results::digest_of(Side{system, 3, 2, 0.3}.run(rest)); };
  CHECK(digest(R"({"name": "ps_ssp", "staleness_bound": 1000000000})") == digest("ps_async"));
  CHECK(digest(R"({"name": "ps_ssp", "staleness_bound": 1})") != digest("ps_async"));
  for (const char* system : {R"("ps_async")", R"("ps_sync")", R"("ako", "partitions": 3)"}) {
    for (const char* codec : {R"("none")", R"({"type": "random_k", "fraction": 1})"}) {
      CHECK(digest(fmt::format(R"({{"name": {}, "codec": {}}})", system, codec)) ==
            digest(fmt::format(R"({{"name": {}}})", system)));
    }
  }
}

}  // namespace ddl::equalities_test
