#include "sim/scenario/memory.hpp"

#include <doctest/doctest.h>

#include "core/split/vertical_split.hpp"
#include "core/systems/ako/ako.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {
namespace {

Scenario scenario_with(const std::string& rest) {
  return parse_scenario(systems::built_in(),
                        R"({"platform": {"workers": 4, "bandwidth": "1Mbps"}, "algorithm": "ring_allreduce",
                            "stop": {"iterations": 10}, )" +
                            rest + "}",
                        "memory.json");
}

double total(const Scenario& scenario, const nn::Model* model, int workers, double steps) {
  double sum = 0;
  const LearnedModel learned = model != nullptr ? learned_model(*model) : LearnedModel();
  for (const MemoryPart& part :
       memory_of(scenario, model != nullptr ? &learned : nullptr, workers, 0, steps, scenario.data.train.value_or(0))) {
    sum += part.bytes;
  }
  return sum;
}

TEST_CASE("a run's memory has at least its weights, gradients, samples and rows in it") {
  const Scenario scenario = scenario_with(R"("model": "mlp", "data": {"train": 5000, "test": 100})");
  const nn::Model model(scenario.model, {1, 12, 12}, 10);
  const double weights = 4.0 * static_cast<double>(model.parameter_count());
  const double one = total(scenario, &model, 1, 0);
  CHECK(one >= 2 * weights + 5100 * 144);
  CHECK(total(scenario, &model, 3, 0) - one >= 2 * 2 * weights);
  CHECK(total(scenario, &model, 1, 1e6) - one >= 1e6 * 7 * 8);  // seven numbers a row
}

TEST_CASE("a step that is not written takes the memory of its row alone") {
  // A row has 80 bytes, and there are two of them; as text it has some 30 letters at least.
  const std::string none = R"("model": "none", "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "1s"})";
  const Scenario written = scenario_with(none);
  const Scenario kept = scenario_with(none + R"(, "record": {"iterations": false})");
  const double row = total(kept, nullptr, 1, 1) - total(kept, nullptr, 1, 0);
  CHECK(row >= 2 * 80);
  CHECK(total(written, nullptr, 1, 1) - total(written, nullptr, 1, 0) >= row + 30);
}

TEST_CASE("the whole training set for each worker takes the memory of its samples' numbers") {
  const Scenario shards = scenario_with(R"("model": "mlp", "data": {"train": 5000})");
  const Scenario all = scenario_with(R"("model": "mlp", "data": {"train": 5000, "partition": "full"})");
  const nn::Model model(all.model, {1, 12, 12}, 10);
  CHECK(total(all, &model, 7, 0) - total(shards, &model, 7, 0) == 7 * 5000 * 8);
  // All there are, if the scenario gives no number.
  Scenario unsaid = all;
  unsaid.data.train.reset();
  const auto of_partition = [&](std::int64_t samples) {
    const LearnedModel learned = learned_model(model);
    for (const MemoryPart& part : memory_of(unsaid, &learned, 7, 0, 0, samples)) {
      if (part.path == "$.data.partition") return part.bytes;
    }
    return 0.0;
  };
  CHECK(of_partition(60000) == 7 * 60000 * 8);
}

TEST_CASE("all symbols of a text take memory, and the label of each, however few samples are used") {
  Scenario scenario = scenario_with(R"("model": "softmax", "data": {"train": 50, "test": 10})");
  const nn::Model model(scenario.model, {1, 12, 12}, 10);
  const auto of_data = [&](const data::DataShape& shape) {
    scenario.own_data = shape;
    const LearnedModel learned = learned_model(model);
    for (const MemoryPart& part : memory_of(scenario, &learned, 1, 0, 0, 50)) {
      if (part.path == "$.data") return part.bytes;
    }
    return 0.0;
  };
  CHECK(of_data({.shape = {1, 12, 12}, .classes = 10}) == 60 * 144);
  CHECK(of_data({.shape = {1, 12, 12}, .classes = 10, .symbols = 256 << 20}) == 2.0 * (256 << 20));
}

