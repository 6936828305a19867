// The library that computes matrix products: a setting of a scenario.
#pragma once

#include <string>

#include "core/base/fields.hpp"

namespace ddl::nn {

enum class MathMode {
  automatic,  // portable if there are kernels for the CPU (see tile_sets()), else native
  portable,   // our own kernels: the same bits on every machine
  native      // OpenBLAS for all products of dense and convolutional layers; its order of sums depends on the CPU
};
constexpr auto enum_names(MathMode) { return in_order<MathMode>("auto", "portable", "native"); }

struct MathSpec {
  MathMode mode = MathMode::automatic;
};

template <class Visitor>
void fields(Visitor& visit, MathSpec& spec) {
  visit("mode", spec.mode,
        Rule{.doc = "portable: the same bits on every machine; native: products by OpenBLAS, whose bits depend on the "
                    "CPU; auto: portable where there are kernels for the CPU (x86 with AVX2 or AVX-512)"});
}

// Portable or native.
MathMode math_that_runs(MathMode asked);

// The kernels used in that mode on this CPU: "AVX-512", "OpenBLAS 0.3.21 Cooperlake".
std::string math_kernels(MathMode asked);

}  // namespace ddl::nn
