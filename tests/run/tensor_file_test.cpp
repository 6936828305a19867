// Files of weights: the rules of the safetensors format, and the values accepted.
#include "sim/run/learning/tensor_file.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "core/base/check.hpp"
#include "tests/support/files.hpp"

namespace ddl::run::tensor_file_test {

namespace {

// A header and the data behind it.
std::string file_of(const std::string& header, const std::string& data) {
  std::string text;
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>(header.size() >> (8 * byte) & 0xff);
  return text + header + data;
}

// The complaint about a file, without its name, or with its tensor "w" as values of this shape; empty: nothing.
std::string said_of(const std::string& text, const std::vector<std::size_t>& shape = {2}) {
  const TemporaryFolder folder;
  const std::string path = folder.write("w.safetensors", text);
  try {
    TensorFile(path).read("w", shape);
  } catch (const InputError& error) {
    const std::string said = error.what();
    CHECK(said.starts_with(path + ": "));
    return said.substr(path.size() + 2);
  }
  return "";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string with_w(const std::string& type, const std::string& shape, const std::string& data) {
  return file_of(R"({"w":{"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[0,)" +
                     std::to_string(data.size()) + "]}}",
                 data);
}

}  // namespace

TEST_CASE("a file of weights that breaks a rule of its format is refused, whichever of its tensors are used") {
  const std::string w = R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", two(8, '\0'), four(16, '\0');
  const auto b = [](const std::string& place, const std::string& shape = "2", const std::string& type = "F32") {
    return R"("b":{"dtype":")" + type + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + place + "]}";
  };
  const auto with = [&](const std::string& more, const std::string& data) {
    return file_of("{" + w + more + "}", data);
  };
  REQUIRE(said_of(with("", two)) == "");
  REQUIRE(said_of(with("," + b("8,16"), four)) == "");
  const std::string damaged =
      "is cut short, or no safetensors; expected eight bytes with the length of the header that follows";
  const std::string no_object = "has a header that is no JSON object; expected safetensors";
  const std::string unformed = R"(tensor "b" is not described; expected "dtype", "shape" and the two "data_offsets")";
  const std::pair<std::string, std::string> rows[] = {
      // Lengths.
      {"", damaged},
      {"1234567", damaged},
      {std::string("\x03\0\0\0\0\0\0\0{}", 10), damaged},
      {std::string(8, '\xff') + "{}", damaged},
      // The header.
      {file_of("", ""), no_object},
      {file_of(" {" + w + "}", two), no_object},
      {file_of("\xef\xbb\xbf{" + w + "}", two), no_object},
      {file_of("[]", ""), no_object},
      {file_of("{" + w, two), no_object},
      {file_of("{" + w + "} x", two), no_object},
      {file_of("{" + w + "}" + std::string(1, '\0'), two), no_object},
      {file_of("{" + w + ",}", two), no_object},
      {file_of("{/**/" + w + "}", two), no_object},
      {file_of("{\"\xff\":1," + w + "}", two), no_object},
      {with("," + w, two), "has \"w\" twice in its header; expected each name once"},
      {with("," + b("8,16") + "," + b("8,16"), four), "has \"b\" twice in its header; expected each name once"},
      {with(R"(,"__metadata__":{"a":"1","a":"1"})", two), "has \"a\" twice in its header; expected each name once"},
      {with(R"(,"b":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[8,16]})", four),
       "has \"dtype\" twice in its header; expected each name once"},
      {with(R"(,"__metadata__":{"a":1})", two),
       "has \"__metadata__\" that are no texts; expected a text for each name"},
      {with(R"(,"__metadata__":[])", two), "has \"__metadata__\" that are no texts; expected a text for each name"},
      {with(R"(,"b":{"dtype":"F32","shape":[2]})", two), unformed},
      {with(R"(,"b":3)", two), unformed},
      {with("," + b("8"), four), unformed},
      {with("," + b("8,16,24"), four), unformed},
      {with("," + b("8,-16"), four), unformed},
      {with("," + b("8,16.0"), four), unformed},
      {with("," + b("8,\"16\""), four), unformed},
      {with("," + b("8,16", "2.0"), four), unformed},
      {with("," + b("8,16", "-2"), four), unformed},
      {with("," + b("8,16", "[2]"), four), unformed},
      {with("," + b("8,16", "18446744073709551616"), four), unformed},
      // Types and shapes.
      {with("," + b("8,16", "2", "F31"), four),
       "tensor \"b\" is of type \"F31\", which the format has not; expected one such as \"F32\""},
      {with("," + b("8,16", "2", "f32"), four),
       "tensor \"b\" is of type \"f32\", which the format has not; expected one such as \"F32\""},
      {with("," + b("8,16", "4294967296,4294967296"), four),
       "tensor \"b\" has the shape [4294967296,4294967296]; expected one of whole bytes, fewer than 2^64 bits"},
      {with("," + b("8,8", "0,4294967296,4294967296,4294967296"), two), ""},
      {with("," + b("8,8", "4294967296,4294967296,0"), two),
       "tensor \"b\" has the shape [4294967296,4294967296,0]; expected one of whole bytes, fewer than 2^64 bits"},
      {with("," + b("8,10", "3", "F4"), two + "ab"),
       "tensor \"b\" has the shape [3]; expected one of whole bytes, fewer than 2^64 bits"},
      {with("," + b("8,10", "4", "F4"), two + "ab"), ""},
      {with("," + b("8,16", "3"), four),
       "tensor \"b\" has 8 to 16 as its place; expected 12 bytes, as its type and shape take"},
      {with("," + b("8,16", ""), four),
       "tensor \"b\" has 8 to 16 as its place; expected 4 bytes, as its type and shape take"},
      // Places.
      {with("," + b("16,24"), four + two), "tensor \"b\" begins at byte 16; expected 8, where the one before ends"},
      {with("," + b("4,12"), two + "abcd"), "tensor \"b\" begins at byte 4; expected 8, where the one before ends"},
      {with("," + b("0,8"), two), "tensor \"w\" begins at byte 0; expected 8, where the one before ends"},
      {with("," + b("16,8"), four), "tensor \"b\" begins at byte 16; expected 8, where the one before ends"},
      {with("," + b("8,0"), four),
       "tensor \"b\" has 8 to 0 as its place; expected 8 bytes, as its type and shape take"},
      {file_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})", four),
       "tensor \"w\" begins at byte 8; expected 0, where the one before ends"},
      {with("", two + "x"), "has 9 bytes behind its header; expected 8, where its last tensor ends"},
      {with("", two.substr(1)), "has 7 bytes behind its header; expected 8, where its last tensor ends"},
      {file_of("{}", "x"), "has 1 byte behind its header; expected 0, where its last tensor ends"},
      // The format allows these.
      {file_of("{" + w + "}   \n", two), ""},
      {with(R"(,"__metadata__":{"format":"pt"})", two), ""},
      {with(R"(,"__metadata__":null)", two), ""},
      {file_of("{" + b("8,16") + "," + w + "}", four), ""},
      {file_of("{}", ""), "has no tensor \"w\", which the model has"},
  };
  for (const auto& [text, said] : rows) {
    CAPTURE(text);
    CHECK(said_of(text) == said);
  }
}

