#include "core/base/counted.hpp"

#include <doctest/doctest.h>

namespace ddl {

TEST_CASE("a count has its noun, in the singular for one alone") {
  CHECK(counted(0, "run") == "0 runs");
  CHECK(counted(1, "run") == "1 run");
  CHECK(counted(-1, "run") == "-1 runs");
  CHECK(counted(1518, "run") == "1,518 runs");
  CHECK(counted(1, "minibatch") == "1 minibatch");
  CHECK(counted(1234567, "minibatch") == "1,234,567 minibatches");
  CHECK(counted("1", "epoch") == "1 epoch");
  CHECK(counted("1.5", "epoch") == "1.5 epochs");
}

TEST_CASE("thousands are set apart in whole numbers alone") {
  CHECK(with_separators("999") == "999");
  CHECK(with_separators("-1000") == "-1,000");
  CHECK(with_separators("1e+09") == "1e+09");
  CHECK(with_separators("inf") == "inf");
}

}  // namespace ddl
