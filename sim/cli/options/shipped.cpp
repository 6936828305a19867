#include "sim/cli/options/shipped.hpp"

#include <cstdlib>

namespace ddl::cli {
namespace fs = std::filesystem;

fs::path shipped(const std::string& name) {
  std::error_code unreadable;
  if (const char* home = std::getenv("DDLSIM_HOME"); home != nullptr && *home != '\0') return fs::path(home) / name;
  if (fs::is_directory(name, unreadable)) return name;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  return program.parent_path().parent_path() / "share" / "ddlsim" / name;
}

std::string scenario_file(const std::string& word) {
  std::error_code unreadable;
  if (word.empty() || fs::exists(word, unreadable) || fs::path(word).is_absolute()) return word;
  const std::string folder = "scenarios";
  std::string name = word.starts_with(folder + "/") ? word.substr(folder.size() + 1) : word;
  if (!name.ends_with(".json")) name += ".json";
  const fs::path file = shipped(folder) / name;
  return fs::is_regular_file(file, unreadable) ? file.string() : word;
}

}  // namespace ddl::cli
