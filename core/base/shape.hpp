#pragma once

#include <cstddef>
#include <string>

namespace ddl {

// Extents and counts are int in specifications and std::size_t where memory is measured.
inline std::size_t unsigned_of(int value) { return static_cast<std::size_t>(value); }

// One sample's values: `channels` planes of height x width. A flat vector is {n, 1, 1}. In a data set and a Batch one
// plane follows the other; between layers the channels of a pixel lie together (see layer.hpp).
struct Shape {
  int channels = 1, height = 1, width = 1;
  std::size_t size() const { return unsigned_of(channels) * unsigned_of(height) * unsigned_of(width); }
  bool operator==(const Shape&) const = default;
};

inline Shape with_channels(Shape shape, std::size_t channels) {
  return {static_cast<int>(channels), shape.height, shape.width};
}

// A named slice of the vector: one weight matrix or one bias.
struct TensorInfo {
  std::string name;  // "conv1.weight"
  std::size_t offset = 0;
  std::size_t count = 0;
  std::size_t rows = 1;  // length of the first axis; `fine` partitions split along it
};

// A tensor of two or more dimensions in the vector: inputs x outputs, or a table's entries x values.
struct Matrix {
  std::size_t first = 0;  // where it begins
  std::size_t rows = 0, columns = 0;
  bool hidden = false;  // no table of vectors, and not in the last layer
  std::size_t end() const { return first + rows * columns; }
};

}  // namespace ddl
