// Limits on functions, classes and folders. A file has none: splitting a class over files hides it.
#include <regex>
#include <set>

#include "tests/base/outline.hpp"
#include "tests/base/sources.hpp"

namespace ddl::size_rules_test {
namespace {

constexpr int lines_of_a_function = 70, lines_of_a_class = 250, files_of_a_folder = 25;

std::string shown(const std::vector<Definition>& definitions) {
  std::string text;
  for (const Definition& d : definitions) {
    text += (d.kind == Definition::of_class ? "class " : "") + d.name + (d.in_class.empty() ? "" : " in " + d.in_class);
    text += " " + std::to_string(d.first) + "-" + std::to_string(d.last) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("an outline of C++ finds functions, classes and their members") {
  CHECK(shown(outline(R"(#include <map>
namespace a::b {
struct Pair final : public Base<int> {
  explicit Pair(int x) : first_{x}, second_(f({1})) {
    if (x > 0) { call(); }
  }
  template <class T>
  std::map<int, T> get(const Options& options = {}) const {
    return {};
  }
 private:
  bool operator()(char c) const { return c == '"' || c == '{'; }
  std::vector<int> first_ = {1, 2};
  struct Inner {
    void go() {}
  };
};
enum class Kind { one, two };
const std::map<std::string, int> table = {{"a", 1}};
std::function<void(int)> Pair::late(double y) {  // {{
  const auto f = [&](int x) { return 1'000 * x; };
  return R"x(} "{ )x";
}
template <class A, class B>
std::map<A, B> Pair<A, B>::later() const {
  return {};
}
}  // namespace a::b
)")) == "class Pair 3-17\nPair in Pair 4-6\nget in Pair 7-10\noperator() in Pair 12-12\nclass Inner in Pair 14-16\n"
        "go in Pair 15-15\nPair::late 20-23\nPair::later 24-27\n");
}

TEST_CASE("house: functions have at most 70 lines, and classes 250 with the bodies of their members") {
  Offenders functions, classes;
  std::map<std::string, std::map<std::string, int>> lines;  // by folder, class
  const std::vector<Source> all = sources({"core", "sim", "lab"});
  for (const Source& source : all) {
    for (const Definition& d : outline(source.text())) {
      if (d.kind == Definition::of_function && d.lines() > lines_of_a_function) {
        int& longest = functions[source.path + " " + d.name];
        longest = std::max(longest, d.lines());
      }
      if (d.kind == Definition::of_class && d.in_class.empty()) lines[source.folder()][d.name] += d.lines();
    }
  }
  for (const Source& source : all) {
    std::map<std::string, int>& here = lines[source.folder()];
    for (const Definition& d : outline(source.text())) {
      const std::string owner = d.name.substr(0, d.name.find_first_of("<:"));
      if (d.in_class.empty() && owner != d.name && here.contains(owner)) here[owner] += d.lines();
    }
  }
  for (const auto& [folder, sizes] : lines) {
    for (const auto& [name, size] : sizes) {
      if (size > lines_of_a_class) classes[folder + " " + name] = size;
    }
  }
  CHECK(lines.size() > 20);
  check_offenders("functions", functions);
  check_offenders("classes", classes);
}

TEST_CASE("house: a folder has at most 25 sources") {
  Offenders folders;
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) ++folders[source.folder()];
  CHECK(folders.size() > 40);
  std::erase_if(folders, [](const auto& folder) { return folder.second <= files_of_a_folder; });
  check_offenders("folders", folders);
}

}  // namespace ddl::size_rules_test
