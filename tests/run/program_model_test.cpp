// A program's tensors as seen by systems that divide a model.
#include <doctest/doctest.h>

#include "sim/external/model.hpp"

namespace ddl::run::program_model_test {

TEST_CASE("tensors of a program lie one behind the other, and those with one prefix are a layer") {
  external::Hello hello;
  hello.model.tensors = {{"net.conv.weight", {8, 3, 5, 5}},
                         {"net.conv.bias", {8}},
                         {"net.dense.weight", {10, 72}},
                         {"scale", {}},
                         {"shift", {2}},
                         {"net.conv.more", {4}}};
  const scenario::LearnedModel model = external::learned_model(hello);
  CHECK(model.network == nullptr);
  CHECK(model.parameters == 600 + 8 + 720 + 1 + 2 + 4);
  REQUIRE(model.tensors.size() == 6);
  CHECK(model.tensors[0].rows == 8);
  CHECK(model.tensors[2].name == "net.dense.weight");
  CHECK(model.tensors[2].offset == 608);
  CHECK(model.tensors[2].count == 720);
  CHECK(model.tensors[2].rows == 10);
  CHECK(model.tensors[3].count == 1);  // a number has no axis
  // A tensor between two parts of a layer makes them two layers.
  const std::vector<std::size_t> ends = {608, 1328, 1329, 1331, 1335};
  REQUIRE(model.layers.size() == ends.size());
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CHECK(model.layers[i].slice.begin == begin);
    CHECK(model.layers[i].slice.end == ends[i]);
    CHECK(model.layers[i].work == 1);
    begin = ends[i];
  }
}

}  // namespace ddl::run::program_model_test
