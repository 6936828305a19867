#include "sim/scenario/scenario.hpp"

#include <filesystem>

namespace ddl {

std::string resolve_path(const Scenario& scenario, const std::string& path) {
  return (std::filesystem::path(scenario.file).parent_path() / path).string();  // an absolute path stays itself
}

}  // namespace ddl
