// The link lines of CMakeLists.txt are the rule for includes between folders; a static library would not notice an
// include that they forbid.
#include <optional>
#include <regex>
#include <set>

#include "tests/base/sources.hpp"

namespace ddl::include_rules_test {
namespace {

struct Library {
  std::string name, folder;
  std::set<std::string> links;  // as the line has them
};

// In the order of their lines.
std::vector<Library> libraries() {
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / "CMakeLists.txt");
  std::vector<Library> found;
  const std::regex library(R"(^ddl_library\((\w+) (\S+)(?: RELEASE \S+)?([^)]*)\))");
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    CHECK_MESSAGE(!line.starts_with("target_link_libraries(ddl_"), "what a library links is in ddl_library: " << line);
    if (!std::regex_search(line, match, library)) continue;
    std::istringstream links(match[3]);
    Library one{match[1], match[2], {}};
    for (std::string link; links >> link;) one.links.insert(link);
    found.push_back(std::move(one));
  }
  return found;
}

// Everything that a library may include: the libraries that it links, directly or indirectly, and itself.
std::map<std::string, std::set<std::string>> closures(const std::vector<Library>& all) {
  std::map<std::string, std::set<std::string>> reached;
  for (const Library& library : all) {
    std::set<std::string>& own = reached[library.name];
    own.insert(library.name);
    for (const std::string& link : library.links) {
      own.insert(link);
      if (reached.contains(link)) own.insert(reached[link].begin(), reached[link].end());
    }
  }
  return reached;
}

const Library* library_of(const std::vector<Library>& all, const std::string& path) {
  for (const Library& library : all) {
    if (path.starts_with(library.folder + "/")) return &library;
  }
  return nullptr;
}

// The headers of the project that one of them stands on, itself among them.
std::set<std::string> headers_under(const std::string& header) {
  std::set<std::string> found;
  std::vector<std::string> left = {header};
  const std::regex include(R"re(^#include "([^"]+)")re");
  std::smatch match;
  while (!left.empty()) {
    const std::string next = left.back();
    left.pop_back();
    if (!found.insert(next).second) continue;
    const Source source = read_source(std::filesystem::path(DDLSIM_SOURCE_DIR) / next);
    REQUIRE_MESSAGE(!source.lines.empty(), next << " is included, but not there");
    for (const std::string& line : source.lines) {
      if (std::regex_search(line, match, include)) left.push_back(match[1]);
    }
  }
  return found;
}

// The package that a header of others belongs to; none for the standard's and the system's.
std::optional<std::string> package_of(const std::string& header) {
  static const std::map<std::string, std::string> packages = {{"simgrid/", "PkgConfig::SIMGRID"},
                                                              {"xbt/", "PkgConfig::SIMGRID"},
                                                              {"nlohmann/", "nlohmann_json::nlohmann_json"},
                                                              {"fmt/", "fmt::fmt"},
                                                              {"CLI/", "CLI11::CLI11"},
                                                              {"Eigen/", "Eigen3::Eigen"},
                                                              {"boost/", "Boost::headers"},
                                                              {"zlib.h", "ZLIB::ZLIB"},
                                                              {"cblas.h", "PkgConfig::OPENBLAS"}};
  for (const auto& [start, package] : packages) {
    if (header.starts_with(start)) return package;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a library links only libraries above it") {
  std::set<std::string> above;
  for (const Library& library : libraries()) {
    for (const std::string& link : library.links) {
      if (link.starts_with("ddl_")) CHECK_MESSAGE(above.contains(link), library.name << " links " << link);
    }
    above.insert(library.name);
  }
  CHECK(above.size() > 15);
}

TEST_CASE("no library of the product links one of the laboratory, and the product's program is its libraries") {
  std::set<std::string> laboratory;
  for (const Library& library : libraries()) {
    if (library.folder.starts_with("lab/")) laboratory.insert(library.name);
  }
  CHECK(laboratory.size() >= 4);
  for (const auto& [name, reached] : closures(libraries())) {
    if (laboratory.contains(name)) continue;
    for (const std::string& link : reached) CHECK_MESSAGE(!laboratory.contains(link), name << " links " << link);
  }
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / "CMakeLists.txt");
  int programs = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("ddl_program(ddlsim ")) continue;
    ++programs;
    CHECK(line == "ddl_program(ddlsim sim/main.cpp ddl_cli)");
  }
  CHECK(programs == 1);
}

TEST_CASE("packets and flows stand on core/base alone") {
  const auto reached = closures(libraries());
  for (const char* leaf : {"ddl_packets", "ddl_flows"}) {
    CHECK(reached.at(leaf) == std::set<std::string>{leaf, "ddl_base", "Threads::Threads"});
  }
}

// The words that systems are written in, also outside the tree.
TEST_CASE("node.hpp stands on fifteen headers, of core/base and core/node alone") {
  const std::set<std::string> headers = headers_under("core/node/node.hpp");
  CHECK(headers.size() <= 15);
  for (const std::string& header : headers) {
    CHECK_MESSAGE((header.starts_with("core/base/") || header.starts_with("core/node/")), header);
  }
  CHECK(headers.contains("core/node/cluster.hpp"));
  CHECK(headers_under("core/node/system.hpp").size() <= 22);
}

TEST_CASE("house: no file includes what its library's link line does not allow") {
  const std::vector<Library> all = libraries();
  const auto allowed = closures(all);
  const std::regex include(R"(^ *#include ["<]([^">]+)[">])");
  std::smatch match;
  Offenders found;
  int includes = 0;
  for (const Source& source : sources({"core", "sim", "lab"})) {
    const Library* from = library_of(all, source.path);
    if (source.path == "sim/main.cpp" || source.path == "lab/main.cpp") continue;  // programs
    REQUIRE_MESSAGE(from != nullptr, source.path << " belongs to no library");
    for (const std::string& line : source.lines) {
      if (!std::regex_search(line, match, include)) continue;
      const std::string header = match[1];
      const Library* to = library_of(all, header);
      const std::optional<std::string> package = package_of(header);
      const std::string needed = to != nullptr ? to->name : package.value_or("");
      CHECK_MESSAGE(
          (to != nullptr || !(header.starts_with("core/") || header.starts_with("sim/") || header.starts_with("lab/"))),
          source.path << " includes " << header << " of no library");
      if (!needed.empty() && !allowed.at(from->name).contains(needed)) {
        ++found[from->folder + " -> " + (to != nullptr ? to->folder : needed)];
      }
      if (to != nullptr) ++includes;
      CHECK_MESSAGE(!(header.starts_with("tests/")), source.path << " includes a test's " << header);
    }
  }
  CHECK(includes > 500);
  check_offenders("includes", found);
}

}  // namespace ddl::include_rules_test
