#include "sim/run/learning/weights_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/base/check.hpp"
#include "core/nn/model.hpp"
#include "core/nn/torch_tensor.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::run {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

using Json = nlohmann::json;
using scenario::in_quotes;

constexpr std::uint64_t longest_header = 64 << 20, length_bytes = 8;

// Tensors of one file, read one by one.
class TensorFile {
 public:
  explicit TensorFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (error || !file_) fail("cannot be read");
    std::uint64_t length = 0;
    if (size < length_bytes) fail("is cut short; expected safetensors");
    file_.read(reinterpret_cast<char*>(&length), length_bytes);
    if (length > longest_header || length > size - length_bytes) {
      fail("is cut short, or no safetensors; expected eight bytes with the length of the header that follows");
    }
    std::string header(length, '\0');
    file_.read(header.data(), static_cast<std::streamsize>(length));
    header_ = Json::parse(header, nullptr, false);
    if (!file_ || !header_.is_object()) fail("has a damaged header; expected safetensors");
    header_.erase("__metadata__");
    begin_ = length_bytes + length;
    bytes_ = size - begin_;
  }

  const Json& header() const { return header_; }

  // Throws unless it is there, in float32 and of this shape.
  std::vector<float> read(const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = header_.find(name);
    if (found == header_.end()) fail("has no tensor " + in_quotes(name) + ", which the model has");
    const Json& entry = *found;
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets") ||
        !is_pair(entry["data_offsets"])) {
      fail("has a damaged header; expected safetensors");
    }
    if (entry["dtype"] != "F32") fail_for(name, "is of type " + entry["dtype"].dump() + "; expected \"F32\"");
    if (entry["shape"] != Json(shape)) {
      fail_for(name,
               "has the shape " + entry["shape"].dump() + "; expected " + Json(shape).dump() + ", as the model's");
    }
    std::size_t count = 1;
    for (const std::size_t axis : shape) count *= axis;
    const auto from = entry["data_offsets"][0].get<std::uint64_t>(), to = entry["data_offsets"][1].get<std::uint64_t>();
    if (from > to || to > bytes_ || to - from != count * sizeof(float)) {
      fail_for(name, fmt::format("has {} to {} as its place; expected {} bytes within the file", from, to,
                                 count * sizeof(float)));
    }
    std::vector<float> values(count);
    file_.seekg(static_cast<std::streamoff>(begin_ + from));
    file_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(to - from));
    if (!file_) fail("cannot be read");
    const auto wrong = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (wrong != values.end()) fail_for(name, fmt::format("value {} is not finite", wrong - values.begin()));
    return values;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError("$.training.init.file: " + path_ + ": " + why);
  }

 private:
  [[noreturn]] void fail_for(const std::string& name, const std::string& why) const {
    fail("tensor " + in_quotes(name) + " " + why);
  }
  static bool is_pair(const Json& json) {
    return json.is_array() && json.size() == 2 && json[0].is_number_unsigned() && json[1].is_number_unsigned();
  }

  const std::string path_;
  std::ifstream file_;
  Json header_;
  std::uint64_t begin_ = 0, bytes_ = 0;
};

// Of a file's tensors those that no layer here learns, or that say the others once more.
bool is_passed_over(const std::string& name) {
  return name == "parameters" || name.ends_with(".running_mean") || name.ends_with(".running_var") ||
         name.ends_with(".num_batches_tracked");
}

}  // namespace

std::vector<float> weights_of_file(const scenario::Scenario& scenario, const nn::Model& model) {
  TensorFile file(resolve_path(scenario, scenario.training.init.from_file()->file));
  std::vector<float> weights(model.parameter_count());
  std::vector<std::string> names;
  for (const nn::TorchTensor& tensor : nn::torch_tensors(model)) {
    const std::vector<float> values = file.read(tensor.name, tensor.shape);
    names.push_back(tensor.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (tensor.sources[i] != nn::TorchTensor::nothing) weights[tensor.sources[i]] = values[i];
    }
  }
  for (const auto& [name, entry] : file.header().items()) {
    if (is_passed_over(name) || std::ranges::find(names, name) != names.end()) continue;
    file.fail("has a tensor " + in_quotes(name) + ", which the model has not; its tensors are " +
              scenario::listed(names));
  }
  return weights;
}

}  // namespace ddl::run
