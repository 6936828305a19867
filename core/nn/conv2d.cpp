#include "core/nn/conv2d.hpp"

#include <algorithm>
#include <cstring>

#include "core/nn/affine.hpp"
#include "core/nn/gemm.hpp"
#include "core/nn/lanes.hpp"

namespace ddl {
namespace {

// Half of the second-level cache of common CPUs; the products' own copies want the rest.
constexpr std::size_t kPieceFloats = 512 * 1024 / sizeof(float);

// Copies whole blocks: what lies beyond `count` is overwritten by the next run, or is a buffer's slack.
inline void copy_run(const float* from, std::size_t count, float* to) {
  Eight::Values block;
  for (std::size_t i = 0; i < count; i += kLanes) {
    Eight::load(from + i, block);
    Eight::store(block, to + i);
  }
}

Shape convolved(Shape input, const ConvSpec& spec) {
  const int cut = spec.same ? 0 : spec.kernel - 1;
  return {spec.filters, input.height - cut, input.width - cut};
}

}  // namespace

Conv2d::Conv2d(Shape input, const ConvSpec& spec, bool relu)
    : Layer(input, convolved(input, spec)),
      channels_(static_cast<std::size_t>(input.channels)),
      kernel_(static_cast<std::size_t>(spec.kernel)),
      filters_(static_cast<std::size_t>(spec.filters)),
      pad_(spec.same ? (kernel_ - 1) / 2 : 0),
      padded_width_((static_cast<std::size_t>(output().width) + kernel_ - 1) * channels_),
      padded_size_((static_cast<std::size_t>(output().height) + kernel_ - 1) * padded_width_),
      pixels_(static_cast<std::size_t>(output().height) * static_cast<std::size_t>(output().width)),
      window_(kernel_ * kernel_ * channels_),
      piece_(static_cast<int>(std::max<std::size_t>(1, kPieceFloats / (pixels_ * window_)))),
      init_(spec.init),
      relu_(relu) {}

std::vector<LayerTensor> Conv2d::tensors() const {
  return {{"weight", window_ * filters_, window_}, {"bias", filters_, filters_}};
}

double Conv2d::multiply_adds() const {
  return static_cast<double>(pixels_) * static_cast<double>(window_) * static_cast<double>(filters_);
}

void Conv2d::initialize(std::span<float> parameters, Stream& random) const {
  initialize_affine(init_, window_, filters_, parameters, random);
}

Conv2d::Scratch Conv2d::divide(Buffer& scratch, int batch) const {
  const auto images = static_cast<std::size_t>(std::min(piece_, batch));
  const std::size_t windows = images * pixels_ * window_;
  // Slack between the parts, because runs are copied in whole blocks.
  float* const start = scratch.room(filters_ + padded_size_ + windows + 2 * Buffer::kSlack);
  float* const padded = start + filters_ + Buffer::kSlack;
  return {padded, padded + padded_size_ + Buffer::kSlack, start};
}

void Conv2d::unroll(const float* image, float* padded, float* windows) const {
  const auto height = static_cast<std::size_t>(output().height), width = static_cast<std::size_t>(output().width);
  const auto rows = static_cast<std::size_t>(input().height);
  const std::size_t row_size = static_cast<std::size_t>(input().width) * channels_;
  // The border is zero from before the first image on.
  for (std::size_t y = 0; y < rows; ++y) {
    std::memcpy(padded + (y + pad_) * padded_width_ + pad_ * channels_, image + y * row_size, row_size * sizeof(float));
  }
  const std::size_t kernel = kernel_, channels = channels_, stride = padded_width_, run = kernel * channels;
  for (std::size_t y = 0; y < height; ++y) {
    const float* corner = padded + y * stride;
    for (std::size_t x = 0; x < width; ++x, corner += channels) {
      const float* from = corner;
      if (run <= kLanes) {
        for (std::size_t ky = 0; ky < kernel; ++ky, from += stride, windows += run) copy_run(from, kLanes, windows);
      } else {
        for (std::size_t ky = 0; ky < kernel; ++ky, from += stride, windows += run) copy_run(from, run, windows);
      }
    }
  }
}

void Conv2d::add_back(const float* windows, float* padded, float* image) const {
  const auto height = static_cast<std::size_t>(output().height), width = static_cast<std::size_t>(output().width);
  const auto rows = static_cast<std::size_t>(input().height);
  const std::size_t row_size = static_cast<std::size_t>(input().width) * channels_;
  std::fill(padded, padded + padded_size_, 0.0f);
  const std::size_t run = kernel_ * channels_;
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      float* __restrict to = padded + y * padded_width_ + x * channels_;
      for (std::size_t ky = 0; ky < kernel_; ++ky, to += padded_width_, windows += run) {
        const float* __restrict from = windows;
        for (std::size_t i = 0; i < run; ++i) to[i] += from[i];
      }
    }
  }
  for (std::size_t y = 0; y < rows; ++y) {
    std::memcpy(image + y * row_size, padded + (y + pad_) * padded_width_ + pad_ * channels_, row_size * sizeof(float));
  }
}

