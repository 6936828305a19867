#include "sim/results/writing/recorded/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"

namespace ddl::results {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

void Safetensors::add(const std::string& name, const char* type, const std::vector<std::size_t>& shape,
                      const void* values, std::size_t bytes) {
  check(name != "__metadata__" && std::ranges::find(entries_, name, &Entry::name) == entries_.end(), "a name once");
  entries_.push_back({name, type, shape, data_.size(), data_.size() + bytes});
  if (bytes > 0) data_.append(static_cast<const char*>(values), bytes);
}

void Safetensors::add(const std::string& name, const std::vector<std::size_t>& shape, std::span<const float> values) {
  add(name, "F32", shape, values.data(), values.size_bytes());
}
void Safetensors::add(const std::string& name, const std::vector<std::size_t>& shape,
                      std::span<const std::int64_t> values) {
  add(name, "I64", shape, values.data(), values.size_bytes());
}
void Safetensors::add(const std::string& name, const std::vector<std::size_t>& shape,
                      std::span<const std::uint8_t> values) {
  add(name, "U8", shape, values.data(), values.size_bytes());
}

// Eight bytes of the header's length; the header, JSON padded with spaces so that the data start at a multiple of eight
// bytes; the data.
std::string Safetensors::text() const {
  nlohmann::ordered_json json;
  for (const Entry& entry : entries_) {
    json[entry.name] = {{"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string header = json.dump();
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string text;
  for (int byte = 0; byte < 8; ++byte) {
    text += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * byte)) & 0xff);
  }
  return text + header + data_;
}

}  // namespace ddl::results
