#include "core/nn/math_mode.hpp"

#include "core/nn/kernels/blas.hpp"
#include "core/nn/kernels/tile.hpp"

namespace ddl::nn {

MathMode math_that_runs(MathMode asked) {
  if (asked != MathMode::automatic) return asked;
  const bool plain_only = tile_sets().size() == 1;  // a term at a time
  return plain_only ? MathMode::native : MathMode::portable;
}

std::string math_kernels(MathMode asked) {
  return math_that_runs(asked) == MathMode::native ? blas_kernels() : tile_sets().front().name;
}

}  // namespace ddl::nn
