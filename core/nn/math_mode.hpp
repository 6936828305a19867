// Whose matrix products: a setting of a scenario.
#pragma once

#include "core/base/fields.hpp"

namespace ddl {

enum class MathMode {
  portable,  // our own kernels: the same bits on every machine
  native     // large products of dense layers by OpenBLAS, in whose order of sums two kinds of CPU differ
};
template <>
inline constexpr EnumName<MathMode> enum_names<MathMode>[] = {{MathMode::portable, "portable"},
                                                              {MathMode::native, "native"}};

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

}  // namespace ddl
