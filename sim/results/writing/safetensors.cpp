#include "sim/results/writing/safetensors.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace ddl::results {

std::string safetensors_header(std::size_t count) {
  nlohmann::ordered_json json;
  json["parameters"] = {{"dtype", "F32"}, {"shape", {count}}, {"data_offsets", {0, count * sizeof(float)}}};
  std::string header = json.dump();
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string text;
  for (int byte = 0; byte < 8; ++byte) {
    text += static_cast<char>((static_cast<std::uint64_t>(header.size()) >> (8 * byte)) & 0xff);
  }
  return text + header;
}

std::string weights_file_name(const std::string& owner) {
  std::string name = "weights-";
  for (const char letter : owner) {
    if (letter == '/') {
      name += "%2F";
    } else {
      name += letter;
    }
  }
  return name + ".safetensors";
}

}  // namespace ddl::results
