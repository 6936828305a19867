#include "core/nn/build.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/nn/layers/batch_norm.hpp"
#include "core/nn/layers/chain.hpp"
#include "core/nn/layers/conv/conv2d.hpp"
#include "core/nn/layers/dense.hpp"
#include "core/nn/layers/dropout.hpp"
#include "core/nn/layers/elementwise.hpp"
#include "core/nn/layers/grouped.hpp"
#include "core/nn/layers/mask.hpp"
#include "core/nn/layers/masked.hpp"
#include "core/nn/layers/pooling.hpp"
#include "core/nn/layers/residual.hpp"
#include "core/nn/model.hpp"

namespace ddl::nn {
namespace {

constexpr double kLargest = 2147483647;  // matrix libraries count in 32 bits
constexpr double kLargestMasked = 1e8;   // connections are listed, and drawn from a table of all
constexpr double kLargestMaskedOfAll = 4e8;
constexpr std::size_t kMostLayers = 10000;

std::string text(Shape shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" + std::to_string(shape.width);
}

bool takes_relu(const LayerSpec& spec) {
  return std::holds_alternative<DenseSpec>(spec) || std::holds_alternative<ConvSpec>(spec);
}

template <class MakerOf>
std::vector<std::unique_ptr<Layer>> make_layers(std::span<const LayerSpec> specs, Shape input, MakerOf maker_of);

// Makes one layer, or throws. Sizes are multiplied as doubles, so that none can overflow before it is checked.
struct Maker {
  std::size_t index;
  std::string place;  // position in the model; seeds random masks
  Shape input;
  bool relu_follows;
  MathMode mode;
  double* masked;  // sum, so far, of the weights that masks choose from

  [[noreturn]] void fail(const std::string& what) const { throw ModelError(index, what); }

  void demand_at_least_one(int value, const char* what) const {
    if (value < 1) fail(std::string(what) + " must be at least 1, not " + std::to_string(value));
  }
  void demand_countable(double count, const char* what) const {
    if (count > kLargest) fail(std::string("too large: ") + what + " would exceed 2^31 - 1");
  }

  // A random mask belongs to the model and does not depend on the run's seed, so that all replicas agree on which
  // weights exist.
  Connections connections(Mask mask, std::size_t places, std::size_t inputs, std::size_t outputs) const {
    const double weights = static_cast<double>(places) * static_cast<double>(inputs) * static_cast<double>(outputs);
    *masked += weights;
    if (weights > kLargestMasked) {
      fail("too large: a mask can choose among 100 million weights at most");
    }
    if (*masked > kLargestMaskedOfAll) {
      fail("too large: the masks of a model can choose among 400 million weights at most");
    }
    Stream random = stream(0, place, "mask");
    return make_connections(mask, inputs, outputs, random);
  }

  std::unique_ptr<Layer> operator()(const DenseSpec& spec) const {
    demand_at_least_one(spec.units, "units");
    demand_countable((static_cast<double>(input.size()) + 1) * spec.units, "its parameters");
    auto whole = std::make_unique<Dense>(input, spec, relu_follows, mode);
    if (spec.mask == Mask::none) return whole;
    const std::size_t inputs = input.size();
    return std::make_unique<Masked>(
        std::move(whole),
        weight_positions(connections(spec.mask, 1, inputs, static_cast<std::size_t>(spec.units)), 1, inputs));
  }

