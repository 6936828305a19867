// Which library computes matrix products: a setting of a scenario.
#pragma once

#include "core/base/fields.hpp"

namespace ddl::nn {

enum class MathMode {
  portable,  // our own kernels: the same bits on every machine
  native     // large products of dense layers by OpenBLAS, whose order of sums depends on the CPU
};
constexpr auto enum_names(MathMode) {
  return std::to_array<EnumName<MathMode>>({{MathMode::portable, "portable"}, {MathMode::native, "native"}});
}

struct MathSpec {
  MathMode mode = MathMode::portable;
};

template <class Visitor>
void fields(Visitor& visit, MathSpec& spec) {
  visit(
      "mode", spec.mode,
      Rule{.doc = "portable: the same bits on every machine; native: large products by OpenBLAS, whose bits depend on "
                  "the CPU"});
}

}  // namespace ddl::nn
