#include "core/nn/layers/conv/conv2d.hpp"

#include <algorithm>
#include <cstring>

#include "core/nn/kernels/gemm.hpp"
#include "core/nn/kernels/tile.hpp"
#include "core/nn/layers/affine.hpp"

namespace ddl::nn {
namespace {

// Number of outputs whose share of the weights' gradient is summed at a time, so that they stay in the first-level
// cache. It fixes the order of sums, so every result depends on it.
constexpr std::size_t kPixels = 128;

Shape convolved(Shape input, const ConvSpec& spec) {
  const int cut = spec.same ? 0 : spec.kernel - 1;
  return {spec.filters, (input.height - cut - 1) / spec.stride + 1, (input.width - cut - 1) / spec.stride + 1};
}

// Parts of scratch memory begin at cache lines, because vectors are read from them.
std::size_t rounded(std::size_t floats) { return (floats + 15) / 16 * 16; }

// Panels of `columns` columns, each padded to whole vectors.
std::size_t panel_floats(std::size_t terms, std::size_t columns) {
  const TileSet& set = tile_set_for(columns);
  return terms * ((columns / set.columns) * set.columns + set.padded_columns(columns % set.columns));
}

}  // namespace

Conv2d::Conv2d(Shape input, const ConvSpec& spec, bool relu, MathMode mode)
    : Layer(input, convolved(input, spec)),
      spec_(spec),
      channels_(unsigned_of(input.channels)),
      kernel_(unsigned_of(spec.kernel)),
      filters_(unsigned_of(spec.filters)),
      stride_(unsigned_of(spec.stride)),
      bias_(spec.bias),
      init_(spec.init),
      relu_(relu),
      mode_(mode) {
  const std::size_t above = spec.same ? (kernel_ - 1) / 2 : 0, below = spec.same ? kernel_ - 1 - above : 0;
  image_ = {unsigned_of(input.height), unsigned_of(input.width), channels_, above, below};
  const std::size_t cut = kernel_ - 1 - above - below;
  gradient_ = {image_.height - cut, image_.width - cut, filters_, kernel_ - 1 - above, kernel_ - 1 - below};
  const ConvGeometry geometry{.from = {image_.height, image_.width, channels_},
                              .to = {unsigned_of(output().height), unsigned_of(output().width), filters_},
                              .kernel = kernel_,
                              .stride = stride_,
                              .above = above,
                              .bias = bias_,
                              .relu = relu_};
  if (mode == MathMode::native) {
    method_ = unrolled_convolution(geometry);
  } else if (stride_ == 1 && Winograd::suits(kernel_, geometry.from, geometry.to)) {
    method_ = transformed_convolution(geometry);
  }
}

std::vector<LayerTensor> Conv2d::tensors() const {
  const std::size_t window = kernel_ * kernel_ * channels_;
  std::vector<LayerTensor> tensors = {{"weight", window * filters_, window, filters_}};
  if (bias_) tensors.push_back({"bias", filters_, filters_});
  return tensors;
}

std::vector<TorchTensor> Conv2d::torch_tensors(Shape) const {
  TorchTensor weight{"weight", {filters_, channels_, kernel_, kernel_}, {}};
  weight.sources.reserve(weight_count());
  for (std::size_t filter = 0; filter < filters_; ++filter) {
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      for (std::size_t pixel = 0; pixel < kernel_ * kernel_; ++pixel) {
        weight.sources.push_back(static_cast<std::uint32_t>((pixel * channels_ + channel) * filters_ + filter));
      }
    }
  }
  std::vector<TorchTensor> tensors = {std::move(weight)};
  if (bias_) tensors.push_back(torch_vector("bias", weight_count(), filters_));
  return tensors;
}

double Conv2d::multiply_adds() const {
  return static_cast<double>(output().size()) * static_cast<double>(kernel_ * kernel_ * channels_);
}

LayerShare Conv2d::share(std::span<const std::uint32_t> filters) const {
  ConvSpec spec = spec_;
  spec.filters = static_cast<int>(filters.size());
  return {std::make_unique<Conv2d>(input(), spec, relu_, mode_),
          affine_part(kernel_ * kernel_ * channels_, filters_, bias_, filters)};
}

void Conv2d::initialize(std::span<float> parameters, Stream& random) const {
  const std::size_t places = kernel_ * kernel_;
  initialize_affine(init_, {places * channels_, places * filters_, filters_}, parameters, random);
}

void Conv2d::pack(const float* weights, float* panels) const {
  const TileSet& set = tile_set_for(filters_);
  const std::size_t terms = kernel_ * kernel_ * channels_;
  for (std::size_t column = 0; column < filters_; column += set.columns) {
    const std::size_t columns = std::min(set.columns, filters_ - column), width = set.padded_columns(columns);
    copy_columns(weights + column, filters_, terms, columns, width, panels);
    panels += terms * width;
  }
}

void Conv2d::pack_turned(const float* weights, float* panels) const {
  const TileSet& set = tile_set_for(channels_);
  const std::size_t places = kernel_ * kernel_;
  for (std::size_t column = 0; column < channels_; column += set.columns) {
    const std::size_t columns = std::min(set.columns, channels_ - column), width = set.padded_columns(columns);
    for (std::size_t place = places; place-- > 0; panels += filters_ * width) {
      transpose_columns(weights + (place * channels_ + column) * filters_, filters_, filters_, columns, width, panels);
    }
  }
}

