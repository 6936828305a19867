#include "core/nn/layers/pooling.hpp"

#include <algorithm>

#include "core/nn/kernels/lanes.hpp"

namespace ddl::nn {
namespace {

// The geometry of one call; channels of a pixel are handled together.
struct Windows {
  std::size_t channels, row;  // values in a pixel; in a row of the input
  std::size_t size;

  // Calls visit(offset of the window's input, index of its output) for each window of an image, in order.
  template <class Visit>
  void each(Shape output, Visit visit) const {
    const auto height = static_cast<std::size_t>(output.height), width = static_cast<std::size_t>(output.width);
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) visit((y * row + x * channels) * size, (y * width + x) * channels);
    }
  }
};

// Both process as many channels at a time as Lanes holds.
template <class Lanes>
void largest(const Windows& w, const float* input, float* output) {
  typename Lanes::Values best, value;
  Lanes::load(input, best);
  for (std::size_t dy = 0; dy < w.size; ++dy) {
    for (std::size_t dx = 0; dx < w.size; ++dx) {
      Lanes::load(input + dy * w.row + dx * w.channels, value);
      best = best < value ? value : best;
    }
  }
  Lanes::store(best, output);
}

// The first value that equals the largest takes the gradient; later ones get nothing.
template <class Lanes>
void hand_back(const Windows& w, const float* input, const float* output, const float* output_gradient,
               float* input_gradient) {
  const typename Lanes::Values nothing{};
  typename Lanes::Values best, left, value;
  Lanes::load(output, best);
  Lanes::load(output_gradient, left);
  for (std::size_t dy = 0; dy < w.size; ++dy) {
    for (std::size_t dx = 0; dx < w.size; ++dx) {
      const std::size_t offset = dy * w.row + dx * w.channels;
      Lanes::load(input + offset, value);
      const auto hit = value == best;
      const typename Lanes::Values given = hit ? left : nothing;
      Lanes::store(given, input_gradient + offset);
      left = hit ? nothing : left;
    }
  }
}

}  // namespace

MaxPool::MaxPool(Shape input, const MaxPoolSpec& spec)
    : Layer(input, {input.channels, input.height / spec.size, input.width / spec.size}),
      size_(static_cast<std::size_t>(spec.size)) {}

void MaxPool::forward(const ForwardCall& call) const {
  const auto channels = static_cast<std::size_t>(input().channels);
  const Windows windows{channels, channels * static_cast<std::size_t>(input().width), size_};
  for (int i = 0; i < call.batch; ++i) {
    const float* const image = call.input + static_cast<std::size_t>(i) * input().size();
    float* const result = call.output + static_cast<std::size_t>(i) * output().size();
    windows.each(output(), [&](std::size_t from, std::size_t to) {
      std::size_t c = 0;
      for (; c + kLanes <= channels; c += kLanes) largest<Eight>(windows, image + from + c, result + to + c);
      for (; c < channels; ++c) largest<One>(windows, image + from + c, result + to + c);
    });
  }
}

void MaxPool::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const auto channels = static_cast<std::size_t>(input().channels);
  const Windows windows{channels, channels * static_cast<std::size_t>(input().width), size_};
  const auto size = static_cast<int>(size_);
  const bool covered = input().height % size == 0 && input().width % size == 0;
  for (int i = 0; i < call.batch; ++i) {
    const std::size_t in = static_cast<std::size_t>(i) * input().size();
    const std::size_t out = static_cast<std::size_t>(i) * output().size();
    float* const gradient = call.input_gradient + in;
    if (!covered) std::fill(gradient, gradient + input().size(), 0.0f);
    windows.each(output(), [&](std::size_t from, std::size_t to) {
      const std::size_t i_from = in + from, i_to = out + to;
      std::size_t c = 0;
      for (; c + kLanes <= channels; c += kLanes) {
        hand_back<Eight>(windows, call.input + i_from + c, call.output + i_to + c, call.output_gradient + i_to + c,
                         gradient + from + c);
      }
      for (; c < channels; ++c) {
        hand_back<One>(windows, call.input + i_from + c, call.output + i_to + c, call.output_gradient + i_to + c,
                       gradient + from + c);
      }
    });
  }
}

void GlobalAveragePool::forward(const ForwardCall& call) const {
  const float* from = call.input;
  float* mean = call.output;
  const float share = 1 / static_cast<float>(pixels());
  for (int i = 0; i < call.batch; ++i, mean += channels()) {
    std::fill(mean, mean + channels(), 0.0f);
    for (std::size_t pixel = 0; pixel < pixels(); ++pixel, from += channels()) {
      for (std::size_t c = 0; c < channels(); ++c) mean[c] += from[c];
    }
    for (std::size_t c = 0; c < channels(); ++c) mean[c] *= share;
  }
}

void GlobalAveragePool::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const float* of_mean = call.output_gradient;
  float* to = call.input_gradient;
  const float share = 1 / static_cast<float>(pixels());
  for (int i = 0; i < call.batch; ++i, of_mean += channels()) {
    for (std::size_t pixel = 0; pixel < pixels(); ++pixel, to += channels()) {
      for (std::size_t c = 0; c < channels(); ++c) to[c] = of_mean[c] * share;
    }
  }
}

}  // namespace ddl::nn
