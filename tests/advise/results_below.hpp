// The number of results in a folder: the clock of tests that set the cost of runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace ddl::advise {

// At any depth; those in hidden folders are not whole yet.
inline std::size_t results_below(const std::filesystem::path& folder) {
  std::size_t found = 0;
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool hidden = entry.path().string().find("/.") != std::string::npos;
    found += !hidden && entry.path().filename() == "run.json" ? 1 : 0;
  }
  return found;
}

}  // namespace ddl::advise
