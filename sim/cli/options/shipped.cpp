#include "sim/cli/options/shipped.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace fs = std::filesystem;

fs::path shipped(const std::string& name) {
  std::error_code unreadable;
  if (const char* home = std::getenv("DDLSIM_HOME"); home != nullptr && *home != '\0') return fs::path(home) / name;
  if (fs::is_directory(name, unreadable)) return name;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  return program.parent_path().parent_path() / "share" / "ddlsim" / name;
}

std::vector<fs::path> shipped_files(const std::string& folder, const char* extension) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (fs::recursive_directory_iterator at(shipped(folder), unreadable), end; !unreadable && at != end;
       at.increment(unreadable)) {
    const fs::path& path = at->path();
    if (path.extension() == extension && path.stem().extension() != ".schema") files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string scenario_name(const fs::path& file) {
  return file.lexically_relative(shipped("scenarios")).replace_extension().string();
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const fs::path& file : shipped_files("scenarios", ".json")) names.push_back(scenario_name(file));
  return names;
}

namespace {

// "scenarios/study/tuned.json" and "study/tuned" are one.
std::string name_in(std::string word) {
  if (word.starts_with("scenarios/")) word.erase(0, word.find('/') + 1);
  if (word.ends_with(".json")) word.erase(word.size() - std::string_view(".json").size());
  return word;
}

}  // namespace

std::string scenario_file(const std::string& word) {
  std::error_code unreadable;
  if (word.empty() || fs::exists(word, unreadable) || fs::path(word).is_absolute()) return word;
  const fs::path file = shipped("scenarios") / (name_in(word) + ".json");
  return fs::is_regular_file(file, unreadable) ? file.string() : word;
}

std::string need_scenario_file(const std::string& word) {
  const std::string file = scenario_file(word);
  std::error_code unreadable;
  if (word.empty() || fs::exists(file, unreadable)) return file;
  const std::string name = name_in(word);
  const std::vector<std::string> names = scenario_names();
  auto near = scenario::nearest(name, names);
  for (const std::string& known : names) {
    if (known.ends_with("/" + name)) near = known;
  }
  if (near)
    throw InputError(scenario::in_quotes(word) + " is no file; did you mean " + scenario::in_quotes(*near) + "?");
  return file;
}

}  // namespace ddl::cli
