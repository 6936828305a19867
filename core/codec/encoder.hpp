// Lossy codecs of gradients. An Encoder is the sender's end of one stream of vectors; the simulator sends the vector
// that a receiver would decode, with the size of its encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/codec/codec_params.hpp"

namespace ddl::codec {

// See codec_params.hpp.
bool is_random(const CodecParams& codec);
bool has_fixed_size(const CodecParams& codec);

// Bits of an encoded vector of these sections, or, if the size depends on values, a lower bound. `sections` are the
// lengths of the tensors, or pieces of tensors, that lie one after the other in it.
std::uint64_t encoded_bits(const CodecParams& codec, std::span<const std::size_t> sections);

// Sets values below the mean magnitude (or mean value) to zero; returns the number of remaining ones.
enum class MeanOf { magnitudes, values };
std::size_t drop_below_mean(std::span<float> values, MeanOf mean_of);

// Sets all but `count` values to zero: keeps the largest (the first of equal magnitudes; NaN counts as largest), or a
// random choice, all choices equally likely.
void keep_largest(std::span<float> values, std::size_t count);
void keep_random(std::span<float> values, std::size_t count, Stream& random);

class Encoder {
 public:
  // `random` decides roundings and coordinates; a receiver that must make the same draws has the same stream.
  Encoder(const CodecParams& codec, std::vector<std::size_t> sections, Stream random);

  // Adds the residual of earlier calls (with error feedback), replaces the values by the receiver's decoded ones, and
  // returns the encoding's bits. Invariant: values + residual() after = values + residual() before. Without values
  // (timing only) it only returns the size.
  std::uint64_t encode(std::span<float> values);

  // Not yet sent; empty before the first call or without error feedback.
  std::span<const float> residual() const { return residual_; }

 private:
  const CodecParams codec_;
  const std::vector<std::size_t> sections_;
  Stream random_;
  std::vector<float> residual_;
};

}  // namespace ddl::codec
