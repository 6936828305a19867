// A model divided over workers computes the same as the whole one: the same gradient, up to the order of sums.
#include "core/split/vertical_split.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/softmax_cross_entropy.hpp"

namespace ddl::split::vertical_split_test {

using namespace nn;

namespace {

constexpr int classes = 10;

data::Batch batch_of(Shape shape, int samples) {
  data::Batch batch;
  Stream random = stream(3, "test", "batch");
  for (int i = 0; i < samples; ++i) {
    batch.labels.push_back(static_cast<std::uint8_t>(i % classes));
    for (std::size_t k = 0; k < shape.size(); ++k) batch.inputs.push_back(static_cast<float>(random.normal()));
  }
  return batch;
}

std::vector<float> pick(const std::vector<float>& all, const std::vector<std::uint32_t>& places) {
  std::vector<float> values;
  for (const std::uint32_t place : places) values.push_back(all[place]);
  return values;
}

// All workers of a split in one place.
struct Workers {
  const VerticalSplit& split;
  Shape shape;
  int workers;
  std::vector<std::unique_ptr<TapeRun>> runs = {};
  std::vector<std::vector<float>> weights = {}, gradients = {};
  std::vector<Stream> random = {};
  Buffer inputs = {};

  TapeRun& run(int worker) { return *runs[static_cast<std::size_t>(worker)]; }

  void forward(const data::Batch& batch, const std::vector<float>& all) {
    const float* const values = channels_last(batch, shape, inputs);
    for (int w = 0; w < workers; ++w) random.push_back(stream(5, "test", "dropout"));
    for (int w = 0; w < workers; ++w) {
      runs.push_back(std::make_unique<TapeRun>(split.tape(w)));
      weights.push_back(pick(all, split.held(w)));
      gradients.emplace_back(weights.back().size());
      run(w).begin(static_cast<int>(batch.size()), &random[static_cast<std::size_t>(w)]);
      run(w).use(0, values);
    }
    for (std::size_t stage = 0; stage < split.stages(); ++stage) {
      for (int w = 0; w < workers; ++w) {
        run(w).forward(split.first_op(stage), split.last_op(stage), weights[static_cast<std::size_t>(w)].data());
      }
      if (stage == split.meetings().size()) break;
      const Meeting& meeting = split.meetings()[stage];
      for (int to = 0; to < workers; ++to) {
        for (int from = 0; from < workers; ++from) {
          meeting.place(run(from).value(meeting.own), from, run(to).batch(), run(to).room(meeting.whole));
        }
      }
    }
  }

  void backward(const data::Batch& batch) {
    for (int w = 0; w < workers; ++w) {
      softmax_cross_entropy(run(w).value(split.outputs()), batch.labels, classes, run(w).gradient(split.outputs()));
    }
    for (std::size_t stage = split.stages(); stage-- > 0;) {
      for (int w = 0; w < workers; ++w) {
        run(w).backward(split.first_op(stage), split.last_op(stage), weights[static_cast<std::size_t>(w)].data(),
                        gradients[static_cast<std::size_t>(w)].data());
      }
      if (stage == 0) break;
      const Meeting& meeting = split.meetings()[stage - 1];
      for (int to = 0; to < workers; ++to) {
        std::vector<float> sum(batch.size() * meeting.piece(to)), piece(sum.size());
        for (int from = 0; from < workers; ++from) {
          if (stage == split.meetings().size() && from != to) continue;
          meeting.take(run(from).gradient(meeting.whole), to, run(to).batch(), piece.data());
          for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += piece[k];
        }
        run(to).add_gradient(meeting.own, sum.data());
      }
    }
  }
};

// Returns the number of the workers' meetings.
std::size_t check_same_gradient(const std::vector<LayerSpec>& layers, Shape shape, int workers) {
  const Model model({.name = "layers", .layers = layers}, shape, classes);
  std::vector<float> all(model.parameter_count()), expected(all.size());
  Stream start = stream(1, "test", "weights"), noise = stream(5, "test", "dropout");
  model.initialize(all, start);
  const data::Batch batch = batch_of(shape, 12);
  const auto workspace = make_workspace();
  model.gradient(all, batch, noise, expected, *workspace);

  const VerticalSplit split(model, workers);
  Workers together{split, shape, workers};
  together.forward(batch, all);
  together.backward(batch);
  std::vector<float> assembled(all.size());
  double share = 0;
  for (int w = 0; w < workers; ++w) {
    const auto& held = split.held(w);
    for (std::size_t i = 0; i < held.size(); ++i) {
      assembled[held[i]] += together.gradients[static_cast<std::size_t>(w)][i];
    }
    for (std::size_t stage = 0; stage < split.stages(); ++stage) share += split.multiply_adds(w, stage);
  }
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(assembled[i]) - expected[i]));
    scale = std::max(scale, std::fabs(static_cast<double>(expected[i])));
  }
  CHECK(scale > 1e-3);
  CHECK(largest < 1e-6 * std::max(1.0, scale));
  CHECK(share == doctest::Approx(model.forward_multiply_adds()));
  return split.meetings().size();
}