  std::unique_ptr<Layer> operator()(const ConvSpec& spec) const {
    demand_at_least_one(spec.filters, "filters");
    demand_at_least_one(spec.kernel, "kernel");
    demand_at_least_one(spec.stride, "stride");
    const int k = spec.kernel;
    if (!spec.same && (k > input.height || k > input.width)) {
      fail("a kernel of " + std::to_string(k) + "x" + std::to_string(k) + " does not fit into an image of " +
           text(input) + " without padding");
    }
    const double window = static_cast<double>(k) * k * input.channels;
    const double pixels = static_cast<double>(spec.same ? input.height : input.height - k + 1) *
                          (spec.same ? input.width : input.width - k + 1);
    demand_countable((window + 1) * spec.filters, "its parameters");
    demand_countable(pixels * spec.filters, "its outputs for one sample");
    demand_countable(pixels * window, "its unrolled windows of one sample");
    demand_countable((static_cast<double>(input.height) + k) * (static_cast<double>(input.width) + k) * input.channels,
                     "its padded image");
    demand_groups(spec.groups, input.channels, "channels");
    demand_groups(spec.groups, spec.filters, "filters");
    Connections all;
    const auto places = static_cast<std::size_t>(k) * static_cast<std::size_t>(k);
    if (spec.mask != Mask::none) {
      all = connections(spec.mask, places, static_cast<std::size_t>(input.channels),
                        static_cast<std::size_t>(spec.filters));
    }
    std::vector<std::unique_ptr<Layer>> groups;
    for (int group = 0; group < spec.groups; ++group) groups.push_back(make_group(spec, group, places, all));
    if (spec.groups == 1) return std::move(groups.front());
    return std::make_unique<Grouped>(std::move(groups));
  }

  void demand_groups(int groups, int count, const char* what) const {
    demand_at_least_one(groups, "groups");
    if (count % groups != 0) {
      fail(std::to_string(count) + " " + what + " do not fall into " + std::to_string(groups) + " groups of one size");
    }
  }

  // Each group's filters have rows of the mask of their own, but all groups use the mask's first columns, as published.
  std::unique_ptr<Layer> make_group(const ConvSpec& spec, int group, std::size_t places, const Connections& all) const {
    const Shape shape{input.channels / spec.groups, input.height, input.width};
    ConvSpec part = spec;
    part.filters = spec.filters / spec.groups;
    auto whole = std::make_unique<Conv2d>(shape, part, relu_follows, mode);
    if (spec.mask == Mask::none) return whole;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(group) * part.filters;
    Connections own(first, first + part.filters);
    const auto channels = static_cast<std::size_t>(shape.channels);
    for (auto& row : own) std::erase_if(row, [channels](std::uint32_t channel) { return channel >= channels; });
    return std::make_unique<Masked>(std::move(whole), weight_positions(own, places, channels));
  }

  std::unique_ptr<Layer> chain(const std::string& name, std::span<const LayerSpec> specs) const {
    return std::make_unique<Chain>(make_layers(specs, input, [&](std::size_t l) {
      return Maker{index, place + " " + name + " " + std::to_string(l), {}, false, mode, masked};
    }));
  }

  std::unique_ptr<Layer> operator()(const ResidualSpec& spec) const {
    demand_at_least_one(spec.filters, "filters");
    demand_at_least_one(spec.stride, "stride");
    const double filters = spec.filters * (spec.bottleneck ? 4.0 : 1.0);
    demand_countable(filters * input.height * input.width, "its outputs for one sample");
    const auto conv = [&](int count, int kernel, int stride, int groups) {
      return ConvSpec{.filters = count,
                      .kernel = kernel,
                      .init = spec.init,
                      .mask = spec.mask,
                      .bias = false,
                      .stride = stride,
                      .groups = groups};
    };
    const int n = spec.filters, outputs = static_cast<int>(filters);
    std::vector<LayerSpec> body;
    if (spec.bottleneck) {
      body = {conv(n, 1, 1, 1),
              BatchNormSpec{},
              ReluSpec{},
              conv(n, 3, spec.stride, spec.groups),
              BatchNormSpec{},
              ReluSpec{},
              conv(outputs, 1, 1, 1),
              BatchNormSpec{}};
    } else {
      body = {conv(n, 3, spec.stride, spec.groups), BatchNormSpec{}, ReluSpec{}, conv(n, 3, 1, spec.groups),
              BatchNormSpec{}};
    }
    std::unique_ptr<Layer> shortcut;
    if (spec.stride != 1 || outputs != input.channels) {
      if (spec.shortcut == Shortcut::projection) {
        ConvSpec projection = conv(outputs, 1, spec.stride, 1);
        projection.mask = Mask::none;
        shortcut = chain("shortcut", std::vector<LayerSpec>{projection, BatchNormSpec{}});
      } else if (outputs < input.channels) {
        fail("a padded shortcut cannot lead to fewer channels than there are (" + text(input) + ")");
      } else {
        shortcut = std::make_unique<PickChannels>(input, outputs, spec.stride);
      }
    }
    return std::make_unique<Residual>(chain("body", body), std::move(shortcut));
  }

