// How a flat parameter vector divides.
#pragma once

#include <cstddef>
#include <string>

namespace ddl {

// A named slice of the vector: one weight matrix or one bias.
struct TensorInfo {
  std::string name;  // "conv1.weight"
  std::size_t offset = 0;
  std::size_t count = 0;
  std::size_t rows = 1;  // length of the first axis; `fine` partitions split along it
};

}  // namespace ddl
