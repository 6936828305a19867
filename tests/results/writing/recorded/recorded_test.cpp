// Records that a run is asked for, so that others can repeat its arithmetic.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/data/dataset.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::recorded_test {

namespace {

const std::string recorded = R"("record": {"initial_weights": true, "batches": true, "draws": true, "weights": true})";

scenario::Scenario recorded_scenario(const std::string& algorithm, int workers, int servers = 0,
                                     const std::string& more = "") {
  return learning(algorithm, workers, servers,
                  R"("data": {"train": 90, "test": 20}, "training": {"batch_size": 7}, "stop": {"iterations": 5}, )" +
                      more + recorded);
}

std::set<int> numbers_in(const std::string& text) {
  std::istringstream stream(text);
  std::set<int> numbers;
  for (int number = 0; stream >> number;) numbers.insert(number);
  return numbers;
}

std::map<std::string, std::string> files_of(const scenario::Scenario& scenario, const run::RunResult& result) {
  std::map<std::string, std::string> texts;
  results::write_result_files(scenario, result, "",
                              [&](const std::string& name, const std::string& text) { texts[name] = text; });
  return texts;
}

nlohmann::json header_of(const std::string& file) {
  std::uint64_t size = 0;
  for (int byte = 7; byte >= 0; --byte)
    size = size * 256 + static_cast<unsigned char>(file.at(static_cast<std::size_t>(byte)));
  CHECK((8 + size) % 8 == 0);
  return nlohmann::json::parse(file.substr(8, size));
}

}  // namespace

TEST_CASE("recording changes nothing else of a run") {
  for (const char* system : {"\"ad_psgd\"", "\"gossip\"", R"({"name": "ps_async", "codec": "qsgd"})"}) {
    scenario::Scenario scenario = recorded_scenario(system, 4, 1);
    const run::RunResult with = run::run(scenario);
    scenario.record = {};
    const run::RunResult without = run::run(scenario);
    CHECK(results::digest_of(with) == results::digest_of(without));
    CHECK(with.simulated_s == without.simulated_s);
    CHECK(without.recorded.batches.empty());
    CHECK(without.recorded.draws.empty());
  }
}

TEST_CASE("shards divide the training set, and a minibatch has samples of its worker's shard only") {
  const run::RunResult result = run::run(recorded_scenario("\"ring_allreduce\"", 3));
  const run::Recordings& recorded = result.recorded;
  REQUIRE(recorded.shards.size() == 3);
  std::set<int> all;
  for (const auto& shard : recorded.shards) {
    const std::set<int> own = numbers_in(shard.samples);
    CHECK(own.size() == 30);
    all.insert(own.begin(), own.end());
  }
  CHECK(all.size() == 90);
  REQUIRE(recorded.batches.size() == 15);  // five steps of three workers
  std::set<int> drawn;
  for (std::size_t i = 0; i < recorded.batches.size(); ++i) {
    const auto& batch = recorded.batches[i];
    CHECK(batch.minibatch == static_cast<std::int64_t>(i % 5));
    const std::set<int> own = numbers_in(batch.samples);
    if (batch.minibatch < 4) CHECK(own.size() == 7);  // the last one begins the next pass
    CHECK(std::ranges::includes(numbers_in(recorded.shards[static_cast<std::size_t>(batch.worker)].samples), own));
    drawn.insert(own.begin(), own.end());
  }
  // The first four minibatches, 28 of 30 samples, are part of one pass: none comes twice.
  std::set<int> of_pass;
  for (std::size_t i = 0; i < 4; ++i) of_pass.merge(numbers_in(recorded.batches[i].samples));
  CHECK(of_pass.size() == 28);
  // Their images are those of the data set.
  REQUIRE(recorded.samples.has_value());
  CHECK(std::set<int>(recorded.samples->numbers.begin(), recorded.samples->numbers.end()) == drawn);
  const data::DataSplit data = data::load_data({.train = 90, .test = 20}, 1);
  const std::size_t values = data.train.shape.size();
  for (std::size_t i = 0; i < recorded.samples->numbers.size(); ++i) {
    const auto number = static_cast<std::size_t>(recorded.samples->numbers[i]);
    CHECK(recorded.samples->labels[i] == data.train.labels[number]);
    CHECK(std::equal(data.train.pixels.begin() + static_cast<std::ptrdiff_t>(number * values),
                     data.train.pixels.begin() + static_cast<std::ptrdiff_t>((number + 1) * values),
                     recorded.samples->images.begin() + static_cast<std::ptrdiff_t>(i * values)));
  }
}

