#include "tests/base/outline.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace ddl {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The text with comments, literals and lines for the preprocessor as spaces; lines stay where they are.
std::string code_of(std::string text) {
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, text.size()); ++i) text[i] = text[i] == '\n' ? '\n' : ' ';
    return to;
  };
  const auto end_of = [&](const std::string& mark, std::size_t from) {
    const auto at = text.find(mark, from);
    return at == std::string::npos ? text.size() : at + mark.size();
  };
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '#' && line_begins) {
      std::size_t end = end_of("\n", i);
      while (end >= 2 && end < text.size() && text[end - 2] == '\\') end = end_of("\n", end);
      i = blank(i, end);
    } else if (text.compare(i, 2, "//") == 0) {
      i = blank(i, end_of("\n", i) - 1);
    } else if (text.compare(i, 2, "/*") == 0) {
      i = blank(i, end_of("*/", i + 2));
    } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || !is_word(text[i - 1]))) {
      const std::size_t open = text.find('(', i);
      i = blank(i, end_of(")" + text.substr(i + 2, open - i - 2) + "\"", open));
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      i = blank(i, end + 1);
    } else {
      ++i;
    }
    if (i > 0 && i <= text.size()) {
      if (text[i - 1] == '\n') {
        line_begins = true;
      } else if (text[i - 1] != ' ') {
        line_begins = false;
      }
    }
  }
  return text;
}

// Where the name that ends at `last` begins: "late", "Pair::late", "Pair<A, B>::late".
std::size_t begin_of_name(const std::string& head, std::size_t last) {
  std::size_t first = last;
  for (int angles = 0; first > 0; --first) {
    const char c = head[first - 1];
    if (c == '>' && (angles > 0 || head[first] == ':')) {
      ++angles;
    } else if (c == '<' && angles > 0) {
      --angles;
    } else if (angles == 0 && !is_word(c) && c != ':' && c != '~') {
      break;
    }
  }
  return first;
}

// What comes before the parameters; empty if there are none.
std::string function_name(const std::string& head) {
  int angles = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const bool arrow = i > 0 && head[i - 1] == '-';
    if (head.compare(i, 8, "operator") == 0 && (i == 0 || !is_word(head[i - 1]))) {
      std::size_t first = i;
      while (first > 0 && (is_word(head[first - 1]) || head[first - 1] == ':')) --first;
      return head.substr(first, head.find('(', i + 9) - first);
    }
    if (head[i] == '<') ++angles;
    if (head[i] == '>' && !arrow) angles = std::max(0, angles - 1);
    if (head[i] != '(' || angles > 0) continue;
    std::size_t last = i;
    while (last > 0 && head[last - 1] == ' ') --last;
    const std::size_t first = begin_of_name(head, last);
    return first < last ? head.substr(first, last - first) : "(unnamed)";
  }
  return "";
}

struct Block {
  enum Kind { of_namespace, of_class, of_function, other };
  Kind kind;
  std::size_t definition = 0;  // where it stands among those found
};

class Outline {
 public:
  std::vector<Definition> of(const std::string& text) {
    const std::string code = code_of(text);
    for (std::size_t i = 0; i < code.size(); ++i) step(code, i);
    return std::move(found_);
  }

 private:
  bool looks_for_definitions() const { return blocks_.empty() || blocks_.back().kind <= Block::of_class; }

  void step(const std::string& code, std::size_t i) {
    const char c = code[i];
    if (c == '\n') ++line_;
    if (c == '{') {
      open(i > 0 && (is_word(code[i - 1]) || code[i - 1] == '>'));
    } else if (c == '}') {
      close();
    } else if (looks_for_definitions()) {
      read_head(c, i + 1 < code.size() && code[i + 1] == ':');
    }
  }

  void read_head(char c, bool colon_follows) {
    if (c == ';' && parentheses_ == 0) return clear();
    if (c == '(') ++parentheses_;
    if (c == ')') --parentheses_;
    if (c == ':' && !colon_follows && (head_ == "public" || head_ == "private" || head_ == "protected")) return clear();
    if (head_.empty() && (c == ' ' || c == '\n')) return;
    if (head_.empty()) first_ = line_;
    head_ += c == '\n' ? ' ' : c;
  }

  void open(bool touches_a_name) {
    if (!looks_for_definitions() || parentheses_ > 0 || (touches_a_name && !head_.empty())) {
      blocks_.push_back({Block::other});
      return;
    }
    static const std::regex a_namespace("^(inline )?namespace\\b|^extern *$"),
        a_class("^(template *<.*> *)?(class|struct|union)( +alignas\\([^)]*\\))? +([A-Za-z_][\\w:]*)[^(=]*$");
    std::smatch match;
    if (std::regex_search(head_, a_namespace)) {
      blocks_.push_back({Block::of_namespace});
    } else if (std::regex_search(head_, match, a_class)) {
      begin(Definition::of_class, match[4], Block::of_class);
    } else if (const std::string name = function_name(head_); !name.empty()) {
      begin(Definition::of_function, name, Block::of_function);
    } else {
      blocks_.push_back({Block::other});
    }
    clear();
  }

  void begin(Definition::Kind kind, const std::string& name, Block::Kind block) {
    std::string in_class;
    for (const Block& around : blocks_) {
      if (around.kind == Block::of_class && in_class.empty()) in_class = found_[around.definition].name;
    }
    found_.push_back({kind, name, in_class, first_, line_});
    blocks_.push_back({block, found_.size() - 1});
  }

  void close() {
    if (blocks_.empty()) return;
    const Block block = blocks_.back();
    blocks_.pop_back();
    if (block.kind == Block::of_class || block.kind == Block::of_function) found_[block.definition].last = line_;
    // An initialiser among what stands before a body or a semicolon ends nothing.
    if (block.kind != Block::other) clear();
  }

  void clear() {
    head_.clear();
    parentheses_ = 0;
  }

  std::vector<Definition> found_;
  std::vector<Block> blocks_;
  std::string head_;  // since the last definition, as far as it is read
  std::size_t line_ = 1, first_ = 1;
  int parentheses_ = 0;
};

}  // namespace

std::vector<Definition> outline(const std::string& text) { return Outline().of(text); }

}  // namespace ddl
