// The part of a test set that evaluations use.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/run/learning/trainer.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::run::load_data_test {

namespace {

data::Dataset tested(const std::string& samples, int seed = 1) {
  return load_data(scenario::parse_scenario(systems::built_in(),
                                            R"({ "platform": { "workers": 2, "bandwidth": "1Mbps" },
      "algorithm": "ako", "data": { "train": 20, "test": 200 }, "training": { "batch_size": 4 }, "stop": { "iterations": 1 },
      "evaluate": { "every_iterations": 1)" + samples +
                                                R"( }, "seed": )" + std::to_string(seed) + " }",
                                            "s.json"))
      .test;
}

}  // namespace

TEST_CASE("evaluations use as many test samples as they are told, drawn by the seed, classes in proportion") {
  const data::Dataset all = tested(""), some = tested(R"(, "samples": 50)");
  REQUIRE(all.size() == 200);
  CHECK(all.numbers.empty());
  REQUIRE(some.size() == 50);
  for (int label = 0; label < 10; ++label) CHECK(std::ranges::count(some.labels, label) == 5);  // there are 20 of each
  CHECK(some.numbers.back() >= 50);
  for (std::uint32_t i = 0; i < 50; ++i) CHECK(some.labels[i] == all.labels[some.number_of(i)]);
  CHECK(tested(R"(, "samples": 50)").numbers == some.numbers);
  CHECK(tested(R"(, "samples": 50)", 2).numbers != some.numbers);
  CHECK(tested(R"(, "samples": 200)").pixels == all.pixels);
}

}  // namespace ddl::run::load_data_test
