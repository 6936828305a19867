#include "core/nn/kernels/zero_terms.hpp"

#include <algorithm>

namespace ddl::nn {
namespace {

constexpr std::size_t kTaps = Sliding::kernel;  // in a row
constexpr std::size_t kChunkOutputs = 32;       // outputs of a row in a word; their windows reach two inputs further
constexpr std::uint32_t kAllMet = (1u << kTaps * kTaps) - 1;

bool is_zero(const float* values, std::size_t count) {
  return std::all_of(values, values + count, [](float value) { return value == 0; });
}

// Bits of the values of columns [first, first + columns) of each row, column `first` lowest; columns outside the image
// have none. `row` is scratch for a word per channel.
void gather_bits(const float* image, const Plane& plane, std::ptrdiff_t first, std::size_t columns, std::size_t chunk,
                 std::size_t chunks, std::vector<std::uint64_t>& row, std::vector<std::uint64_t>& bits) {
  const auto width = static_cast<std::ptrdiff_t>(plane.width);
  const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(first, 0);
  const std::ptrdiff_t end = std::min(first + static_cast<std::ptrdiff_t>(columns), width);
  for (std::size_t y = 0; y < plane.height; ++y) {
    std::fill_n(row.begin(), plane.values, 0);
    std::uint64_t* const words = row.data();
    for (std::ptrdiff_t x = begin; x < end; ++x) {
      const float* const pixel = image + (y * plane.width + static_cast<std::size_t>(x)) * plane.values;
      const std::uint64_t bit = std::uint64_t{1} << (x - first);
      for (std::size_t c = 0; c < plane.values; ++c) words[c] |= pixel[c] != 0 ? bit : 0;
    }
    for (std::size_t c = 0; c < plane.values; ++c) bits[(c * plane.height + y) * chunks + chunk] = words[c];
  }
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
      for (std::size_t k = 0; all && k < kTaps * kTaps; ++k) all = is_empty(top + k / kTaps, left + k % kTaps);
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
      chunks_((sliding.output.width + kChunkOutputs - 1) / kChunkOutputs),
      inputs_(sliding.input.values * sliding.input.height * chunks_),
      gradients_(sliding.output.values * sliding.output.height * chunks_),
      row_(std::max(sliding.input.values, sliding.output.values)) {
  open_.reserve(sliding.input.values * sliding.output.values);
  for (std::size_t i = 0; i < sliding.input.values; ++i) {
    for (std::size_t o = 0; o < sliding.output.values; ++o) {
      open_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(o), 0});
    }
  }
}

void UnmetWeights::look(const float* inputs, const float* gradients, std::size_t count) {
  for (std::size_t image = 0; image < count && !open_.empty(); ++image) {
    look_at_image(inputs + image * sliding_.input.size(), gradients + image * sliding_.output.size());
  }
}

void UnmetWeights::look_at_image(const float* input, const float* gradient) {
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    const auto first = static_cast<std::ptrdiff_t>(chunk * kChunkOutputs);
    gather_bits(input, sliding_.input, first - static_cast<std::ptrdiff_t>(sliding_.above), kChunkOutputs + kTaps - 1,
                chunk, chunks_, row_, inputs_);
    gather_bits(gradient, sliding_.output, first, kChunkOutputs, chunk, chunks_, row_, gradients_);
  }
  for (Pair& pair : open_) pair.met |= met_by(pair);
  std::erase_if(open_, [](const Pair& pair) { return pair.met == kAllMet; });
}

std::uint32_t UnmetWeights::met_by(const Pair& pair) const {
  const std::size_t height = sliding_.input.height;
  const std::uint64_t* const inputs = inputs_.data() + pair.input * height * chunks_;
  const std::uint64_t* const gradients = gradients_.data() + pair.output * sliding_.output.height * chunks_;
  std::uint32_t met = pair.met;
  for (std::size_t y = 0; y < sliding_.output.height; ++y) {
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      const std::uint64_t of_output = gradients[y * chunks_ + chunk];
      if (of_output == 0) continue;
      for (std::size_t ky = 0; ky < kTaps; ++ky) {
        const std::size_t row = y + ky - sliding_.above;
        if (row >= height) continue;
        std::uint64_t of_input = inputs[row * chunks_ + chunk];
        for (std::size_t kx = 0; kx < kTaps; ++kx, of_input >>= 1) {
          met |= ((of_input & of_output) != 0 ? 1u : 0u) << (ky * kTaps + kx);
        }
      }
      if (met == kAllMet) return met;
    }
  }
  return met;
}

void UnmetWeights::clear(float* weight_gradient) const {
  const std::size_t inputs = sliding_.input.values, outputs = sliding_.output.values;
  for (const Pair& pair : open_) {
    for (std::size_t k = 0; k < kTaps * kTaps; ++k) {
      if ((pair.met >> k & 1) == 0) weight_gradient[(k * inputs + pair.input) * outputs + pair.output] = 0;
    }
  }
}

}  // namespace ddl::nn
