// The repository's own sources, and the known exceptions to house rules.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/accepted.hpp"

namespace ddl {

struct Source {
  std::string path;  // from the root, with '/'
  std::vector<std::string> lines;

  std::string folder() const { return path.substr(0, path.rfind('/')); }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
};

inline Source read_source(const std::filesystem::path& path) {
  Source source{std::filesystem::relative(path, DDLSIM_SOURCE_DIR).generic_string(), {}};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) source.lines.push_back(line);
  return source;
}

// The C++ of some folders, in the order of their names.
inline std::vector<Source> sources(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  const fs::path root = DDLSIM_SOURCE_DIR;
  std::vector<Source> found;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp") continue;
      found.push_back(read_source(entry.path()));
    }
  }
  std::ranges::sort(found, {}, &Source::path);
  return found;
}

// The pages for people: those of the root, of docs/, and of shipped folders, in the order of their names.
inline std::vector<Source> pages() {
  namespace fs = std::filesystem;
  const fs::path root = DDLSIM_SOURCE_DIR;
  std::vector<Source> found;
  const auto read = [&found](const fs::directory_entry& entry) {
    if (entry.path().extension() == ".md") found.push_back(read_source(entry.path()));
  };
  for (const char* folder : {"", "results", "scenarios", "platforms"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) read(entry);
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) read(entry);
  std::ranges::sort(found, {}, &Source::path);
  return found;
}

using Offenders = std::map<std::string, int>;  // offenders, and by how much

// Compares offenders with the known ones (tests/base/exceptions/RULE.txt): fails for one that is not listed, is worse
// than listed, has become better, or has gone. So a list can only shrink; with DDLSIM_ACCEPT in the environment it is
// updated, and never grows.
inline void check_offenders(const std::string& rule, const Offenders& found) {
  const std::string name = "tests/base/exceptions/" + rule + ".txt";
  Offenders listed;
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / name);
  for (std::string line; std::getline(file, line);) {
    const auto gap = line.rfind(' ');
    REQUIRE_MESSAGE(gap != std::string::npos, name << ": " << line);
    listed[line.substr(0, gap)] = std::stoi(line.substr(gap + 1));
  }
  for (const auto& [what, amount] : found) {
    CHECK_MESSAGE(listed.contains(what), "breaks the rule of " << rule << ": " << what << " " << amount);
    if (listed.contains(what)) CHECK_MESSAGE(amount <= listed[what], what << " " << amount << ": worse than " << name);
  }
  std::string remaining;
  for (const auto& [what, amount] : listed) {
    const auto at = found.find(what);
    const int now = at != found.end() ? at->second : 0;
    if (now > 0) remaining += what + " " + std::to_string(std::min(amount, now)) + "\n";
    if (!accepting())
      CHECK_MESSAGE(now >= amount, what << " is better now, " << now << ": tests/renew shortens " << name);
  }
  if (accepting()) CHECK(is_accepted(name, remaining));
}

}  // namespace ddl
