#include "core/nn/build.hpp"

#include <string>
#include <utility>

#include "core/nn/conv2d.hpp"
#include "core/nn/dense.hpp"
#include "core/nn/dropout.hpp"
#include "core/nn/flatten.hpp"
#include "core/nn/mask.hpp"
#include "core/nn/masked.hpp"
#include "core/nn/max_pool.hpp"
#include "core/nn/model.hpp"
#include "core/nn/relu.hpp"
#include "core/nn/tanh.hpp"

namespace ddl {
namespace {

constexpr double kLargest = 2147483647;  // matrix libraries count in 32 bits
constexpr double kLargestMasked = 1e8;   // what is there is listed, and drawn from a table of all

std::string text(Shape shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" + std::to_string(shape.width);
}

// Makes one layer, or throws. Products are formed in double so that none can overflow before it is looked at.
struct Maker {
  std::size_t index;
  Shape input;
  bool relu_follows;
  MathMode mode;

  [[noreturn]] void fail(const std::string& what) const { throw ModelError(index, what); }

  void demand_at_least_one(int value, const char* what) const {
    if (value < 1) fail(std::string(what) + " must be at least 1, not " + std::to_string(value));
  }
  void demand_countable(double count, const char* what) const {
    if (count > kLargest) fail(std::string("too large: ") + what + " would exceed 2^31 - 1");
  }

  // Around a layer with weights places x inputs x outputs. The random mask is part of the model, drawn by its place in
  // it.
  std::unique_ptr<Layer> masked(Mask mask, std::size_t places, std::size_t inputs, std::size_t outputs,
                                std::unique_ptr<Layer> whole) const {
    if (mask == Mask::none) return whole;
    if (static_cast<double>(places) * static_cast<double>(inputs) * static_cast<double>(outputs) > kLargestMasked) {
      fail("too large: a mask can choose among 100 million weights at most");
    }
    Stream random = stream(0, "layer " + std::to_string(index), "mask");
    const Connections connections = make_connections(mask, inputs, outputs, random);
    return std::make_unique<Masked>(std::move(whole), weight_positions(connections, places, inputs));
  }

  std::unique_ptr<Layer> operator()(const DenseSpec& spec) const {
    demand_at_least_one(spec.units, "units");
    demand_countable((static_cast<double>(input.size()) + 1) * spec.units, "its parameters");
    return masked(spec.mask, 1, input.size(), static_cast<std::size_t>(spec.units),
                  std::make_unique<Dense>(input, spec, relu_follows, mode));
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
    return masked(spec.mask, static_cast<std::size_t>(k) * static_cast<std::size_t>(k),
                  static_cast<std::size_t>(input.channels), static_cast<std::size_t>(spec.filters),
                  std::make_unique<Conv2d>(input, spec, relu_follows));
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

  std::unique_ptr<Layer> operator()(const ReluSpec&) const { return std::make_unique<Relu>(input); }
  std::unique_ptr<Layer> operator()(const TanhSpec&) const { return std::make_unique<Tanh>(input); }
  std::unique_ptr<Layer> operator()(const FlattenSpec&) const { return std::make_unique<Flatten>(input); }
};

bool takes_relu(const LayerSpec& spec) {
  return std::holds_alternative<DenseSpec>(spec) || std::holds_alternative<ConvSpec>(spec);
}

}  // namespace

std::vector<std::unique_ptr<Layer>> build_layers(std::span<const LayerSpec> specs, Shape input, int classes,
                                                 MathMode mode) {
  if (specs.empty()) throw ModelError(0, "the list of layers is empty");
  if (input.channels < 1 || input.height < 1 || input.width < 1 ||
      static_cast<double>(input.channels) * input.height * input.width > kLargest) {
    throw ModelError(0, "samples of " + text(input) + " cannot be read");
  }
  std::vector<std::unique_ptr<Layer>> layers;
  Shape shape = input;
  double parameters = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool relu_follows = i + 1 < specs.size() && std::holds_alternative<ReluSpec>(specs[i + 1]);
    layers.push_back(std::visit(Maker{i, shape, relu_follows, mode}, specs[i]));
    shape = layers.back()->output();
    parameters += static_cast<double>(layers.back()->parameter_count());
    if (parameters > kLargest) throw ModelError(i, "too large: the model's parameters would exceed 2^31 - 1");
    if (relu_follows && takes_relu(specs[i])) ++i;
  }
  const std::size_t last = specs.size() - 1;
  if (parameters == 0) throw ModelError(last, "a model needs a dense or conv layer to have something to learn");
  if (shape.size() != static_cast<std::size_t>(classes)) {
    throw ModelError(last, "the last layer gives " + std::to_string(shape.size()) + " values (" + text(shape) +
                               "), but the data have " + std::to_string(classes) + " classes");
  }
  return layers;
}

}  // namespace ddl
