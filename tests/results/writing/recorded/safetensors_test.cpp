#include "sim/results/writing/recorded/safetensors.hpp"

#include <doctest/doctest.h>

#include "core/base/check.hpp"
#include "sim/run/learning/tensor_file.hpp"
#include "tests/support/files.hpp"

namespace ddl::results {

TEST_CASE("files of tensors that are written keep to the format's rules, and have each name once") {
  const TemporaryFolder folder;
  Safetensors file;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> bytes = {1, 2, 3};
  file.add("bytes", {3}, std::span<const std::uint8_t>(bytes));
  file.add("a \"name\"\n", {0}, std::span<const float>());
  file.add("w", {2, 3}, std::span<const float>(values));
  run::TensorFile read(folder.write("w.safetensors", file.text()));
  CHECK(read.names() == std::vector<std::string>{"a \"name\"\n", "bytes", "w"});
  CHECK(read.read("w", {2, 3}) == values);
  CHECK_THROWS_AS(file.add("w", {2, 3}, std::span<const float>(values)), InternalError);
  CHECK_THROWS_AS(file.add("__metadata__", {2, 3}, std::span<const float>(values)), InternalError);
}

}  // namespace ddl::results
