// A language model's head, which scores by the symbols' vectors of the first layer, in gradients by layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core/nn/model.hpp"
#include "core/node/layers.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::tied_head_test {
namespace {

constexpr int symbols = 7, width = 8, context = 5;
constexpr std::size_t samples = 3, positions = samples * context;

nn::Model small_gpt() {
  return nn::Model(
      {.name = "gpt", .layers = {}, .sizes = {.layers = 2, .heads = 2, .width = width, .context = context}},
      {1, context, 1}, symbols);
}

data::Batch windows(Stream& random) {
  data::Batch batch;
  batch.positions = context;
  for (std::size_t i = 0; i < positions; ++i) {
    batch.inputs.push_back(static_cast<float>(random.below(symbols)));
    batch.labels.push_back(static_cast<std::uint8_t>(random.below(symbols)));
  }
  return batch;
}

}  // namespace

TEST_CASE("a head that is held back scores by the vectors that the embedding's forward pass read") {
  const nn::Model model = small_gpt();
  const std::vector<LayerInfo> layers = scenario::learned_model(model).layers;
  Stream random(7);
  std::vector<float> start(model.parameter_count());
  model.initialize(start, random);
  const data::Batch batch = windows(random);
  const auto workspace = nn::make_workspace();
  std::vector<float> values(start.size());
  const auto loss_at = [&](const std::vector<float>& at) {
    Stream none(1);
    return model.gradient(at, batch, none, values, *workspace).loss;
  };
  // While the head is held back, all weights double.
  const auto grown = [](std::vector<float> weights, std::size_t first) {
    for (std::size_t i = first; i < weights.size(); ++i) weights[i] *= 2;
    return weights;
  };
  Weights weights(make_payload(start));
  double loss = 0;
  std::vector<std::size_t> known;
  const LayerCalls calls{.held = {layers.size() - 1},
                         .begin = [&](std::size_t) { std::ranges::copy(grown(start, 0), weights.write().begin()); },
                         .told = {layers.size() - 1, 0},
                         .known = [&](std::size_t layer, const Gradient&) { known.push_back(layer); }};
  gradient_by_layers(layers, weights, calls,
                     {.seconds = 1,
                      .spend = [](double) {},
                      .compute = [&](const Payload& at) { loss = loss_at(*at); },
                      .result = [&] { return Gradient{.values = nullptr, .loss = loss}; }});
  // The head's own weights are those of the final norm, the last of the vector: the vectors are the first layer's.
  CHECK(layers.back().slice.size() == width);
  CHECK(loss == loss_at(grown(start, start.size() - width)));
  CHECK(std::abs(loss - loss_at(grown(start, 0))) > 1e-3);
  CHECK(std::abs(loss - loss_at(start)) > 1e-3);
  CHECK(known ==
        std::vector<std::size_t>{layers.size() - 1, 0});  // both gradients of the vectors are in the embedding's
}

TEST_CASE("a language model learns the same to the bit whether its gradients travel whole or layer by layer") {
  const data::ScratchFolder folder;
  std::string text;
  Stream random(11);
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + random.below(symbols));
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  const auto loss_of = [&](const std::string& algorithm) {
    const run::RunResult result = run::run(scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"workers": 3, "bandwidth": "1Mbps", "latency": "10ms", {}}},
            "model": {{"name": "gpt", "layers": 2, "heads": 2, "width": {}, "context": {}}},
            "data": {{"source": "text", "path": "{}"}},
            "training": {{"batch_size": 4, "optimizer": {{"type": "adamw", "learning_rate": 0.01}}}},
            "compute": {{"seconds_per_batch": "50ms"}}, "algorithm": {}, "stop": {{"iterations": 12}},
            "evaluate": {{"every_iterations": 12}}}})",
        textbook, width, context, folder.file("text"), algorithm)));
    return *result.curve.back().test_loss;
  };
  const double whole = loss_of(R"({"name": "star_allreduce"})");
  CHECK(loss_of(R"({"name": "star_allreduce", "overlap": "layers", "bucket_bytes": "1B"})") == whole);
  CHECK(loss_of(R"({"name": "star_allreduce", "overlap": "backward", "bucket_bytes": "1B"})") == whole);
}

}  // namespace ddl::tied_head_test
