#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/scenario/texts.hpp"
#include "tests/support/accepted.hpp"
#include "tests/support/examples.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::json;

// JSON Schema (draft 2020-12), for the words that the scenario's schema uses; another word is a failure.
bool valid(const Json& schema, const Json& value) {
  for (const auto& [word, rule] : schema.items()) {
    bool holds = true;
    if (word == "type") {
      const bool whole =
          value.is_number_integer() || (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
      const auto is_of = [&](const Json& one) { return valid({{"type", one}}, value); };
      holds = rule.is_array()     ? std::ranges::any_of(rule, is_of)
              : rule == "object"  ? value.is_object()
              : rule == "array"   ? value.is_array()
              : rule == "string"  ? value.is_string()
              : rule == "boolean" ? value.is_boolean()
              : rule == "number"  ? value.is_number()
                                  : rule == "integer" && whole;
    } else if (word == "properties" && value.is_object()) {
      for (const auto& [key, property] : rule.items())
        holds = holds && (!value.contains(key) || valid(property, value[key]));
    } else if (word == "additionalProperties" && value.is_object()) {
      for (const auto& [key, extra] : value.items()) {
        const bool named = schema.contains("properties") && schema["properties"].contains(key);
        holds = holds && (named || (rule.is_object() && valid(rule, extra)));
      }
    } else if (word == "required" && value.is_object()) {
      for (const auto& key : rule) holds = holds && value.contains(key.get<std::string>());
    } else if (word == "minProperties" && value.is_object()) {
      holds = value.size() >= rule.get<std::size_t>();
    } else if (word == "items" && value.is_array()) {
      for (const auto& element : value) holds = holds && valid(rule, element);
    } else if (word == "minItems" && value.is_array()) {
      holds = value.size() >= rule.get<std::size_t>();
    } else if (word == "oneOf") {
      int matches = 0;
      for (const auto& form : rule) matches += valid(form, value) ? 1 : 0;
      holds = matches == 1;
    } else if (word == "allOf" || word == "anyOf") {
      const auto is_valid = [&](const Json& one) { return valid(one, value); };
      holds = word == "allOf" ? std::ranges::all_of(rule, is_valid) : std::ranges::any_of(rule, is_valid);
    } else if (word == "not") {
      holds = !valid(rule, value);
    } else if (word == "if") {
      holds = !valid(rule, value) || valid(schema["then"], value);
    } else if (word == "enum") {
      holds = std::find(rule.begin(), rule.end(), value) != rule.end();
    } else if (word == "const") {
      holds = value == rule;
    } else if (word == "pattern" && value.is_string()) {
      holds = std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    } else if (value.is_number() && word == "minimum") {
      holds = value >= rule;
    } else if (value.is_number() && word == "maximum") {
      holds = value <= rule;
    } else if (value.is_number() && word == "exclusiveMinimum") {
      holds = value > rule;
    } else if (value.is_number() && word == "exclusiveMaximum") {
      holds = value < rule;
    }
    if (!holds) return false;
  }
  return true;
}

// All words of schemas (not names of properties) that occur anywhere.
void collect_words(const Json& schema, std::vector<std::string>& words) {
  for (const auto& [word, rule] : schema.items()) {
    words.push_back(word);
    if (word == "properties") {
      for (const auto& property : rule) collect_words(property, words);
    } else if (word == "oneOf" || word == "allOf" || word == "anyOf") {
      for (const auto& form : rule) collect_words(form, words);
    } else if (word == "items" || word == "if" || word == "then" || word == "not" ||
               (word == "additionalProperties" && rule.is_object())) {
      collect_words(rule, words);
    }
  }
}

TEST_CASE("the schema uses only words whose meaning is checked here") {
  std::vector<std::string> words;
  collect_words(Json::parse(scenario_schema(systems::built_in())), words);
  for (const std::string& word : words) {
    const bool known = std::regex_match(
        word, std::regex("type|properties|additionalProperties|required|minProperties|items|minItems|oneOf|allOf|anyOf|"
                         "if|then|not|enum|const|pattern|minimum|maximum|exclusiveMinimum|exclusiveMaximum|description|"
                         "default|examples|title|\\$schema"));
    CHECK_MESSAGE(known, word);
  }
}

TEST_CASE("the schema accepts every scenario that is right, as written and as described") {
  const Json schema = Json::parse(scenario_schema(systems::built_in()));
  for (const std::string& text : styles()) {
    CAPTURE(text);
    CHECK(valid(schema, Json::parse(text)));
    CHECK(valid(schema, Json::parse(describe(parse(text)))));
  }
}

TEST_CASE("the schema refuses what the reader refuses by its form alone") {
  const Json schema = Json::parse(scenario_schema(systems::built_in()));
  for (const Example& example : examples_in("tests/scenario/broken.txt")) {
    const Json scenario = Json::parse(whole_text(example.given), nullptr, false);
    if (!scenario.is_object()) continue;
    CAPTURE(example.place);
    CAPTURE(example.given);
    const bool by_form = example.expected.size() == 1;  // else it is marked: "the schema accepts it"
    CHECK(valid(schema, scenario) != by_form);
  }
}

// An object's forms: itself, or those that it is one of.
std::vector<Json> forms_of(const Json& schema) {
  return schema.contains("oneOf") ? schema["oneOf"].get<std::vector<Json>>() : std::vector<Json>{schema};
}

// Keys and words of a relation are those of the object.
void check_names(const Json& object, const Json& relation) {
  const auto schema_of_key = [&](const std::string& key) {
    for (const Json& form : forms_of(object)) {
      if (form.contains("properties") && form["properties"].contains(key)) return form["properties"][key];
    }
    FAIL_CHECK("there is no key " << key);
    return Json::object();
  };
  for (const auto& [word, rule] : relation.items()) {
    CAPTURE(rule.dump());
    if (word == "required") {
      for (const auto& key : rule) schema_of_key(key);
    } else if (word == "properties") {
      for (const auto& [key, value] : rule.items()) check_names(schema_of_key(key), value);
    } else if (word == "enum") {
      for (const auto& name : rule) {
        CHECK(std::ranges::any_of(forms_of(object), [&](const Json& form) {
          return std::ranges::count(form.value("enum", Json::array()), name) > 0;
        }));
      }
    } else if (rule.is_structured()) {
      for (const auto& part : rule.is_array() ? rule : Json::array({rule})) check_names(object, part);
    }
  }
}

int check_relations(const Json& schema) {
  int relations = 0;
  for (const auto& relation : schema.value("allOf", Json::array())) {
    check_names(schema, relation);
    ++relations;
  }
  for (const auto& property : schema.value("properties", Json::object())) relations += check_relations(property);
  for (const auto& form : schema.value("oneOf", Json::array())) relations += check_relations(form);
  return relations + (schema.contains("items") ? check_relations(schema["items"]) : 0);
}

TEST_CASE("an empty list or text is as good as none, to the schema as to the reader") {
  const Json schema = Json::parse(scenario_schema(systems::built_in()));
  for (const char* data : {R"({"ignore": []})", R"({"path": "", "test_path": "", "label": ""})",
                           R"({"source": "csv", "path": "/", "test_path": "", "held_out": 0.5})"}) {
    CAPTURE(data);
    const std::string text = "{" + right_parts + ", \"data\": " + data + "}";
    const std::vector<std::string> errors = errors_of(text);
    CHECK(std::ranges::none_of(errors, [](const std::string& line) {
      return line.find("goes with") != std::string::npos || line.find("beside") != std::string::npos;
    }));
    CHECK(valid(schema, Json::parse(text)));
  }
}

TEST_CASE("relations are between keys that there are, and words that they have") {
  CHECK(check_relations(Json::parse(scenario_schema(systems::built_in()))) > 50);
}

TEST_CASE("every property of the schema has a description") {
  const Json schema = Json::parse(scenario_schema(systems::built_in()));
  for (const auto& [key, property] : schema["properties"].items()) {
    CAPTURE(key);
    CHECK(property.contains("description"));
    if (!property.contains("properties")) continue;
    for (const auto& [inner, nested] : property["properties"].items()) {
      CAPTURE(inner);
      CHECK(nested.contains("description"));
    }
  }
}

TEST_CASE("the published schema of scenarios is the program's") {
  const bool same = is_accepted("scenarios/scenario.schema.json", scenario_schema(systems::built_in()));
  CHECK_MESSAGE(same, "update it: tests/renew, or ddlsim schema > scenarios/scenario.schema.json");
}

}  // namespace
}  // namespace ddl::scenario
