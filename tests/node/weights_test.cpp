#include "core/node/weights.hpp"

#include <doctest/doctest.h>

#include "core/node/vectors.hpp"

namespace ddl::weights_test {

TEST_CASE("a snapshot keeps its values when the replica is written afterwards") {
  Weights weights(make_payload({1, 2}));
  const Payload before = weights.snapshot();
  weights.write()[0] = 5;
  CHECK((*before)[0] == 1);
  CHECK(weights.read()[0] == 5);
}

TEST_CASE("writing copies only while a snapshot is held") {
  Weights weights(make_payload({1, 2}));
  const float* first = weights.write().data();
  CHECK(weights.write().data() == first);
  {
    const Payload held = weights.snapshot();
    CHECK(weights.write().data() != first);
  }
  const float* second = weights.write().data();
  CHECK(weights.write().data() == second);
}

TEST_CASE("adopting shares memory with its source and never writes to it") {
  const Payload source = make_payload({3, 4});
  Weights weights;
  weights.adopt(source);
  CHECK(weights.read().data() == source->data());
  weights.write()[1] = 9;
  CHECK((*source)[1] == 4);
}

TEST_CASE("an empty replica, as in a timing-only run, can be read, written and sent") {
  Weights weights;
  CHECK(weights.read().empty());
  CHECK(weights.write().empty());
  CHECK(weights.snapshot() == nullptr);
}

}  // namespace ddl::weights_test
