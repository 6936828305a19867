#include "sim/run/recorded/weights_name.hpp"

namespace ddl::run {

std::string weights_name(std::string_view what, std::string_view owner) {
  std::string name = std::string(what) + "-";
  for (const char letter : owner) {
    if (letter == '/') {
      name += "%2F";
    } else if (letter == '%') {
      name += "%25";
    } else {
      name += letter;
    }
  }
  return name + ".safetensors";
}

}  // namespace ddl::run