TEST_CASE("weights are floats of any length whose values float32 holds") {
  const auto values_of = [](const std::string& text, const std::vector<std::size_t>& shape) {
    const TemporaryFolder folder;
    return TensorFile(folder.write("w.safetensors", text)).read("w", shape);
  };
  const std::vector<float> expected = {-2.5f, 1};
  CHECK(values_of(with_w("F32", "2", bytes_of<float>({-2.5f, 1})), {2}) == expected);
  CHECK(values_of(with_w("F64", "1,2", bytes_of<double>({-2.5, 1})), {1, 2}) == expected);
  CHECK(values_of(with_w("F16", "2", bytes_of<std::uint16_t>({0xc100, 0x3c00})), {2}) == expected);
  CHECK(values_of(with_w("BF16", "2,1", bytes_of<std::uint16_t>({0xc020, 0x3f80})), {2, 1}) == expected);
  CHECK(values_of(with_w("F32", "", bytes_of<float>({7})), {}) == std::vector<float>{7});
  CHECK(values_of(with_w("F32", "2,0", ""), {2, 0}).empty());

  CHECK(said_of(with_w("F64", "2", bytes_of<double>({1, 0.1}))) ==
        "tensor \"w\" value 1 is 0.1, which float32 does not hold; expected values that it does");
  CHECK(said_of(with_w("F64", "2", bytes_of<double>({1e300, 1}))) ==
        "tensor \"w\" value 0 is 1e+300, which float32 does not hold; expected values that it does");
  CHECK(said_of(with_w("F16", "2", bytes_of<std::uint16_t>({0, 0x7e00}))) == "tensor \"w\" value 1 is not finite");
  CHECK(said_of(with_w("I64", "2", bytes_of<std::int64_t>({1, 2}))) ==
        "tensor \"w\" is of type \"I64\"; expected \"F32\", or another of floats");
  CHECK(said_of(with_w("F32", "2", bytes_of<float>({1, 2})), {1, 2}) ==
        "tensor \"w\" has the shape [2]; expected [1,2], as the model's");
}

}  // namespace ddl::run::tensor_file_test
