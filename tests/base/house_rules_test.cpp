// The rules of ARCHITECTURE.md and CONTRIBUTING.md that a program can check, over all sources.
#include <cctype>
#include <regex>
#include <set>
#include <sstream>

#include "tests/base/sources.hpp"

namespace ddl::house_rules_test {
namespace {

bool is_in(const std::string& path, const char* folder) { return path.starts_with(folder); }

// Every line of sources in `where` that has `word`, except in this file.
std::string uses_of(const std::string& word, const std::vector<const char*>& where,
                    const std::vector<const char*>& except = {}) {
  std::string uses;
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) {
    const auto lies_in = [&](const char* folder) { return is_in(source.path, folder); };
    if (std::ranges::none_of(where, lies_in) || std::ranges::any_of(except, lies_in)) continue;
    if (source.path.ends_with("house_rules_test.cpp")) continue;
    for (const std::string& line : source.lines) {
      if (line.find(word) != std::string::npos) uses += source.path + ": " + line + "\n";
    }
  }
  return uses;
}

// The words of a line in small letters, names taken apart: "starts_anew", "TraceCarrier".
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : line) {
    const auto letter = static_cast<unsigned char>(c);
    const bool begins = std::isupper(letter) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((begins || std::isalpha(letter) == 0) && !words.back().empty()) words.emplace_back();
    if (std::isalpha(letter) != 0) words.back() += static_cast<char>(std::tolower(letter));
    before = c;
  }
  return words;
}

// True for a comment that begins with Of, What, That or Which. On a line of its own a small letter continues a
// sentence.
bool lacks_subject(const std::string& line) {
  static const std::set<std::string> words = {"of", "what", "that", "which"};
  const std::size_t at = line.find("// ");
  if (at == std::string::npos || at + 3 == line.size()) return false;
  const bool begins = line.find_first_not_of(' ') < at || std::isupper(static_cast<unsigned char>(line[at + 3])) != 0;
  return begins && words.contains(words_of(line.substr(at)).front());
}

}  // namespace

TEST_CASE("core knows neither SimGrid nor JSON, and SimGrid stays in three folders") {
  CHECK(uses_of("simgrid/", {"core/"}) == "");
  CHECK(uses_of("nlohmann", {"core/"}) == "");
  CHECK(uses_of("sim/", {"core/"}).find("#include \"sim/") == std::string::npos);
  CHECK(uses_of("#include <simgrid", {"sim/", "lab/"}, {"sim/platform/", "sim/network/", "sim/run/"}) == "");
}

TEST_CASE("the product never includes the laboratory") {
  CHECK(uses_of("#include \"lab/", {"core/", "sim/"}) == "");
  CHECK(uses_of("#include \"lab/", {"tests/"}, {"tests/lab/", "tests/support/keeps.hpp", "tests/support/run.hpp"}) ==
        "");
  CHECK(uses_of("#include \"sim/", {"lab/"}) != "");
}

TEST_CASE("calls which SimGrid renamed are made in one file") {
  for (const char* call :
       {"Actor::create(", "Engine::add_actor(", "create_star_zone(", "create_host(", "create_link("}) {
    CHECK(uses_of(call, {"sim/", "lab/", "tests/"}, {"sim/platform/simgrid_api.hpp"}) == "");
  }
}

TEST_CASE("results cannot depend on the machine's randomness, clock or hash order") {
  for (const char* word : {"random_device", "std::mt19937", "std::shuffle", "_distribution<", "std::rand",
                           "time(nullptr)", "system_clock"}) {
    CHECK(uses_of(word, {"core/", "sim/", "lab/"}) == "");
  }
  // Wall time serves progress, budgets, timing.json, and programs that run in real time; hashed containers serve
  // lookups only.
  CHECK(uses_of("steady_clock", {"core/", "sim/"},
                {"sim/run/run.cpp", "sim/run/forecast.cpp", "sim/external/process", "sim/cli/progress"}) == "");
  CHECK(uses_of("unordered_", {"core/", "sim/", "lab/"}, {"sim/platform/fabric.cpp", "sim/network/pair.hpp"}) == "");
}