TEST_CASE("optimizers with moments and rotating partitions take their vectors") {
  const Scenario plain = scenario_with(R"("model": "mlp")");
  const nn::Model model(plain.model, {1, 12, 12}, 10);
  const double weights = 4.0 * static_cast<double>(model.parameter_count());
  const Scenario adam = scenario_with(R"("model": "mlp", "training": {"optimizer": "adam"})");
  CHECK(total(adam, &model, 5, 0) - total(plain, &model, 5, 0) == doctest::Approx(5 * 2 * weights));
  Scenario ako = plain, one_part = plain;
  // A worker that waits to send has a sum for each class of its four peers, others for each peer.
  systems::AkoParams params;
  params.overflow = systems::Overflow::block;
  one_part.algorithm = params;
  params.partitions.form = 3;
  ako.algorithm = params;
  CHECK(total(ako, &model, 5, 0) - total(one_part, &model, 5, 0) == doctest::Approx(5 * 2 * weights));
  params.overflow = systems::Overflow::merge;
  ako.algorithm = params;
  const double actors = 5 * 5 * 13e3;  // one that merges sends to all peers at once
  CHECK(total(ako, &model, 5, 0) - total(one_part, &model, 5, 0) == doctest::Approx(5 * 3 * weights + actors));
}

double of_model(const Scenario& scenario, const nn::Model& model, int workers) {
  const LearnedModel learned = learned_model(model);
  for (const MemoryPart& part : memory_of(scenario, &learned, workers, 0, 0, 0)) {
    if (part.path == "$.model") return part.bytes;
  }
  return 0;
}

TEST_CASE("workers that share one model take the memory of what they hold of it") {
  const std::string cnn = R"("model": "cnn", "algorithm": )";
  const auto with = [&](const std::string& algorithm) {
    return parse_scenario(
        systems::built_in(),
        R"({"platform": {"workers": 3, "bandwidth": "1Mbps"}, "stop": {"iterations": 10}, )" + cnn + algorithm + "}",
        "memory.json");
  };
  const Scenario whole = with(R"("ring_allreduce")"), vertical = with(R"("vertical")"),
                 stages = with(R"("early_exit")"), ensemble = with(R"("samme")");
  const nn::Model model(whole.model, {1, 12, 12}, 10);
  const auto parameters = static_cast<double>(model.parameter_count());
  // A worker has its weights, a gradient and two vectors under way; evaluations come on top, and are the same for all.
  const double evaluations = of_model(whole, model, 3) - 4 * 4 * 3 * parameters;
  const split::VerticalSplit split(model, 3);
  double held = 0;
  for (int worker = 0; worker < 3; ++worker) held += static_cast<double>(split.held(worker).size());
  CHECK(held < 1.5 * parameters);
  CHECK(of_model(vertical, model, 3) - evaluations == doctest::Approx(4 * 4 * held));
  CHECK(of_model(stages, model, 3) - evaluations == doctest::Approx(4 * 4 * parameters));
  // Three members; one trains at a time.
  CHECK(of_model(ensemble, model, 3) - evaluations == doctest::Approx(4 * (3 + 3) * parameters));
}

std::string error_of(const std::string& layers) {
  try {
    scenario_with("\"model\": {\"layers\": [" + layers + "]}");
  } catch (const ScenarioErrors& errors) {
    return errors.lines.front();
  }
  return "";
}

TEST_CASE("the memory of masks and lists of layers is checked before it is allocated") {
  std::string layers = "\"flatten\"";
  for (int i = 0; i < 6; ++i) layers += R"(, {"type": "dense", "units": 9900, "mask": "bibd"})";
  CHECK(error_of(layers) ==
        "memory.json: $.model.layers[6]: too large: the masks of a model can choose among 400 million weights at most");
  layers = "\"flatten\"";
  for (int i = 0; i < 10000; ++i) layers += ", \"relu\"";
  CHECK(error_of(layers) == "memory.json: $.model.layers[10000]: is one of 10001 layers; expected at most 10000");
}

TEST_CASE("a scenario that does not fit is refused at its largest part, with the sum and the limit") {
  const std::vector<MemoryPart> parts = {{"$.a", "a", 1 * gibibyte}, {"$.b", "b", 2 * gibibyte}};
  CHECK_FALSE(excess(parts, 3 * gibibyte, ""));
  const auto too_much = excess(parts, 2.5 * gibibyte, ", which this machine has");
  REQUIRE(too_much);
  CHECK(too_much->path == "$.b");
  CHECK(too_much->what ==
        "b make a run that takes about 3 GiB of memory; expected at most 2.5 GiB, which this machine has");
}

}  // namespace
}  // namespace ddl::scenario
