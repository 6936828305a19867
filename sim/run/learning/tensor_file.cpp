#include "sim/run/learning/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/base/printable.hpp"
#include "core/data/files/half.hpp"

namespace ddl::run {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

using Json = nlohmann::json;

constexpr std::uint64_t longest_header = 100'000'000, length_bytes = 8;
constexpr const char* metadata = "__metadata__";

struct Type {
  const char* name;
  std::uint64_t bits;
};
constexpr Type types[] = {{"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
                          {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
                          {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
                          {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
                          {"I64", 64},        {"U64", 64}};

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

// The size of a tensor; none where they are too many, or no whole bytes.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, std::uint64_t bits) {
  std::optional<std::uint64_t> all = 1;
  for (const std::uint64_t axis : shape) {
    if (all) all = product(*all, axis);
  }
  if (all) all = product(*all, bits);
  if (!all || *all % 8 != 0) return std::nullopt;
  return *all / 8;
}

bool are_counts(const Json& json) {
  return json.is_array() && std::ranges::all_of(json, [](const Json& one) { return one.is_number_unsigned(); });
}

bool is_metadata(const Json& json) {
  return json.is_object() && std::ranges::all_of(json, [](const Json& one) { return one.is_string(); });
}

template <class T>
T value_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Null: of values that are no floats.
using AsDouble = double (*)(const char* bytes);
AsDouble reader_of(const std::string& type) {
  if (type == "F64") return &value_at<double>;
  if (type == "F32") return [](const char* bytes) { return static_cast<double>(value_at<float>(bytes)); };
  if (type == "F16")
    return [](const char* bytes) { return static_cast<double>(data::of_half(value_at<std::uint16_t>(bytes))); };
  if (type == "BF16") {
    return [](const char* bytes) { return static_cast<double>(data::of_bfloat16(value_at<std::uint16_t>(bytes))); };
  }
  return nullptr;
}

}  // namespace

TensorFile::TensorFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  read_tensors(header());
  check_places();
}

std::string TensorFile::header() {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  if (error || !file_) fail("cannot be read");
  std::uint64_t length = 0;
  if (size >= length_bytes) file_.read(reinterpret_cast<char*>(&length), length_bytes);
  if (size < length_bytes || length > size - length_bytes) {
    fail("is cut short, or no safetensors; expected eight bytes with the length of the header that follows");
  }
  if (length > longest_header) {
    fail(fmt::format("has a header of {} bytes; expected at most {}", with_separators(std::to_string(length)),
                     with_separators(std::to_string(longest_header))));
  }
  std::string text(length, '\0');
  file_.read(text.data(), static_cast<std::streamsize>(length));
  if (!file_) fail("cannot be read");
  begin_ = length_bytes + length;
  bytes_ = size - begin_;
  return text;
}

void TensorFile::read_tensors(const std::string& header) {
  std::vector<std::set<std::string>> keys;  // per object being read
  std::optional<std::string> twice;
  const auto look = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value).second && !twice) twice = value;
    return true;
  };
  // The parser would take a zero byte for the end of the text.
  const bool plain = header.starts_with('{') && header.find('\0') == std::string::npos;
  const Json json = plain ? Json::parse(header, look, false) : Json();
  if (!json.is_object()) fail("has a header that is no JSON object; expected safetensors");
  if (twice) fail("has " + in_quotes(*twice) + " twice in its header; expected each name once");
  for (const auto& [name, entry] : json.items()) {
    if (name == metadata) {
      if (!entry.is_null() && !is_metadata(entry))
        fail("has \"__metadata__\" that are no texts; expected a text for each name");
      continue;
    }
    const auto has = [&](const char* key) { return entry.is_object() && entry.contains(key); };
    const bool formed = has("dtype") && has("shape") && has("data_offsets") && entry["dtype"].is_string() &&
                        are_counts(entry["shape"]) && are_counts(entry["data_offsets"]) &&
                        entry["data_offsets"].size() == 2;
    if (!formed) fail_for(name, R"(is not described; expected "dtype", "shape" and the two "data_offsets")");
    tensors_[name] = {entry["dtype"], entry["shape"], entry["data_offsets"][0], entry["data_offsets"][1]};
  }
}

// One tensor begins where another ends, and the last ends with the file.
void TensorFile::check_places() const {
  std::vector<const std::pair<const std::string, Tensor>*> in_order;
  for (const auto& one : tensors_) in_order.push_back(&one);
  std::ranges::stable_sort(in_order, {}, [](const auto* one) { return std::pair(one->second.begin, one->second.end); });
  std::uint64_t end = 0;
  for (const auto* one : in_order) {
    check_place(one->first, one->second, end);
    end = one->second.end;
  }
  if (end != bytes_) {
    fail(fmt::format("has {} behind its header; expected {}, where its last tensor ends",
                     counted(static_cast<std::int64_t>(bytes_), "byte"), end));
  }
}

void TensorFile::check_place(const std::string& name, const Tensor& tensor, std::uint64_t begin) const {
  const auto type = std::ranges::find_if(types, [&](const Type& known) { return known.name == tensor.type; });
  if (type == std::end(types))
    fail_for(name, "is of type " + in_quotes(tensor.type) + ", which the format has not; expected one such as \"F32\"");
  const auto bytes = bytes_of(tensor.shape, type->bits);
  if (!bytes)
    fail_for(name, fmt::format("has the shape [{}]; expected one of whole bytes, fewer than 2^64 bits",
                               fmt::join(tensor.shape, ",")));
  if (tensor.begin != begin) {
    fail_for(name, fmt::format("begins at byte {}; expected {}, where the one before ends", tensor.begin, begin));
  }
  if (tensor.end < begin || tensor.end - begin != *bytes) {
    fail_for(name, fmt::format("has {} to {} as its place; expected {} bytes, as its type and shape take", begin,
                               tensor.end, *bytes));
  }
}

std::vector<std::string> TensorFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

std::vector<float> TensorFile::read(const std::string& name, const std::vector<std::size_t>& shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail("has no tensor " + in_quotes(name) + ", which the model has");
  const Tensor& tensor = found->second;
  const AsDouble as_double = reader_of(tensor.type);
  if (as_double == nullptr)
    fail_for(name, "is of type " + in_quotes(tensor.type) + "; expected \"F32\", or another of floats");
  if (!std::ranges::equal(tensor.shape, shape)) {
    fail_for(name, fmt::format("has the shape [{}]; expected [{}], as the model's", fmt::join(tensor.shape, ","),
                               fmt::join(shape, ",")));
  }
  std::string bytes(tensor.end - tensor.begin, '\0');
  file_.seekg(static_cast<std::streamoff>(begin_ + tensor.begin));
  file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file_) fail("cannot be read");
  std::size_t count = 1;
  for (const std::size_t axis : shape) count *= axis;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = as_double(bytes.data() + i * (bytes.size() / count));
    values[i] = static_cast<float>(value);
    if (!std::isfinite(value)) fail_for(name, fmt::format("value {} is not finite", i));
    if (static_cast<double>(values[i]) != value) {
      fail_for(name,
               fmt::format("value {} is {}, which float32 does not hold; expected values that it does", i, value));
    }
  }
  return values;
}

void TensorFile::fail(const std::string& why) const { throw InputError(path_ + ": " + why); }
void TensorFile::fail_for(const std::string& name, const std::string& why) const {
  fail("tensor " + in_quotes(name) + " " + why);
}

}  // namespace ddl::run
