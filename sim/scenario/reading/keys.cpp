// Meanings of keys, derived from the JSON Schema and so from the same fields() that the reader follows.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr std::size_t most_tables = 5;  // in one answer

// a, b, c
std::string one_of(const OrderedJson& values) {
  std::string text;
  for (const auto& value : values) text += fmt::format("{}{}", text.empty() ? "" : ", ", value.dump());
  return text;
}

// The first, where there are several: a quantity may also be the number 0.
std::string type_of(const OrderedJson& schema, const std::string& none = "") {
  if (!schema.contains("type")) return none;
  return schema["type"].is_array() ? schema["type"][0] : schema["type"];
}

// A word for values of a schema's type, and for several of them.
std::string noun_of(const OrderedJson& schema, bool several) {
  if (schema.contains("examples")) {
    for (const Dimension dimension : {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::speed}) {
      if (schema["examples"][0] != example_of(dimension)) continue;
      const std::string name = dimension_name(dimension);  // with its article
      return name.substr(name.find(' ') + 1) + (several ? "s" : "");
    }
  }
  const std::string type = type_of(schema, "any");
  return type == "string" ? "text" : type + (several ? "s" : "");
}

std::string example_in(const OrderedJson& schema) {
  if (type_of(schema) == "array" && schema.contains("items")) return example_in(schema["items"]);
  return schema.contains("examples") ? ", such as " + schema["examples"][0].dump() : "";
}

// ", >= 1 and <= 100"
std::string range_in(const OrderedJson& schema) {
  std::string range;
  if (schema.contains("type") && schema["type"].is_array()) return range;
  const auto limit = [&](const char* word, const char* sign) {
    if (schema.contains(word))
      range += fmt::format("{}{} {}", range.empty() ? ", " : " and ", sign, schema[word].dump());
  };
  limit("minimum", ">=");
  limit("exclusiveMinimum", ">");
  limit("maximum", "<=");
  limit("exclusiveMaximum", "<");
  return range;
}

// The kind of value that a schema takes, or several of them, in a few words.
std::string kind_of(const OrderedJson& schema, bool several = false) {
  if (schema.contains("const")) return schema["const"].dump();
  if (schema.contains("enum")) return one_of(schema["enum"]);
  if (schema.contains("oneOf")) {
    std::string text, example;
    bool objects = false;
    for (const auto& alternative : schema["oneOf"]) {
      if (type_of(alternative) == "object") {
        objects = true;
        continue;
      }
      std::string kind = kind_of(alternative, several);
      if (const std::string its = example_in(alternative); !its.empty()) {
        kind.resize(kind.size() - its.size());
        example = its;
      }
      text += (text.empty() ? "" : ", or ") + kind;
    }
    if (objects)
      text += text.empty() ? (several ? "objects" : "object") : (several ? ", or objects" : ", or an object");
    return text + example;
  }
  if (type_of(schema) != "array") return noun_of(schema, several) + range_in(schema) + example_in(schema);
  const std::string list = several ? "lists" : "list";
  return schema.contains("items") ? list + " of " + kind_of(schema["items"], true) : list;
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

// The word that tells an object from its alternatives, or "".
std::string tag_of(const OrderedJson& object) {
  const OrderedJson& keys = object["properties"];
  for (const char* tag : {"name", "type", "topology", "quantity"}) {
    if (keys.contains(tag) && keys[tag].contains("const")) return keys[tag]["const"].get<std::string>();
  }
  return "";
}

KeyRow row_of(const OrderedJson& object, const std::string& key, const OrderedJson& value) {
  const auto required = object.value("required", OrderedJson::array());
  std::vector<const OrderedJson*> below;
  collect_objects(value, below);
  std::string kind = kind_of(value);
  const std::string example = value.contains("examples") ? ", such as " + value["examples"][0].dump() : "";
  if (!kind.ends_with(example)) kind += example;
  return {.key = key,
          .value = kind,
          .by_default = value.contains("default") ? value["default"].dump() : "",
          .meaning = value.value("description", ""),
          .required = std::find(required.begin(), required.end(), key) != required.end(),
          .has_keys = !below.empty()};
}

// A key may have other values beside other keys.
void add_row(std::vector<KeyRow>& rows, const KeyRow& row) {
  const auto is_same = [&](const KeyRow& other) { return other.value == row.value && other.meaning == row.meaning; };
  if (std::ranges::none_of(rows, is_same)) rows.push_back(row);
}

// Not of the elements of lists, which have no names.
void collect_paths(const OrderedJson& schema, const std::string& path, std::set<std::string>& paths) {
  if (schema.contains("properties")) {
    for (const auto& [key, value] : schema["properties"].items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      paths.insert(below);
      collect_paths(value, below, paths);
    }
  } else if (schema.contains("oneOf")) {
    for (const auto& alternative : schema["oneOf"]) collect_paths(alternative, path, paths);
  }
}

}  // namespace

std::vector<std::string> key_paths(const Registry& systems) {
  std::set<std::string> paths;
  collect_paths(OrderedJson::parse(scenario_schema(systems)), "", paths);
  paths.erase("$schema");
  return {paths.begin(), paths.end()};
}

std::vector<KeyTable> keys_at(const std::string& schema, const std::string& path) {
  OrderedJson here = OrderedJson::parse(schema);
  KeyTable alone{path, {}};
  std::string words = path, so_far;
  while (!words.empty()) {
    const std::string word = words.substr(0, words.find('.'));
    words.erase(0, word.size() + 1);
    std::vector<const OrderedJson*> objects;
    collect_objects(here, objects);
    std::vector<std::string> known;
    OrderedJson next;
    for (const OrderedJson* object : objects) {
      known.push_back(tag_of(*object));
      if (known.back() == word) next = *object;
    }
    for (const OrderedJson* object : objects) {
      for (const auto& [key, value] : (*object)["properties"].items()) {
        known.push_back(key);
        if (key != word) continue;
        if (next.is_null()) {
          next = value;
          alone.keys.clear();
        }
        add_row(alone.keys, row_of(*object, key, value));
      }
    }
    if (next.is_null()) {
      std::erase(known, "");
      if (known.empty()) throw InputError("describe: " + in_quotes(path) + ": " + so_far + " has no keys below it");
      throw InputError(
          "describe: " + in_quotes(path) + " is neither a file nor a key; " +
          nearest_or(word, known, (so_far.empty() ? "keys are " : "below " + so_far + " are ") + listed(known)));
    }
    so_far += (so_far.empty() ? "" : ".") + word;
    here = std::move(next);
  }
  std::vector<const OrderedJson*> objects;
  collect_objects(here, objects);
  std::vector<KeyTable> tables;
  for (const OrderedJson* object : objects) {
    const std::string tag = tag_of(*object);
    KeyTable& table = tables.emplace_back(KeyTable{path + (tag.empty() || objects.size() == 1 ? "" : "." + tag), {}});
    if (objects.size() > most_tables) continue;
    for (const auto& [key, value] : (*object)["properties"].items()) table.keys.push_back(row_of(*object, key, value));
  }
  return tables.empty() ? std::vector<KeyTable>{alone} : tables;
}

}  // namespace ddl::scenario
