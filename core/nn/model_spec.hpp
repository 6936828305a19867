// Networks as settings: the named models and lists of layers of a scenario.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"

namespace ddl::nn {

// Initial weights of a dense or convolutional layer.
enum class Init {
  he,                // N(0, 2 / fan_in), biases 0 (He et al., 2015)
  he_out,            // N(0, 2 / fan_out), fan_out being the outputs that an input reaches: gradients keep their size
  uniform,           // weights and biases U(-1 / sqrt(fan_in), 1 / sqrt(fan_in)) (PyTorch's)
  truncated_normal,  // N(0, 0.1^2) cut at two deviations, biases 0.1 (TF.AKO)
  zero               // for the output layer: the first predictions are uniform
};
constexpr auto enum_names(Init) { return in_order<Init>("he", "he_out", "uniform", "truncated_normal", "zero"); }

// The existing weights between inputs and outputs; the others are always zero; see mask.hpp. A convolution's mask is
// between channels and filters, the same for all positions of the window.
enum class Mask {
  none,        // all
  bibd,        // lines of a plane over the integers modulo q, as published by IDDL: a block design for prime q only
  bibd_field,  // over a finite field: a block design for every prime power q
  random       // as many as bibd, anywhere
};
constexpr auto enum_names(Mask) { return in_order<Mask>("none", "bibd", "bibd_field", "random"); }

struct DenseSpec {
  static constexpr const char* tag = "dense";
  int units = 0;
  Init init = Init::he;
  Mask mask = Mask::none;
  bool bias = true;
  double deviation = 0;  // deviation of normal initial weights, in place of `init`; 0: as that says; no setting
};
struct ConvSpec {
  static constexpr const char* tag = "conv";
  int filters = 0;
  int kernel = 3;    // square
  bool same = true;  // zero padding keeps height and width; false: only whole windows
  Init init = Init::he;
  Mask mask = Mask::none;
  bool bias = true;
  int stride = 1;
  int groups = 1;  // each reads only its share of the channels; a mask is cut to its first channels
};
struct MaxPoolSpec {
  static constexpr const char* tag = "max_pool";
  int size = 2;  // window and stride
};
struct ReluSpec {
  static constexpr const char* tag = "relu";
};
struct TanhSpec {
  static constexpr const char* tag = "tanh";
};
struct FlattenSpec {
  static constexpr const char* tag = "flatten";
};
struct DropoutSpec {
  static constexpr const char* tag = "dropout";
  double rate = 0.5;  // share of values dropped in training; the others are scaled by 1 / (1 - rate)
};

struct BatchNormSpec {
  static constexpr const char* tag = "batch_norm";
};
struct GlobalAveragePoolSpec {
  static constexpr const char* tag = "global_average_pool";
};

// The shortcut of a residual block that changes the shape; in other blocks it is the input itself.
enum class Shortcut {
  projection,  // 1x1 convolution and batch normalisation
  pad          // no parameters: every stride-th pixel, zeros in the new channels
};
constexpr auto enum_names(Shortcut) { return in_order<Shortcut>("projection", "pad"); }

// conv 3x3, batch_norm, relu, conv 3x3, batch_norm; or, as a bottleneck, 1x1, 3x3 and 1x1 to four times the filters.
// Its sum with the shortcut goes through a relu.
struct ResidualSpec {
  static constexpr const char* tag = "residual";
  int filters = 0;
  int stride = 1;  // the first 3x3 convolution's
  bool bottleneck = false;
  Shortcut shortcut = Shortcut::projection;
  Mask mask = Mask::none;  // for the body's convolutions
  int groups = 1;          // for its 3x3 convolutions
  Init init = Init::he_out;
};

using LayerSpec = std::variant<DenseSpec, ConvSpec, MaxPoolSpec, ReluSpec, TanhSpec, FlattenSpec, DropoutSpec,
                               BatchNormSpec, GlobalAveragePoolSpec, ResidualSpec>;

// A language model; see gpt_layers().
struct GptSpec {
  static constexpr const char* name = "gpt";
  int layers = 4;
  int heads = 4;
  int width = 128;   // channels of the residual stream
  int context = 64;  // symbols of a sample
};

// A named model ("mlp", "resnet20", ...: see named_models()), "none" (timing only), "layers" with its own list, whose
// last layer must give one value per class, or "gpt" with its sizes.
struct ModelSpec {
  std::string name = "cnn";
  std::vector<LayerSpec> layers;
  GptSpec sizes = {};
  bool none() const { return name == "none"; }
};
// The sizes of a language model, also of a named one; none: the model is no gpt.
std::optional<GptSpec> gpt_of(const ModelSpec& spec);

template <class Visitor>
void fields(Visitor& visit, DenseSpec& spec) {
  visit("units", spec.units, Rule{.doc = "outputs", .at_least = 1, .at_most = 1e6});
  visit("init", spec.init, Rule{.doc = "initial weights"});
  visit("mask", spec.mask, Rule{.doc = "which weights exist; only these are sent"});
  visit("bias", spec.bias, Rule{.doc = "add a learned constant to each output"});
}
template <class Visitor>
void fields(Visitor& visit, GptSpec& spec) {
  visit("layers", spec.layers, Rule{.doc = "blocks of attention and perceptron", .at_least = 1, .at_most = 1000});
  visit("heads", spec.heads, Rule{.doc = "of attention; they divide the width", .at_least = 1, .at_most = 1024});
  visit("width", spec.width, Rule{.doc = "channels of a position", .at_least = 1, .at_most = 65536});
  visit("context", spec.context, Rule{.doc = "symbols of a sample", .at_least = 1, .at_most = 4096});
}
template <class Visitor>
void fields(Visitor& visit, ConvSpec& spec) {
  visit("filters", spec.filters, Rule{.doc = "output channels", .at_least = 1, .at_most = 65536});
  visit("kernel", spec.kernel, Rule{.doc = "height and width of the window", .at_least = 1, .at_most = 1024});
  visit("same", spec.same, Rule{.doc = "pad with zeros so that height and width stay"});
  visit("init", spec.init, Rule{.doc = "initial weights"});
  visit("mask", spec.mask, Rule{.doc = "which weights exist; only these are sent"});
  visit("bias", spec.bias, Rule{.doc = "add a learned constant to each output"});
  visit("stride", spec.stride, Rule{.doc = "from window to window", .at_least = 1, .at_most = 1024});
  visit("groups", spec.groups, Rule{.doc = "groups of channels", .at_least = 1, .at_most = 65536});
}
template <class Visitor>
void fields(Visitor& visit, MaxPoolSpec& spec) {
  visit("size", spec.size, Rule{.doc = "window and stride", .at_least = 1, .at_most = 1024});
}
template <class Visitor>
void fields(Visitor&, ReluSpec&) {}
template <class Visitor>
void fields(Visitor&, TanhSpec&) {}
template <class Visitor>
void fields(Visitor&, FlattenSpec&) {}
template <class Visitor>
void fields(Visitor& visit, DropoutSpec& spec) {
  visit("rate", spec.rate, Rule{.doc = "share of values dropped in training", .at_least = 0, .below = 1});
}
template <class Visitor>
void fields(Visitor&, BatchNormSpec&) {}
template <class Visitor>
void fields(Visitor&, GlobalAveragePoolSpec&) {}
template <class Visitor>
void fields(Visitor& visit, ResidualSpec& spec) {
  visit("filters", spec.filters, Rule{.doc = "channels of the convolutions", .at_least = 1, .at_most = 16384});
  visit("stride", spec.stride, Rule{.doc = "of the first 3x3 convolution", .at_least = 1, .at_most = 1024});
  visit("bottleneck", spec.bottleneck, Rule{.doc = "1x1, 3x3 and 1x1 to four times the filters"});
  visit("shortcut", spec.shortcut, Rule{.doc = "how a block that changes the shape is bypassed"});
  visit("mask", spec.mask, Rule{.doc = "which weights of the body exist; only these are sent"});
  visit("groups", spec.groups,
        Rule{.doc = "groups of channels of the 3x3 convolutions", .at_least = 1, .at_most = 65536});
  visit("init", spec.init, Rule{.doc = "initial weights"});
}

}  // namespace ddl::nn