  std::unique_ptr<Layer> operator()(const MaxPoolSpec& spec) const {
    demand_at_least_one(spec.size, "size");
    if (spec.size > input.height || spec.size > input.width) {
      fail("a window of " + std::to_string(spec.size) + "x" + std::to_string(spec.size) +
           " does not fit into an image of " + text(input) + ": pooling would leave nothing");
    }
    return std::make_unique<MaxPool>(input, spec);
  }

  std::unique_ptr<Layer> operator()(const DropoutSpec& spec) const {
    if (!(spec.rate >= 0 && spec.rate < 1)) fail("rate must be at least 0 and below 1");
    return std::make_unique<Dropout>(input, spec);
  }

  std::unique_ptr<Layer> operator()(const BatchNormSpec&) const { return std::make_unique<BatchNorm>(input); }
  std::unique_ptr<Layer> operator()(const GlobalAveragePoolSpec&) const {
    return std::make_unique<GlobalAveragePool>(input);
  }
  std::unique_ptr<Layer> operator()(const ReluSpec&) const { return std::make_unique<Relu>(input); }
  std::unique_ptr<Layer> operator()(const TanhSpec&) const { return std::make_unique<Tanh>(input); }
  std::unique_ptr<Layer> operator()(const FlattenSpec&) const { return std::make_unique<Flatten>(input); }
};

// Each layer's input is the output of the one before. `maker_of(l)` makes the layer of specs[l] once its input shape is
// known.
template <class MakerOf>
std::vector<std::unique_ptr<Layer>> make_layers(std::span<const LayerSpec> specs, Shape input, MakerOf maker_of) {
  std::vector<std::unique_ptr<Layer>> layers;
  double parameters = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    Maker maker = maker_of(i);
    maker.input = i == 0 ? input : layers.back()->output();
    maker.relu_follows = i + 1 < specs.size() && std::holds_alternative<ReluSpec>(specs[i + 1]);
    layers.push_back(std::visit(maker, specs[i]));
    parameters += static_cast<double>(layers.back()->parameter_count());
    if (parameters > kLargest) maker.fail("too large: the model's parameters would exceed 2^31 - 1");
    if (maker.relu_follows && takes_relu(specs[i])) ++i;
  }
  return layers;
}

}  // namespace

std::vector<std::unique_ptr<Layer>> build_layers(std::span<const LayerSpec> specs, Shape input, int classes,
                                                 MathMode mode) {
  if (specs.empty()) throw ModelError(0, "the list of layers is empty");
  if (input.channels < 1 || input.height < 1 || input.width < 1 ||
      static_cast<double>(input.channels) * input.height * input.width > kLargest) {
    throw ModelError(0, "samples of " + text(input) + " cannot be read");
  }
  if (specs.size() > kMostLayers) {
    throw ModelError(kMostLayers, "is one of " + std::to_string(specs.size()) + " layers; expected at most " +
                                      std::to_string(kMostLayers));
  }
  double masked = 0;
  auto layers = make_layers(
      specs, input, [&](std::size_t l) { return Maker{l, "layer " + std::to_string(l), {}, false, mode, &masked}; });
  const std::size_t last = specs.size() - 1;
  const Shape shape = layers.back()->output();
  if (std::ranges::all_of(layers, [](const auto& layer) { return layer->parameter_count() == 0; }))
    throw ModelError(last, "a model needs a dense or conv layer to have something to learn");
  if (shape.size() != static_cast<std::size_t>(classes)) {
    throw ModelError(last, "the last layer gives " + std::to_string(shape.size()) + " values (" + text(shape) +
                               "), but the data have " + std::to_string(classes) + " classes");
  }
  return layers;
}

}  // namespace ddl::nn
