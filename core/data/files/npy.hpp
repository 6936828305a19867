// Arrays in NumPy's format .npy (versions 1 to 3).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ddl::data {

// b: truth values; i and u: signed and unsigned integers; f: floating-point numbers.
struct NpyType {
  char kind = 'u';
  std::size_t bytes = 1;
  bool big_endian = false;

  bool is_byte() const { return kind == 'u' && bytes == 1; }
};

// The contents of an array's header.
struct NpyHeader {
  NpyType type;
  bool fortran_order = false;  // the first axis is the fastest, instead of the last
  std::vector<std::uint64_t> axes;
  std::size_t bytes = 0;  // length of the header; values follow

  // Product of the axes; impossible sizes have been refused.
  std::uint64_t count() const;
};

// Limit of a header's length.
constexpr std::size_t longest_npy_header = 1 << 16;

// `bytes`: the array's first ones, longest_npy_header or all. Throws InputError that begins with `name`, unless it is
// an array of truth values, integers of 1 to 8 bytes, or floats of 2 to 8.
NpyHeader npy_header(std::span<const std::uint8_t> bytes, const std::string& name);

// `values`, the bytes behind a header, in C order: the last axis is the fastest.
std::vector<std::uint8_t> in_c_order(const NpyHeader& header, std::span<const std::uint8_t> values);

// The i-th value behind a header.
double npy_value(const NpyHeader& header, std::span<const std::uint8_t> values, std::size_t i);

}  // namespace ddl::data