void Conv2d::forward(const ForwardCall& call) const {
  const Scratch scratch = divide(call.scratch, call.batch);
  std::fill(scratch.padded, scratch.padded + padded_size_, 0.0f);
  const std::size_t image_size = input().size(), windows_size = pixels_ * window_;
  for (int first = 0; first < call.batch; first += piece_) {
    const int images = std::min(piece_, call.batch - first);
    const float* image = call.input + static_cast<std::size_t>(first) * image_size;
    for (int i = 0; i < images; ++i, image += image_size) {
      unroll(image, scratch.padded, scratch.windows + static_cast<std::size_t>(i) * windows_size);
    }
    const std::size_t rows = static_cast<std::size_t>(images) * pixels_;
    float* const output = call.output + static_cast<std::size_t>(first) * pixels_ * filters_;
    gemm({.rows = static_cast<int>(rows), .columns = static_cast<int>(filters_), .inner = static_cast<int>(window_)}, 1,
         scratch.windows, call.parameters, 0, output);
    add_bias(call.parameters + window_ * filters_, rows, filters_, relu_, output);
  }
}

void Conv2d::backward(const BackwardCall& call) const {
  const Scratch scratch = divide(call.scratch, call.batch);
  const int filters = static_cast<int>(filters_), window = static_cast<int>(window_);
  const std::size_t image_size = input().size(), windows_size = pixels_ * window_;
  float* const bias_gradient = call.parameter_gradient + window_ * filters_;
  std::fill(bias_gradient, bias_gradient + filters_, 0.0f);
  for (int first = 0; first < call.batch; first += piece_) {
    const int images = std::min(piece_, call.batch - first);
    const std::size_t rows = static_cast<std::size_t>(images) * pixels_;
    const std::size_t start = static_cast<std::size_t>(first) * pixels_ * filters_;
    float* const gradient = call.output_gradient + start;
    bias_backward(call.output + start, rows, filters_, relu_, gradient, bias_gradient, scratch.sums);

    std::fill(scratch.padded, scratch.padded + padded_size_, 0.0f);
    const float* image = call.input + static_cast<std::size_t>(first) * image_size;
    for (int i = 0; i < images; ++i, image += image_size) {
      unroll(image, scratch.padded, scratch.windows + static_cast<std::size_t>(i) * windows_size);
    }
    gemm({.a = Op::transposed, .rows = window, .columns = filters, .inner = static_cast<int>(rows)}, 1, scratch.windows,
         gradient, first == 0 ? 0.0f : 1.0f, call.parameter_gradient);
    if (call.input_gradient == nullptr) continue;

    gemm({.b = Op::transposed, .rows = static_cast<int>(rows), .columns = window, .inner = filters}, 1, gradient,
         call.parameters, 0, scratch.windows);
    float* image_gradient = call.input_gradient + static_cast<std::size_t>(first) * image_size;
    for (int i = 0; i < images; ++i, image_gradient += image_size) {
      add_back(scratch.windows + static_cast<std::size_t>(i) * windows_size, scratch.padded, image_gradient);
    }
  }
}

}  // namespace ddl
