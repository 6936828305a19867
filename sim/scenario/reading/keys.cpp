// The page about every key, derived from the JSON Schema and so from the same fields() that the reader follows.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::scenario {
namespace {

// `a`, `b`, `c`
std::string one_of(const OrderedJson& values) {
  std::string text;
  for (const auto& value : values) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", value.dump());
  return text;
}

// What kind of value a schema takes, in a few words.
std::string kind_of(const OrderedJson& schema) {
  if (schema.contains("const")) return fmt::format("`{}`", schema["const"].dump());
  if (schema.contains("enum")) return one_of(schema["enum"]);
  if (schema.contains("oneOf")) {
    std::string text;
    bool objects = false;
    for (const auto& alternative : schema["oneOf"]) {
      if (alternative.contains("properties")) {
        objects = true;
      } else {
        text += (text.empty() ? "" : ", or ") + kind_of(alternative);
      }
    }
    return objects ? text + (text.empty() ? "object" : ", or an object") : text;
  }
  const std::string type = schema.value("type", "any");
  if (type == "array") {
    return schema.contains("items") ? "list of " + kind_of(schema["items"]) : std::string("list");
  }
  if (type == "string" && schema.contains("examples")) return fmt::format("such as `{}`", schema["examples"][0].dump());
  if (type == "string") return "text";
  std::string range;
  const auto limit = [&](const char* word, const char* sign) {
    if (schema.contains(word))
      range += fmt::format("{}{} {}", range.empty() ? ", " : " and ", sign, schema[word].dump());
  };
  limit("minimum", ">=");
  limit("exclusiveMinimum", ">");
  limit("maximum", "<=");
  limit("exclusiveMaximum", "<");
  return type + range;
}

// The objects that a value may be: itself, alternatives, or elements of a list.
void collect_objects(const OrderedJson& schema, std::vector<const OrderedJson*>& objects) {
  if (schema.contains("properties")) {
    objects.push_back(&schema);
  } else if (schema.contains("oneOf")) {
    for (const auto& alternative : schema["oneOf"]) collect_objects(alternative, objects);
  } else if (schema.contains("items")) {
    collect_objects(schema["items"], objects);
  }
}

class KeysPage {
 public:
  // The keys of the objects that a value at `path` may be, each described once.
  void add(const std::string& path, const OrderedJson& schema, int level) {
    std::vector<const OrderedJson*> objects;
    collect_objects(schema, objects);
    const auto described = [&](const OrderedJson* object) { return described_.contains(object->dump()); };
    if (!objects.empty() && std::ranges::all_of(objects, described)) {
      std::set<std::string> titles;
      for (const OrderedJson* object : objects) titles.insert("*" + described_.at(object->dump()) + "*");
      text_ += fmt::format("\n`{}`: as above, under {}.\n", path, fmt::join(titles, ", "));
      return;
    }
    for (const OrderedJson* object : objects) add_object(path, *object, level);
  }

  std::string text() const { return text_; }

 private:
  void add_object(const std::string& path, const OrderedJson& object, int level) {
    const OrderedJson& keys = object["properties"];
    std::string title = path;
    for (const char* tag : {"name", "type", "topology", "quantity"}) {
      if (keys.contains(tag) && keys[tag].contains("const")) {
        title += fmt::format(" = {}", keys[tag]["const"].get<std::string>());
        break;
      }
    }
    if (path.empty()) title = "The scenario";
    if (path == "platform") title += keys.contains("file") ? " from a file" : " that is generated";
    text_ += fmt::format("\n{} {}\n\n", std::string(static_cast<std::size_t>(std::min(level, 6)), '#'), title);
    described_.emplace(object.dump(), title);
    text_ += "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const auto& [key, value] : keys.items()) add_row(object, key, value);
    for (const auto& [key, value] : keys.items()) add(path.empty() ? key : path + "." + key, value, level + 1);
  }

  void add_row(const OrderedJson& object, const std::string& key, const OrderedJson& value) {
    const auto required = object.value("required", OrderedJson::array());
    const bool must = std::find(required.begin(), required.end(), key) != required.end();
    const std::string by_default = value.contains("default") ? fmt::format("`{}`", value["default"].dump()) : "";
    text_ += fmt::format("| `{}` | {} | {} | {} |\n", key, kind_of(value), must ? "required" : by_default,
                         value.value("description", ""));
  }

  std::string text_;
  std::map<std::string, std::string> described_;  // objects, and the titles of their sections
};

}  // namespace

std::string keys_page() {
  KeysPage page;
  page.add("", OrderedJson::parse(scenario_schema()), 2);
  return "# Every key of a scenario\n\nMade by `ddlsim schema keys` from the descriptions that the reader itself "
         "follows; do not "
         "edit it by hand.\nAn empty default means that the key may be left out.\n" +
         page.text();
}

}  // namespace ddl::scenario
