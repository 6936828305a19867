// Limits on code: one for the product and one for the Python package. Growth is paid for by removal.
#include <regex>

#include "tests/base/sources.hpp"

namespace ddl::code_lines_test {
namespace {

const std::string list = "tests/base/code_lines.txt";
constexpr int room_to_move = 100;  // the product's bound may be higher than its lines by this many

// Neither blank, comment, bracket alone, include, namespace nor using.
bool is_code(const std::string& line) {
  static const std::regex other(R"(\s*($|//.*|[{}();,]+\s*$|#include.*|#pragma.*|(namespace|using)\b.*))");
  return !std::regex_match(line, other);
}

std::map<std::string, int> measured() {
  std::map<std::string, int> found;
  for (const Source& source : sources({"core", "sim"})) {
    found["product"] += static_cast<int>(std::ranges::count_if(source.lines, is_code));
  }
  const std::filesystem::path package = std::filesystem::path(DDLSIM_SOURCE_DIR) / "python/ddlsim";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(package)) {
    if (entry.path().extension() != ".py" || entry.path().string().find("/studies/") != std::string::npos) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) ++found["python"];
  }
  return found;
}

std::map<std::string, int> bounds() {
  std::map<std::string, int> found;
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / list);
  std::string what;
  for (int lines = 0; file >> what >> lines;) found[what] = lines;
  return found;
}

}  // namespace

// `product`: lines of code in core/ and sim/. `python`: all lines of python/ddlsim, without its studies.
TEST_CASE("house: there is no more code than code_lines.txt allows") {
  std::map<std::string, int> allowed = bounds();
  std::string shorter;
  for (const auto& [what, lines] : measured()) {
    const int bound = allowed[what];
    CHECK_MESSAGE(lines <= bound, what << " has " << lines << " lines, more than the " << bound << " of " << list
                                       << ": make it shorter, or raise the bound and say why in the commit");
    if (!accepting() && what == "product") {
      CHECK_MESSAGE(bound <= lines + room_to_move,
                    what << " has " << lines << " lines, so " << bound << " is no bound: tests/renew lowers " << list);
    }
    shorter += what + " " + std::to_string(std::min(bound, lines)) + "\n";
  }
  if (accepting()) CHECK(is_accepted(list, shorter));
}

}  // namespace ddl::code_lines_test
