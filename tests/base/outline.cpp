#include "tests/base/outline.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <utility>

namespace ddl {
namespace {

// Removes a comment behind the code: clang-format puts two spaces before it.
std::string code_of(const std::string& line) {
  const std::size_t from = line.find_first_not_of(' ');
  if (from == std::string::npos || line[from] == '#' || line.compare(from, 2, "//") == 0) return "";
  const std::string code = line.substr(0, line.find("  //", from));
  return code.substr(0, code.find_last_not_of(' ') + 1);
}

// The part before the parameters, without template arguments; empty if there are none.
std::string function_name(std::string head) {
  static const std::regex arguments("<[^<>]*>"), initial_value(" = "),
      name(R"(((?:\w+::)*(?:operator *(?:\(\)|[^\w\s(]+|\w+)|~?\w+)) *\()");
  if (head.find("operator") == std::string::npos) {
    while (std::regex_search(head, arguments)) head = std::regex_replace(head, arguments, "");
  }
  std::smatch match;
  if (!std::regex_search(head, match, name) || std::regex_search(match.prefix().str(), initial_value)) return "";
  return match[1];
}

class Outline {
 public:
  std::vector<Definition> of(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      if (is_within_literal(line) || close(line) || function_) continue;
      if (const std::string code = code_of(line); !code.empty()) read(code);
    }
    return std::move(found_);
  }

 private:
  // True if a raw literal has begun before this line. If it ends here, `line` becomes the rest behind it.
  bool is_within_literal(std::string& line) {
    static const std::regex begins(R"re(R"(\w*)\()re");
    if (!literal_ends_.empty()) {
      const std::size_t end = line.find(literal_ends_);
      if (end == std::string::npos) return true;
      line.erase(0, end + literal_ends_.size());
      literal_ends_.clear();
    }
    std::smatch match;
    if (!std::regex_search(line, match, begins)) return false;
    const std::string end = ")" + match[1].str() + "\"";
    if (match.suffix().str().find(end) == std::string::npos) literal_ends_ = end;
    return false;
  }

  // True if the function or class around it ends on this line.
  bool close(const std::string& line) {
    if (blocks_.empty() || line.find_first_not_of(' ') != 2 * (blocks_.size() - 1)) return false;
    if (line[line.find_first_not_of(' ')] != '}') return false;
    found_[blocks_.back()].last = number_;
    blocks_.pop_back();
    function_ = false;
    return true;
  }

  // Reads another line of a possible definition's head.
  void read(const std::string& code) {
    static const std::regex a_namespace("^ *((inline )?namespace\\b.*|extern \"C\" )\\{ $"),
        access("^ *(public|protected|private):$"),
        a_class("^ *(template *<.*> *)?(class|struct|union)( +alignas\\([^)]*\\))? +([A-Za-z_][\\w:]*)[^(=]*$");
    if (head_.empty()) first_ = number_;
    head_ += code + " ";
    const bool opens = code.ends_with('{'), ends = code.ends_with(';') || std::regex_search(code, access);
    std::smatch match;
    const std::string before = head_.substr(0, head_.find('{')), name = function_name(before);
    if (std::regex_search(head_, a_namespace)) {
      head_.clear();
    } else if (std::regex_search(before, match, a_class) && before != head_) {
      add(Definition::of_class, match[4], opens);
    } else if (!name.empty() && (opens || code.ends_with('}'))) {
      add(Definition::of_function, name, opens);
      function_ = opens;
    } else if (ends || code.ends_with('}')) {
      head_.clear();
    }
  }

  void add(Definition::Kind kind, const std::string& name, bool opens) {
    found_.push_back({kind, name, blocks_.empty() ? "" : found_[blocks_.front()].name, first_, number_});
    if (opens) blocks_.push_back(found_.size() - 1);
    head_.clear();
  }

  std::vector<Definition> found_;
  std::vector<std::size_t> blocks_;  // around the line, among those found: classes, and a function in the end
  bool function_ = false;            // in whose body nothing is looked for
  std::string head_, literal_ends_;
  std::size_t number_ = 0, first_ = 1;
};

}  // namespace

std::vector<Definition> outline(const std::string& text) { return Outline().of(text); }

}  // namespace ddl
