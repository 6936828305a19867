// Arrays in NumPy's format .npy (versions 1 to 3).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ddl::data {

enum class NpyType { uint8, int32, int64, float32, float64 };

// What an array's header says.
struct NpyHeader {
  NpyType type = NpyType::uint8;
  std::vector<std::uint64_t> axes;
  std::size_t bytes = 0;  // of the header: values follow

  std::size_t bytes_of_value() const;
  // Axes multiplied; what does not fit any memory has been refused.
  std::uint64_t count() const;
};

// The most bytes of a header that are read.
constexpr std::size_t longest_npy_header = 1 << 16;

// `bytes`: the array's first ones, longest_npy_header or all. Throws InputError that starts with `name`: what is no
// array, or has other values than numbers of the types above, little-endian, in C's order.
NpyHeader npy_header(std::span<const std::uint8_t> bytes, const std::string& name);

// Value number i of those behind a header.
double npy_value(const NpyHeader& header, std::span<const std::uint8_t> values, std::size_t i);

}  // namespace ddl::data
