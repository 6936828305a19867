// Each codec is a pair of functions: bits_of, the size of its encoding, and decode_into, which replaces a vector by the
// receiver's decoded one and returns the size. Sources are named at the settings.
#include "core/codec/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"

namespace ddl::codec {
namespace {

using Sections = std::span<const std::size_t>;
constexpr std::uint64_t bits_per_float = 32, bits_per_index = 32;

std::size_t length_of(Sections sections) { return std::accumulate(sections.begin(), sections.end(), std::size_t{0}); }

// At least one, because error feedback would otherwise never send anything.
std::size_t kept_of(double fraction, std::size_t count) {
  const double wanted = std::ceil(fraction * static_cast<double>(count) - 1e-9);
  return std::min(count, static_cast<std::size_t>(std::max(1.0, wanted)));
}

std::size_t buckets_of(std::size_t count, int bucket) {
  const auto size = static_cast<std::size_t>(bucket);
  return (count + size - 1) / size;
}

template <class Visit>
void for_each_bucket(std::span<float> values, int bucket, Visit visit) {
  const auto size = static_cast<std::size_t>(bucket);
  for (std::size_t begin = 0; begin < values.size(); begin += size) {
    visit(values.subspan(begin, std::min(size, values.size() - begin)));
  }
}

template <class Visit>
void for_each_section(std::span<float> values, Sections sections, Visit visit) {
  for (const std::size_t length : sections) {
    visit(values.first(length));
    values = values.subspan(length);
  }
}

// --- sizes ---

std::uint64_t bits_of(const NoCodecParams&, Sections sections) { return bits_per_float * length_of(sections); }
std::uint64_t bits_of(const TopKParams& codec, Sections sections) {
  return (bits_per_float + bits_per_index) * kept_of(codec.fraction, length_of(sections));
}
std::uint64_t bits_of(const RandomKParams& codec, Sections sections) {
  return bits_per_float * kept_of(codec.fraction, length_of(sections));
}
std::uint64_t bits_of(const QsgdParams& codec, Sections sections) {
  const std::size_t count = length_of(sections);
  return static_cast<std::uint64_t>(codec.bits) * count + bits_per_float * buckets_of(count, codec.bucket);
}
std::uint64_t bits_of(const SignParams& codec, Sections sections) {
  const std::size_t count = length_of(sections);
  return count + bits_per_float * (codec.bucket == 0 ? sections.size() : buckets_of(count, codec.bucket));
}
std::uint64_t bits_of(const E3m0Params& codec, Sections sections) {
  const std::size_t count = length_of(sections);
  return 4 * count + bits_per_float * buckets_of(count, codec.bucket);
}
std::uint64_t bits_of(const MeanThresholdParams&, Sections sections) { return length_of(sections); }  // the bitmap

// --- decoded values ---

std::uint64_t decode_into(const NoCodecParams& codec, std::span<float>, Sections sections, Stream&) {
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const TopKParams& codec, std::span<float> values, Sections sections, Stream&) {
  keep_largest(values, kept_of(codec.fraction, values.size()));
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const RandomKParams& codec, std::span<float> values, Sections sections, Stream& random) {
  const std::size_t kept = kept_of(codec.fraction, values.size());
  keep_random(values, kept, random);
  if (!codec.error_feedback) {
    for (float& value : values) value *= static_cast<float>(values.size()) / static_cast<float>(kept);
  }
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const QsgdParams& codec, std::span<float> values, Sections sections, Stream& random) {
  const double levels = (1 << (codec.bits - 1)) - 1;
  for_each_bucket(values, codec.bucket, [&](std::span<float> bucket) {
    double squares = 0;
    for (const float value : bucket) squares += static_cast<double>(value) * value;
    const double norm = static_cast<float>(std::sqrt(squares));  // rounded as sent
    for (float& value : bucket) {
      const double exact = norm > 0 ? std::min(1.0, std::fabs(value) / norm) * levels : 0;
      const double level = std::floor(exact) + (random.uniform() < exact - std::floor(exact) ? 1 : 0);
      value = static_cast<float>(std::copysign(norm * level / levels, value));
    }
  });
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const SignParams& codec, std::span<float> values, Sections sections, Stream&) {
  const auto to_signs = [](std::span<float> bucket) {
    double sum = 0;
    for (const float value : bucket) sum += std::fabs(value);
    const auto scale = static_cast<float>(sum / static_cast<double>(bucket.size()));
    for (float& value : bucket) value = std::copysign(scale, value);
  };
  if (codec.bucket == 0) {
    for_each_section(values, sections, to_signs);
  } else {
    for_each_bucket(values, codec.bucket, to_signs);
  }
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const E3m0Params& codec, std::span<float> values, Sections sections, Stream&) {
  constexpr int least_power = -6;
  for_each_bucket(values, codec.bucket, [&](std::span<float> bucket) {
    float scale = 0;
    for (const float value : bucket) scale = std::max(scale, std::fabs(value));
    for (float& value : bucket) {
      const float share = std::fabs(value) / scale;
      if (!std::isfinite(share)) continue;  // 0/0, and values that have diverged
      int power = 0;
      const float fraction = std::frexp(share, &power);  // share = fraction 2^power, fraction in [0.5, 1)
      if (fraction < 0.75f) --power;
      const bool rounds_to_zero = share < std::ldexp(0.5f, least_power);
      value = rounds_to_zero ? 0 : std::copysign(std::ldexp(scale, std::max(power, least_power)), value);
    }
  });
  return bits_of(codec, sections);
}

std::uint64_t decode_into(const MeanThresholdParams& codec, std::span<float> values, Sections sections, Stream&) {
  std::uint64_t kept = 0;
  for_each_section(values, sections,
                   [&](std::span<float> tensor) { kept += drop_below_mean(tensor, MeanOf::magnitudes); });
  return bits_of(codec, sections) + bits_per_float * kept;
}

template <class Codec>
bool feeds_back(const Codec& codec) {
  if constexpr (requires { codec.error_feedback; }) return codec.error_feedback;
  return false;
}

}  // namespace

bool is_random(const CodecParams& codec) {
  return std::visit([](const auto& chosen) { return chosen.is_random; }, codec);
}

bool has_fixed_size(const CodecParams& codec) {
  return std::visit([](const auto& chosen) { return chosen.has_fixed_size; }, codec);
}

std::uint64_t encoded_bits(const CodecParams& codec, Sections sections) {
  return std::visit([&](const auto& chosen) { return bits_of(chosen, sections); }, codec);
}

void keep_largest(std::span<float> values, std::size_t count) {
  if (count >= values.size()) return;
  const auto size = [&](std::size_t i) {
    return std::isnan(values[i]) ? std::numeric_limits<float>::infinity() : std::fabs(values[i]);
  };
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rest = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(order.begin(), rest, order.end(),
                   [&](std::size_t a, std::size_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  std::for_each(rest, order.end(), [&](std::size_t dropped) { values[dropped] = 0; });
}

// Knuth's selection sampling.
void keep_random(std::span<float> values, std::size_t count, Stream& random) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool chosen = random.uniform() * static_cast<double>(values.size() - i) < static_cast<double>(count);
    if (chosen) --count;
    values[i] = chosen ? values[i] : 0;
  }
}

std::size_t drop_below_mean(std::span<float> values, MeanOf mean_of) {
  const auto measure = [mean_of](float value) { return mean_of == MeanOf::magnitudes ? std::fabs(value) : value; };
  double sum = 0;
  for (const float value : values) sum += measure(value);
  const auto mean = static_cast<float>(sum / static_cast<double>(values.size()));
  std::size_t kept = values.size();
  for (float& value : values) {
    if (!(measure(value) < mean)) continue;
    value = 0;
    --kept;
  }
  return kept;
}

Encoder::Encoder(const CodecParams& codec, std::vector<std::size_t> sections, Stream random)
    : codec_(codec), sections_(std::move(sections)), random_(random) {}

std::uint64_t Encoder::encode(std::span<float> values) {
  if (values.empty()) return encoded_bits(codec_, sections_);
  check(values.size() == length_of(sections_), "vectors of the stream's length");
  const bool remember = std::visit([](const auto& codec) { return feeds_back(codec); }, codec_);
  if (remember) {
    residual_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) residual_[i] = values[i] += residual_[i];
  }
  const std::uint64_t bits =
      std::visit([&](const auto& codec) { return decode_into(codec, values, sections_, random_); }, codec_);
  for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= values[i];
  return bits;
}

}  // namespace ddl::codec
