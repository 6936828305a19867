#include "sim/scenario/reading/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestReason = 160;

// Builds the value from the parser's events, and tracks the path that is being read.
class Builder {
 public:
  Builder(const std::string& text, Findings& findings, Json& root) : text_(text), findings_(findings), root_(root) {}

  bool null() { return put(Json(nullptr)); }
  bool boolean(bool value) { return put(Json(value)); }
  bool number_integer(Json::number_integer_t value) { return put(Json(value)); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(Json(value)); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(Json(value)); }
  bool string(std::string& value) { return put(Json(std::move(value))); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    level.key = std::move(name);
    if (level.value->contains(level.key)) findings_.add(path(), "is given twice; expected each key once");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    complain(position, reason(error.what(), position));
    return false;
  }

 private:
  struct Level {
    Json* value;
    std::string key;  // of an object: the one being read
  };

  // The parser gives its position only in its own errors, so the error of the depth limit names the path instead.
  bool open(Json value) {
    if (levels_.size() >= deepest_level) {
      findings_.add("$", fmt::format("is nested deeper than {} levels; expected a scenario", deepest_level));
      return false;
    }
    levels_.push_back({&place(std::move(value)), {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  Json& place(Json value) {
    if (levels_.empty()) return root_ = std::move(value);
    Level& level = levels_.back();
    if (level.value->is_object()) return (*level.value)[level.key] = std::move(value);
    level.value->push_back(std::move(value));
    return level.value->back();
  }

  std::string path() const {
    std::string result = "$";
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        result += "[" + std::to_string(level.value->size()) + "]";
      } else if (!level.key.empty()) {
        result = path_of(result, level.key);
      }
    }
    return result;
  }

  void complain(std::size_t position, const std::string& what) {
    const std::size_t end = std::min(position, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t line_start = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
    const std::size_t column = line_start == std::string::npos ? end : end - line_start - 1;
    findings_.add(path(), fmt::format("line {}, column {}: {}", line, std::max<std::size_t>(1, column), what));
  }

  // The word that the parser has just read a part of, be it to the sign after it ("tru}"), or the single sign.
  std::string word_at(std::size_t position) const {
    const auto in_word = [&](std::size_t i) {
      return i < text_.size() && (std::isalnum(byte_at(i)) || text_[i] == '_');
    };
    std::size_t begin = std::min(position, text_.size()) - (position > 0 ? 1 : 0);
    const std::size_t sign = begin;
    std::size_t end = begin;
    while (begin > 0 && in_word(begin - 1)) --begin;
    while (in_word(end)) ++end;
    const std::string word = text_.substr(begin, end - begin);
    const bool is_whole = word == "true" || word == "false" || word == "null";
    const bool is_word = in_word(sign) || (begin < sign && std::isalpha(byte_at(begin)) && !is_whole);
    return is_word ? word : text_.substr(sign, 1);
  }
  int byte_at(std::size_t i) const { return static_cast<unsigned char>(text_[i]); }

  // What the parser's message says, in this program's words.
  std::string in_plain_words(std::string text, std::size_t position) const {
    if (const std::size_t read = text.find("; last read: '"); read != std::string::npos) {
      const std::size_t after = text.rfind("'; expected ");
      text.erase(read, after == std::string::npos || after < read ? std::string::npos : after + 1 - read);
    }
    const auto replace = [&text](const std::string& usual, const std::string& plain) {
      if (const std::size_t at = text.find(usual); at != std::string::npos) text.replace(at, usual.size(), plain);
    };
    if (text.starts_with("invalid literal")) text.replace(0, 15, in_quotes(word_at(position)) + " is not JSON");
    if (text.starts_with("invalid string: control character U+0009")) {
      return "a string has a tab in it; expected \\t";
    }
    if (text.starts_with("invalid string: control character U+000A") ||
        text.starts_with("invalid string: control character U+000D")) {
      return "a string goes on beyond the end of its line; expected its closing quote";
    }
    replace("invalid string: missing closing quote", "the text ends in a string; expected its closing quote");
    replace("invalid string: forbidden character after backslash",
            "a backslash in a string stands before what it cannot; expected one of \" \\ / b f n r t u after it");
    replace("invalid string: ", "a string is wrong: ");
    replace("unexpected end of input", "the text ends too early");
    replace("unexpected string literal", "unexpected text in quotes");
    replace("unexpected number literal", "unexpected number");
    replace("unexpected true literal", "unexpected true");
    replace("unexpected false literal", "unexpected false");
    replace("unexpected null literal", "unexpected null");
    replace("expected string literal", "expected a key in double quotes");
    replace("expected end of input", "expected nothing after its end");
    for (const char* close : {"}", "]"}) {
      replace(fmt::format("; expected '{}'", close), fmt::format("; expected ',' or '{}'", close));
    }
    return text;
  }

  // The library's message without its prefix: "... syntax error while parsing value - unexpected ','; expected ...".
  std::string reason(const std::string& text, std::size_t position) const {
    const std::size_t dash = text.find(" - ");
    std::string result = in_plain_words(
        dash == std::string::npos ? text.substr(std::min(text.size(), text.find("] ") + 2)) : text.substr(dash + 3),
        position);
    if (result.size() > kLongestReason) result = result.substr(0, kLongestReason) + "...";
    // A message that is cut, or has bytes that are not UTF-8, must not disturb a terminal.
    for (char& letter : result) {
      if (static_cast<unsigned char>(letter) >= 0x7f) letter = '?';
    }
    if (result.find("expected ") == std::string::npos || result.find("; expected") == std::string::npos) {
      result += "; expected JSON";
    }
    return result;
  }

  const std::string& text_;
  Findings& findings_;
  Json& root_;
  std::vector<Level> levels_;
};

constexpr std::size_t kLineWidth = 110;

void lay_out(const nlohmann::ordered_json& value, std::size_t indent, std::string& out) {
  const std::string flat = value.dump(-1);
  const bool whole = indent > 0 && indent + flat.size() <= kLineWidth;
  if (!value.is_structured() || value.empty()) {
    out += flat;
    return;
  }
  const bool object = value.is_object();
  const std::string blanks(indent + 2, ' ');
  bool first = true;
  out += object ? "{" : "[";
  for (const auto& item : value.items()) {
    if (!first) out += ",";
    if (whole) {
      out += first && !object ? "" : " ";
    } else {
      out += "\n" + blanks;
    }
    if (object) out += nlohmann::ordered_json(item.key()).dump() + ": ";
    lay_out(item.value(), whole ? indent + 1 : indent + 2, out);
    first = false;
  }
  out += whole ? (object ? " " : "") : "\n" + std::string(indent, ' ');
  out += object ? "}" : "]";
}

}  // namespace

bool parse_json(const std::string& text, Findings& findings, Json& value) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    findings.add("$", "is empty; expected a JSON object");
    return false;
  }
  // The library treats a zero byte as the end of the text and would ignore what follows.
  if (text.find('\0') != std::string::npos) {
    findings.add("$", "holds a zero byte; expected JSON text");
    return false;
  }
  if (text[text.find_first_not_of(" \t\r\n")] == '<') {
    findings.add("$", "is XML; expected JSON: a platform is named by a scenario's platform.file");
    return false;
  }
  Builder builder(text, findings, value);
  return Json::sax_parse(text.begin(), text.end(), &builder, nlohmann::detail::input_format_t::json, true, true);
}

std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  return value.dump();
}

std::string layout(const nlohmann::ordered_json& value) {
  std::string out;
  lay_out(value, 0, out);
  return out + "\n";
}

}  // namespace ddl::scenario
