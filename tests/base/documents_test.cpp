// Rules for documents that a program can check.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace ddl::documents_test {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> documents() {
  const fs::path root = DDLSIM_SOURCE_DIR;
  std::vector<fs::path> found;
  for (const char* folder : {"", "docs", "docs/decisions", "docs/simgrid_lazy_update", "results", "results/validation",
                             "scenarios", "platforms"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

// Ends of links to the headings of a page: "when-a-host-crashes" for "## When a host `crashes`".
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(std::min(line.find_first_not_of("# "), line.size()))) {
      const auto letter = static_cast<unsigned char>(c);
      if (std::isalnum(letter) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(letter));
      if (c == ' ') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

}  // namespace

TEST_CASE("links in documents lead to files and headings that are there") {
  const std::regex link(R"(\]\(([^)#\s]*)(#[^)]*)?\))");
  int links = 0;
  for (const fs::path& path : documents()) {
    const std::string text = text_of(path);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      if (target.starts_with("http")) continue;
      ++links;
      const fs::path file = target.empty() ? path : path.parent_path() / target;
      CHECK_MESSAGE(fs::exists(file), path.string() << " leads to " << target);
      const std::string heading = (*match)[2];
      if (heading.empty() || file.extension() != ".md") continue;
      CHECK_MESSAGE(anchors_of(text_of(file)).contains(heading.substr(1)), path.string() << " leads to " << heading);
    }
  }
  CHECK(links > 50);
}

TEST_CASE("every decision is in the index, and ARCHITECTURE.md is a map") {
  const fs::path root = DDLSIM_SOURCE_DIR;
  const std::string index = text_of(root / "docs/decisions/README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs/decisions")) {
    const std::string name = entry.path().filename().string();
    if (name != "README.md") CHECK_MESSAGE(index.find("(" + name + ")") != std::string::npos, name);
  }
  std::istringstream words(text_of(root / "ARCHITECTURE.md"));
  CHECK(std::distance(std::istream_iterator<std::string>(words), {}) <= 1500);
}

}  // namespace ddl::documents_test