TEST_CASE("house: words that the project has left are not used") {
  // Use instead: compute, quiescence, time-out, transport, uncertainty, remainder, again, beside or in addition to;
  // turn or round, progress or trend; that (nodes, messages and threads are things). The test itself has to name them.
  const std::vector<std::string> stems = {"reckon", "liveness", "patience", "carrier",
                                          "doubt",  "crumb",    "anew",     "besides"};
  const std::vector<std::string> whole = {"bout", "bouts", "course", "courses", "who", "whom"};
  std::vector<Source> read = sources({"core", "sim", "lab", "tests"});
  std::erase_if(read, [](const Source& source) { return source.path.ends_with("house_rules_test.cpp"); });
  for (Source& page : pages()) read.push_back(std::move(page));
  Offenders found;
  for (const Source& source : read) {
    for (const std::string& line : source.lines) {
      for (const std::string& word : words_of(line)) {
        if (std::ranges::any_of(stems, [&](const std::string& stem) { return word.starts_with(stem); }) ||
            std::ranges::count(whole, word) > 0) {
          ++found[source.path + " " + word];
        }
      }
    }
  }
  check_offenders("words", found);
}

TEST_CASE("house: comments begin with their subject") {
  constexpr std::ptrdiff_t most = 88;  // lower it when comments are mended
  std::ptrdiff_t found = 0;
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) {
    if (!source.path.ends_with("house_rules_test.cpp")) found += std::ranges::count_if(source.lines, lacks_subject);
  }
  CHECK_MESSAGE(found <= most, found << " comments begin with Of, What, That or Which: name the subject first");
}

TEST_CASE("house: comments and pages cite no file outside the repository") {
  Offenders found;
  std::vector<Source> read = sources({"core", "sim", "lab", "tests"});
  for (Source& page : pages()) read.push_back(std::move(page));
  for (const Source& source : read) {
    if (source.path.ends_with("house_rules_test.cpp")) continue;
    for (const std::string& line : source.lines) {
      for (const char* file : {"DESIGN.md", "ALGORITHMS", "INTERFACE.md", "CODE_ANCHORS"}) {
        if (line.find(file) != std::string::npos) ++found[source.path];
      }
    }
  }
  check_offenders("citations", found);
}

// A misspelt hook would pass for a function of the system's own. Such functions stand beside the struct.
TEST_CASE("a system's struct has settings and hooks, and each hook says override") {
  const std::regex system(R"(^struct \w+ : .*(System\b|SystemOf<|Params\b).*\{$)");
  const std::regex not_override(R"(\)\s*const\s*[;{])");
  int systems = 0;
  for (const Source& source : sources({"core/systems", "core/split"})) {
    std::string body;
    bool inside = false;
    for (const std::string& line : source.lines) {
      if (std::regex_search(line, system)) inside = true, body.clear(), ++systems;
      if (inside) body += line + "\n";
      if (line != "};" || !inside) continue;
      inside = false;
      CHECK_MESSAGE(!std::regex_search(body, not_override), source.path << ": " << body);
    }
  }
  CHECK(systems > 20);
}

// Sources are compiled in batches.
TEST_CASE("a type in an unnamed namespace has a name that its named namespace uses once") {
  std::set<std::string> seen;
  for (const Source& source : sources({"core", "sim", "lab"})) {
    bool unnamed = false;
    std::string named;
    for (const std::string& line : source.lines) {
      if (line.starts_with("namespace ddl")) named = line;
      if (line == "namespace {") unnamed = true;
      if (line == "}  // namespace") unnamed = false;
      std::istringstream words(line);
      std::string kind, name;
      words >> kind >> name;
      if (unnamed && kind == "enum" && name == "class") words >> name;
      const bool is_type = line.starts_with(kind) && (kind == "struct" || kind == "class" || kind == "enum");
      if (!unnamed || !is_type || line.ends_with(';')) continue;
      CAPTURE(source.path);
      CAPTURE(line);
      CHECK(seen.insert(named + " " + name).second);
    }
  }
  CHECK(seen.size() > 50);
}

TEST_CASE("lines and leftovers") {
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) {
    CAPTURE(source.path);
    const bool is_table = source.path == "tests/scenario/broken_test.cpp";
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
  for (const char* mark : {"TODO", "FIXME", "HACK"}) CHECK(uses_of(mark, {"core/", "sim/", "lab/", "tests/"}) == "");
}

}  // namespace ddl::house_rules_test
