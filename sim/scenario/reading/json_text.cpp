#include "sim/scenario/reading/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_reason = 160;

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
    if (!level.keys.insert(level.key).second) findings_.add(path(), "is given twice; expected each key once");
    return true;
  }

  // The library says "[json.exception.parse_error.101] parse error at line 1, column 3: ...", but no place of a number
  // that is too large, and of an object that goes on without a comma only that its end was expected.
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    std::string said = error.what();
    said.erase(0, said.find("] ") + 2);
    if (!said.starts_with("parse error")) said = place_before(position) + said;
    if (said.size() > longest_reason) said = shortened(std::move(said));
    if (said.ends_with("; expected '}'") || said.ends_with("; expected ']'")) said.insert(said.size() - 3, "',' or ");
    if (said.find("; expected ") == std::string::npos) said += "; expected JSON";
    findings_.add(path(), on_one_line(said));
    return false;
  }

 private:
  struct Level {
    Json* value;
    std::string key = {};  // in an object: the key being read
    std::set<std::string> keys = {};
  };

  std::string place_before(std::size_t position) const {
    const std::string read = text_.substr(0, position);
    const auto line = 1 + std::ranges::count(read, '\n');
    return fmt::format("parse error at line {}, column {}: ", line, read.size() - (read.rfind('\n') + 1));
  }

  // Without the text that was read last.
  static std::string shortened(std::string said) {
    const std::size_t read = std::min(said.find("; last read: '"), said.size());
    const std::size_t expected = std::min(said.rfind("'; expected "), said.size());
    if (expected > read) said.erase(read, expected + 1 - read);
    return said.size() > longest_reason ? said.substr(0, longest_reason) + "..." : said;
  }

  // The parser gives its position only in its own errors, so the error of the depth limit names the path instead.
  bool open(Json value) {
    if (levels_.size() >= deepest_level) {
      findings_.add("$", fmt::format("is nested deeper than {} levels; expected a scenario", deepest_level));
      return false;
    }
    levels_.push_back({&place(std::move(value))});
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
    // Looking for the key in the object, as its operator[] does, would take time in the square of their number.
    if (level.value->is_object()) {
      return level.value->get_ref<Json::object_t&>().emplace_back(level.key, std::move(value)).second;
    }
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
