#include "core/nn/kernels/lanes.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace ddl::nn {
namespace {

TEST_CASE("eight floats are loaded and stored wherever they lie") {
  std::vector<float> from(3 * kLanes);
  std::iota(from.begin(), from.end(), 1.0f);
  for (std::size_t offset = 0; offset <= 2 * kLanes; ++offset) {
    Eight::Values values;
    Eight::load(from.data() + offset, values);
    std::vector<float> to(from.size());
    Eight::store(values, to.data() + offset);
    for (std::size_t i = 0; i < to.size(); ++i) {
      CHECK(to[i] == (i >= offset && i < offset + kLanes ? from[i] : 0));
    }
  }
}

}  // namespace
}  // namespace ddl::nn