TEST_CASE("a run of no steps ends where it begins: with its initial weights") {
  scenario::Scenario scenario = recorded_scenario("\"alone\"", 2, 0, R"("evaluate": {"every_iterations": 1}, )");
  for (const auto init : {scenario::InitialWeights::shared, scenario::InitialWeights::independent}) {
    scenario.training.init = init;
    scenario.stop.iterations = 5;
    const run::RunResult five = run::run(scenario);
    scenario.stop.iterations = 0;
    const run::RunResult none = run::run(scenario);
    CHECK(none.simulated_s == 0);
    CHECK(none.steps == std::vector<std::int64_t>{0, 0});
    CHECK(none.stopped_by == "iterations");
    CHECK(none.recorded.initial_weights == five.recorded.initial_weights);
    CHECK(none.weights != five.weights);
    const bool shared = init == scenario::InitialWeights::shared;
    REQUIRE(none.recorded.own_initial_weights.size() == (shared ? 0 : 2));
    for (std::size_t worker = 0; worker < 2; ++worker) {
      CHECK(none.weights[worker] ==
            (shared ? none.recorded.initial_weights : none.recorded.own_initial_weights[worker]));
    }
    CHECK(files_of(scenario, none).contains("initial-weights-w1.safetensors") == !shared);
  }
}

TEST_CASE("draws are named: dropout, codecs, partners, neighbours, those in a round") {
  const auto purposes = [](const scenario::Scenario& scenario) {
    std::map<std::string, int> counts;
    for (const auto& row : run::run(scenario).recorded.draws) ++counts[row.purpose];
    return counts;
  };
  scenario::Scenario dropout = recorded_scenario("\"alone\"", 2);
  dropout.model = {.name = "layers",
                   .layers = {nn::FlattenSpec{}, nn::DropoutSpec{.rate = 0.5}, nn::DenseSpec{.units = 10}}};
  CHECK(purposes(dropout) == std::map<std::string, int>{{"dropout", 10}});
  CHECK(purposes(recorded_scenario("\"alone\"", 2)).empty());
  // One encoder for each of two servers at each of three workers.
  CHECK(purposes(recorded_scenario(R"({"name": "ps_async", "codec": "qsgd"})", 3, 2)) ==
        std::map<std::string, int>{{"codec", 6}});
  CHECK(purposes(recorded_scenario(R"({"name": "ps_async", "codec": "sign"})", 3, 2)).empty());
  // Every step of every worker asks one peer.
  CHECK(purposes(recorded_scenario(R"({"name": "gossip", "peer": "random"})", 3)) ==
        std::map<std::string, int>{{"partner", 15}});
  CHECK(purposes(recorded_scenario(R"({"name": "fedavg", "sampled": 2})", 3, 1))["sampled worker"] >= 2);

  const run::RunResult graph =
      run::run(recorded_scenario(R"({"name": "d_psgd", "topology": "random_regular", "degree": 3})", 6));
  std::set<std::pair<std::string, std::string>> edges;
  for (const auto& row : graph.recorded.draws) {
    CHECK(row.purpose == "neighbour");
    edges.insert({graph.nodes.at(static_cast<std::size_t>(row.node)), row.drawn});
  }
  CHECK(edges.size() == 18);  // three neighbours of each of six
  for (const auto& [from, to] : edges) CHECK(edges.contains({to, from}));
}

TEST_CASE("files of weights have the vector, and then PyTorch's tensors of it") {
  const scenario::Scenario scenario = recorded_scenario("\"alone\"", 2);
  const auto files = files_of(scenario, run::run(scenario));
  for (const char* name : {"weights-w0.safetensors", "initial-weights.safetensors"}) {
    const nlohmann::json header = header_of(files.at(name));
    CHECK(header["parameters"]["shape"] == nlohmann::json{1450});
    CHECK(header["dense1.weight"]["shape"] == nlohmann::json{10, 144});
    CHECK(header["dense1.bias"]["shape"] == nlohmann::json{10});
    CHECK(header["dense1.bias"]["data_offsets"] == nlohmann::json{4 * (1450 + 1440), 4 * 2 * 1450});
    CHECK(header.size() == 3);
  }
  const nlohmann::json samples = header_of(files.at("samples.safetensors"));
  CHECK(samples["images"]["shape"][1] == 1);
  CHECK(samples["images"]["shape"][2] == 12);
  CHECK(samples["images"]["dtype"] == "U8");
  CHECK(samples["labels"]["dtype"] == "I64");
  CHECK(samples["scale"]["shape"] == nlohmann::json{1});
}

TEST_CASE("a model without numbers has no weights and minibatches to record") {
  for (const std::string key : {"initial_weights", "batches"}) {
    const std::string scenario = R"({"platform": {"workers": 1, "bandwidth": "1Mbps"}, "model": "none",
        "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "1s"}, "stop": {"iterations": 1},
        "algorithm": "alone", "record": {")" +
                                 key + R"(": true}})";
    const std::string said = "$.record." + key + ": is given beside model \"none\"; expected false";
    CHECK_THROWS_WITH_AS(scenario_from(scenario), doctest::Contains(said.c_str()), scenario::ScenarioErrors);
  }
}

}  // namespace ddl::recorded_test
