// The rules of ARCHITECTURE.md and CONTRIBUTING.md that a program can check, over all sources.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

struct Source {
  std::string path;  // from the root, with '/'
  std::vector<std::string> lines;
};

std::vector<Source> sources() {
  const fs::path root = DDLSIM_SOURCE_DIR;
  std::vector<Source> found;
  for (const char* folder : {"core", "sim", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp") continue;
      Source source{fs::relative(entry.path(), root).generic_string(), {}};
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) source.lines.push_back(line);
      found.push_back(std::move(source));
    }
  }
  std::ranges::sort(found, {}, &Source::path);
  return found;
}

bool is_in(const std::string& path, const char* folder) { return path.starts_with(folder); }

// Every line of sources in `where` that has `word`, except in this file.
std::string uses_of(const std::string& word, const std::vector<const char*>& where,
                    const std::vector<const char*>& except = {}) {
  std::string uses;
  for (const Source& source : sources()) {
    const auto lies_in = [&](const char* folder) { return is_in(source.path, folder); };
    if (std::ranges::none_of(where, lies_in) || std::ranges::any_of(except, lies_in)) continue;
    if (source.path.ends_with("house_rules_test.cpp")) continue;
    for (const std::string& line : source.lines) {
      if (line.find(word) != std::string::npos) uses += source.path + ": " + line + "\n";
    }
  }
  return uses;
}

}  // namespace

TEST_CASE("core knows neither SimGrid nor JSON, and SimGrid stays in two folders") {
  CHECK(uses_of("simgrid/", {"core/"}) == "");
  CHECK(uses_of("nlohmann", {"core/"}) == "");
  CHECK(uses_of("sim/", {"core/"}).find("#include \"sim/") == std::string::npos);
  CHECK(uses_of("#include <simgrid", {"sim/"}, {"sim/platform/", "sim/network/", "sim/runtime/"}) == "");
}

TEST_CASE("calls which SimGrid renamed are made in one file") {
  for (const char* call : {"Actor::create(", "create_star_zone(", "create_full_zone(", "create_dijkstra_zone(",
                           "create_host(", "create_link(", "create_split_duplex_link(", "create_router("}) {
    CHECK(uses_of(call, {"sim/", "tests/"}, {"sim/platform/simgrid_api.hpp"}) == "");
  }
}

TEST_CASE("results cannot depend on the machine's randomness, clock or hash order") {
  for (const char* word : {"random_device", "std::mt19937", "std::shuffle", "_distribution<", "std::rand",
                           "time(nullptr)", "system_clock"}) {
    CHECK(uses_of(word, {"core/", "sim/"}) == "");
  }
  // Wall time is for progress, timing.json and what runs in real time; hashed containers are only for looking things
  // up.
  CHECK(uses_of("steady_clock", {"core/", "sim/"}, {"sim/runtime/run.cpp", "sim/cli/progress", "sim/emulate/"}) == "");
  CHECK(uses_of("unordered_", {"core/", "sim/"}, {"sim/platform/fabric.cpp"}) == "");
}

TEST_CASE("lines, files and leftovers") {
  for (const Source& source : sources()) {
    CAPTURE(source.path);
    const bool is_table = source.path == "tests/scenario/broken_test.cpp";
    if (!is_in(source.path, "tests/")) CHECK(source.lines.size() <= 300);
    REQUIRE_FALSE(source.lines.empty());
    if (source.path.ends_with(".hpp")) {
      CHECK(std::ranges::count(source.lines, "#pragma once") == 1);
    }
    for (const std::string& line : source.lines) {
      if (!is_table) CHECK(line.size() <= 125);  // counted in bytes, and the formatter leaves long literals alone
      CHECK(line.find('\t') == std::string::npos);
      // CMake would take it for two names, and CTest run nothing for either.
      if (line.starts_with("TEST_CASE(")) CHECK(line.substr(0, line.find("\") {")).find(';') == std::string::npos);
    }
  }
  for (const char* mark : {"TODO", "FIXME", "HACK"}) CHECK(uses_of(mark, {"core/", "sim/", "tests/"}) == "");
}