void Conv2d::slide(const Slide& job) const {
  const TileSet& set = tile_set_for(job.columns);
  const std::size_t run = kernel_ * job.values, terms = kernel_ * run;
  PanelCall call;
  call.rows = job.width;
  call.a_row = job.step * job.values;
  call.c_row = job.columns;
  call.relu = job.relu;
  call.b = job.panels;
  for (std::size_t column = 0; column < job.columns; column += set.columns) {
    call.columns = std::min(set.columns, job.columns - column);
    const std::size_t width = set.padded_columns(call.columns);
    call.terms = {.outer = kernel_, .inner = run, .a_outer = job.frame_row, .b_outer = run * width, .b_inner = width};
    call.bias = job.bias == nullptr ? nullptr : job.bias + column;
    for (std::size_t y = 0; y < job.height; ++y) {
      call.a = job.framed + y * job.step * job.frame_row;
      call.c = job.result + y * job.width * job.columns + column;
      set.panel(call);
    }
    call.b += terms * width;
  }
}

void Conv2d::forward(const ForwardCall& call) const {
  if (method_) return method_->forward(call);
  float* const framed = call.scratch.room(rounded(image_.size()) + panel_floats(weight_count() / filters_, filters_));
  float* const panels = framed + rounded(image_.size());
  std::fill(framed, panels, 0.0f);
  pack(call.parameters, panels);
  const std::size_t row = image_.width * channels_;
  for (int i = 0; i < call.batch; ++i) {
    const float* const image = call.input + unsigned_of(i) * input().size();
    for (std::size_t y = 0; y < image_.height; ++y) {
      std::memcpy(framed + image_.first() + y * image_.row(), image + y * row, row * sizeof(float));
    }
    slide({framed, image_.row(), channels_, stride_, panels, unsigned_of(output().height), unsigned_of(output().width),
           filters_, bias_of(call.parameters), relu_, call.output + unsigned_of(i) * output().size()});
  }
}

// A row of the output's gradient, its pixels `stride` apart.
void Conv2d::place_row(const float* from, float* to) const {
  const std::size_t width = unsigned_of(output().width);
  if (stride_ == 1) {
    std::memcpy(to, from, width * filters_ * sizeof(float));
    return;
  }
  for (std::size_t x = 0; x < width; ++x) {
    std::memcpy(to + x * stride_ * filters_, from + x * filters_, filters_ * sizeof(float));
  }
}

// The terms of a weight's gradient are the outputs of a piece of the image, row by row.
void Conv2d::add_weight_gradient(const float* image, const float* gradient, bool first, float* result) const {
  const TileSet& set = tile_set_for(filters_);
  const std::size_t height = unsigned_of(output().height), width = unsigned_of(output().width);
  const std::size_t piece = std::max<std::size_t>(1, kPixels / width), run = kernel_ * channels_;
  PanelCall call;
  call.rows = run;
  call.c_row = filters_;
  for (std::size_t y = 0; y < height; y += piece) {
    call.add = !first || y > 0;
    call.terms = {.outer = std::min(piece, height - y),
                  .inner = width,
                  .a_outer = stride_ * image_.row(),
                  .a_inner = stride_ * channels_,
                  .b_outer = stride_ * gradient_.row(),
                  .b_inner = stride_ * filters_};
    for (std::size_t column = 0; column < filters_; column += set.columns) {
      call.columns = std::min(set.columns, filters_ - column);
      call.b = gradient + gradient_.first() + y * stride_ * gradient_.row() + column;
      for (std::size_t ky = 0; ky < kernel_; ++ky) {
        call.a = image + (y * stride_ + ky) * image_.row();
        call.c = result + ky * run * filters_ + column;
        set.panel(call);
      }
    }
  }
}

void Conv2d::backward(const BackwardCall& call) const {
  if (method_) return method_->backward(call);
  const bool inputs = call.input_gradient != nullptr;
  // Panels read whole vectors of the gradient, beyond its end if need be; that memory belongs to the next part.
  const std::size_t turned = inputs ? panel_floats(kernel_ * kernel_ * filters_, channels_) : 0;
  const std::size_t frames = rounded(gradient_.size()) + rounded(image_.size());
  float* const gradient = call.scratch.room(frames + turned + 2 * filters_ + Buffer::kSlack);
  float* const image = gradient + rounded(gradient_.size());
  float* const panels = gradient + frames;
  float* const sums = panels + turned;
  std::fill(gradient, panels, 0.0f);
  if (inputs) pack_turned(call.parameters, panels);
  float* const bias_gradient = bias_ ? call.parameter_gradient + weight_count() : sums + filters_;
  std::fill(bias_gradient, bias_gradient + filters_, 0.0f);

  const std::size_t height = unsigned_of(output().height), pixels = height * unsigned_of(output().width);
  const std::size_t image_row = image_.width * channels_, gradient_row = unsigned_of(output().width) * filters_;
  for (int i = 0; i < call.batch; ++i) {
    const float* const from = call.input + unsigned_of(i) * input().size();
    float* const of_output = call.output_gradient + unsigned_of(i) * output().size();
    bias_backward(call.output + unsigned_of(i) * output().size(), pixels, filters_, relu_, of_output, bias_gradient,
                  sums);
    for (std::size_t y = 0; y < height; ++y) {
      place_row(of_output + y * gradient_row, gradient + gradient_.first() + y * stride_ * gradient_.row());
    }
    for (std::size_t y = 0; y < image_.height; ++y) {
      std::memcpy(image + image_.first() + y * image_.row(), from + y * image_row, image_row * sizeof(float));
    }
    add_weight_gradient(image, gradient, i == 0, call.parameter_gradient);
    if (!inputs) continue;
    slide({gradient, gradient_.row(), filters_, 1, panels, image_.height, image_.width, channels_, nullptr, false,
           call.input_gradient + unsigned_of(i) * input().size()});
  }
}

}  // namespace ddl::nn
