#include "core/base/digest.hpp"

#include <doctest/doctest.h>

#include <vector>

using ddl::Digest;

TEST_CASE("text is digested as FNV-1a") {
  // The published test vectors of the 64-bit variant.
  Digest empty;
  CHECK(empty.hex() == "cbf29ce484222325");
  Digest a;
  a.add("a");
  CHECK(a.hex() == "af63dc4c8601ec8c");
  Digest foobar;
  foobar.add("foo");
  foobar.add("bar");
  CHECK(foobar.hex() == "85944171f73967e8");
}

TEST_CASE("one changed bit, order and sign of zero change a digest of numbers") {
  const auto digest = [](std::vector<float> values) {
    Digest result;
    result.add(std::span<const float>(values));
    return result.hex();
  };
  CHECK(digest({1, 2}) == digest({1, 2}));
  CHECK(digest({1, 2}) != digest({2, 1}));
  CHECK(digest({0.0f}) != digest({-0.0f}));
  CHECK(digest({1.0f}) != digest({1.0000001f}));
}
