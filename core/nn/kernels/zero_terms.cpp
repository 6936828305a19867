#include "core/nn/kernels/zero_terms.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "core/nn/kernels/lanes.hpp"

namespace ddl::nn {
namespace {

constexpr std::size_t kKernelSide = Sliding::kernel;
constexpr std::size_t kWord = 64;

std::size_t words_of(std::size_t channels) { return (channels + kWord - 1) / kWord; }

bool is_zero(const float* values, std::size_t count) {
  return std::all_of(values, values + count, [](float value) { return value == 0; });
}

using Lanes = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
constexpr Lanes first_bits = {1, 2, 4, 8, 16, 32, 64, 128};

// Sets a bit for each nonzero value (in whole vectors of values).
void gather_bits(const float* values, std::size_t count, std::uint64_t* words) {
  std::fill_n(words, words_of(count), 0);
  constexpr std::size_t half = kWord / 2;
  for (std::size_t first = 0; first < count; first += half) {
    Lanes bits{};
    for (std::size_t i = 0; i < std::min(half, count - first); i += kLanes) {
      Eight::Values value;
      Eight::load(values + first + i, value);
      bits |= reinterpret_cast<Lanes>(value != Eight::Values{}) & (first_bits << static_cast<std::uint32_t>(i));
    }
    std::uint32_t all = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) all |= bits[lane];
    words[first / kWord] |= std::uint64_t{all} << (first % kWord);
  }
}

bool none(const std::vector<std::uint64_t>& words) {
  return std::ranges::all_of(words, [](std::uint64_t word) { return word == 0; });
}

// A bit for each of `count`.
std::vector<std::uint64_t> all_of(std::size_t count) {
  std::vector<std::uint64_t> words(words_of(count), ~std::uint64_t{0});
  if (count % kWord != 0) words.back() >>= kWord - count % kWord;
  return words;
}

}  // namespace

void set_empty_windows(const Sliding& sliding, const float* images, std::size_t count, const float* bias, bool relu,
                       float* outputs) {
  const Plane &in = sliding.input, &out = sliding.output;
  std::vector<std::uint8_t> empty(in.height * in.width);
  for (std::size_t image = 0; image < count; ++image) {
    const float* const from = images + image * in.size();
    bool any = false;
    for (std::size_t i = 0; i < empty.size(); ++i) any |= (empty[i] = is_zero(from + i * in.values, in.values)) != 0;
    if (!any) continue;
    const auto is_empty = [&](std::size_t y, std::size_t x) {
      // Beside the image everything is zero; negative values have wrapped round to huge ones.
      return y >= in.height || x >= in.width || empty[y * in.width + x] != 0;
    };
    for (std::size_t p = 0; p < out.height * out.width; ++p) {
      const std::size_t top = p / out.width - sliding.above, left = p % out.width - sliding.above;
      bool all = true;
      for (std::size_t k = 0; all && k < kKernelSide * kKernelSide; ++k)
        all = is_empty(top + k / kKernelSide, left + k % kKernelSide);
      if (!all) continue;
      float* const to = outputs + image * out.size() + p * out.values;
      for (std::size_t c = 0; c < out.values; ++c) {
        const float start = bias == nullptr ? 0 : bias[c];
        to[c] = relu && !(start > 0) ? 0 : start;
      }
    }
  }
}

UnmetWeights::UnmetWeights(const Sliding& sliding)
    : sliding_(sliding),
      in_words_(words_of(sliding.input.values)),
      out_words_(words_of(sliding.output.values)),
      inputs_(sliding.input.height * sliding.input.width * in_words_),
      seen_(in_words_),
      open_(all_of(sliding.output.values)),
      met_(sliding.output.values * kTaps * in_words_),
      gradient_(out_words_) {}

void UnmetWeights::look(const float* inputs, const float* gradients, std::size_t count) {
  for (std::size_t image = 0; image < count && !done_; ++image) {
    look_at_image(inputs + image * sliding_.input.size(), gradients + image * sliding_.output.size());
  }
}

void UnmetWeights::look_at_image(const float* input, const float* gradient) {
  const Plane &in = sliding_.input, &out = sliding_.output;
  const Words before = seen_;
  for (std::size_t pixel = 0; pixel < in.height * in.width; ++pixel) {
    std::uint64_t* const words = inputs_.data() + pixel * in_words_;
    gather_bits(input + pixel * in.values, in.values, words);
    for (std::size_t i = 0; i < in_words_; ++i) seen_[i] |= words[i];
  }
  if (seen_ != before) open_ = all_of(out.values);
  if (none(open_)) {
    done_ = seen_ == all_of(in.values);
    return;
  }
  for (std::size_t pixel = 0; pixel < out.height * out.width; ++pixel) {
    gather_bits(gradient + pixel * out.values, out.values, gradient_.data());
    for (std::size_t i = 0; i < out_words_; ++i) {
      for (std::uint64_t left = gradient_[i] & open_[i]; left != 0; left &= left - 1) {
        meet(i * kWord + static_cast<std::size_t>(std::countr_zero(left)), pixel);
      }
    }
  }
  close();
}

// Pairs a nonzero output gradient with the inputs of its window.
void UnmetWeights::meet(std::size_t output, std::size_t pixel) {
  const Plane& in = sliding_.input;
  const std::size_t top = pixel / sliding_.output.width, left = pixel % sliding_.output.width;
  for (std::size_t tap = 0; tap < kTaps; ++tap) {
    const std::size_t y = top + tap / kKernelSide - sliding_.above, x = left + tap % kKernelSide - sliding_.above;
    if (y >= in.height || x >= in.width) continue;
    const std::uint64_t* const from = inputs_.data() + (y * in.width + x) * in_words_;
    std::uint64_t* const to = met(output, tap);
    for (std::size_t i = 0; i < in_words_; ++i) to[i] |= from[i];
  }
}

void UnmetWeights::close() {
  for (std::size_t output = 0; output < sliding_.output.values; ++output) {
    bool all = true;
    for (std::size_t tap = 0; all && tap < kTaps; ++tap)
      all = std::ranges::equal(seen_, std::span(met(output, tap), in_words_));
    if (all) open_[output / kWord] &= ~(std::uint64_t{1} << output % kWord);
  }
  done_ = none(open_) && seen_ == all_of(sliding_.input.values);
}

void UnmetWeights::clear(float* weight_gradient) const {
  if (done_) return;
  const std::size_t inputs = sliding_.input.values, outputs = sliding_.output.values;
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      const std::uint64_t* const words = met_.data() + (output * kTaps + tap) * in_words_;
      for (std::size_t input = 0; input < inputs; ++input) {
        if ((words[input / kWord] >> input % kWord & 1) == 0)
          weight_gradient[(tap * inputs + input) * outputs + output] = 0;
      }
    }
  }
}

}  // namespace ddl::nn