std::vector<LayerSpec> ending_in_dense(std::vector<LayerSpec> layers) {
  layers.push_back(FlattenSpec{});
  layers.push_back(DenseSpec{.units = classes});
  return layers;
}

}  // namespace

TEST_CASE("a perceptron dealt over workers has the whole one's gradient and meets once per dense layer") {
  for (const int workers : {1, 2, 3, 4}) {
    const auto meetings = check_same_gradient(
        {FlattenSpec{}, DenseSpec{.units = 21}, ReluSpec{}, DenseSpec{.units = 13}, TanhSpec{}, DenseSpec{.units = 10}},
        {1, 9, 9}, workers);
    CHECK(meetings == 3);
  }
}

TEST_CASE("a convolutional network dealt over workers has the whole one's gradient") {
  for (const int workers : {2, 3}) {
    check_same_gradient(ending_in_dense({ConvSpec{.filters = 8, .kernel = 5}, ReluSpec{}, MaxPoolSpec{},
                                         ConvSpec{.filters = 16}, BatchNormSpec{}, ReluSpec{}, MaxPoolSpec{}}),
                        {3, 12, 12}, workers);
  }
}

TEST_CASE("masked layers are dealt with the weights that are there") {
  for (const Mask mask : {Mask::bibd, Mask::random}) {
    check_same_gradient({FlattenSpec{}, DenseSpec{.units = 20, .mask = mask, .bias = false}, ReluSpec{},
                         DenseSpec{.units = 18, .mask = mask}, ReluSpec{}, DenseSpec{.units = 10}},
                        {1, 9, 9}, 3);
    check_same_gradient(ending_in_dense({ConvSpec{.filters = 16}, ConvSpec{.filters = 12, .mask = mask}, ReluSpec{}}),
                        {1, 8, 8}, 4);
  }
}

TEST_CASE("grouped convolutions need no meeting when each worker has whole groups") {
  const auto with_groups = [](int groups, int workers) {
    return check_same_gradient(
        ending_in_dense({ConvSpec{.filters = 8}, ReluSpec{}, ConvSpec{.filters = 8, .groups = groups}, BatchNormSpec{},
                         ReluSpec{}, ConvSpec{.filters = 16, .groups = groups}, GlobalAveragePoolSpec{}}),
        {1, 8, 8}, workers);
  };
  CHECK(with_groups(4, 4) == 2);
  CHECK(with_groups(4, 2) == 2);
  CHECK(with_groups(8, 2) == 2);
  CHECK(with_groups(1, 4) == 4);
}

TEST_CASE("residual blocks meet at full convolutions and shortcuts alone") {
  const auto blocks = [](int groups, Shortcut shortcut, bool bottleneck, int workers) {
    const ResidualSpec same{.filters = 8, .shortcut = shortcut, .groups = groups};
    ResidualSpec wider{.filters = 16, .stride = 2, .bottleneck = bottleneck, .shortcut = shortcut};
    wider.groups = groups;
    return check_same_gradient(
        ending_in_dense({ConvSpec{.filters = 8}, BatchNormSpec{}, ReluSpec{}, same, wider, GlobalAveragePoolSpec{}}),
        {3, 8, 8}, workers);
  };
  // Two convolutions of each block, and before the output and after it.
  CHECK(blocks(1, Shortcut::projection, false, 4) == 6);
  // The shortcut that changes the shape; a worker that has whole groups needs no other.
  CHECK(blocks(4, Shortcut::projection, false, 4) == 3);
  CHECK(blocks(1, Shortcut::pad, false, 2) == 6);
  CHECK(blocks(4, Shortcut::pad, false, 2) == 3);
  blocks(1, Shortcut::projection, true, 2);
}

TEST_CASE("dropout drops the same values at all workers as in the whole model") {
  check_same_gradient({FlattenSpec{}, DropoutSpec{.rate = 0.2}, DenseSpec{.units = 24}, ReluSpec{},
                       DropoutSpec{.rate = 0.5}, DenseSpec{.units = 10}},
                      {1, 8, 8}, 3);
}

TEST_CASE("a layer with fewer units than workers cannot be dealt") {
  const Model model({.name = "layers", .layers = {FlattenSpec{}, DenseSpec{.units = 10}}}, {1, 8, 8}, classes);
  CHECK_THROWS_WITH_AS(VerticalSplit(model, 11),
                       "$.algorithm.name: the model's dense layer 2 has 10 channels to deal over 11 workers; "
                       "expected at least one for each",
                       InputError);
}

}  // namespace ddl::split::vertical_split_test
