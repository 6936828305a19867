#include "sim/scenario/reading/relations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + between.size(), text.size()));
  }
  return parts;
}

Place place_of(const std::string& key, Place place) {
  for (const std::string& part : split(key, ".")) place.path = place.at(part).path;
  return place;
}

// "csv" or "npy"
std::string one_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + in_quotes(words[i]);
  }
  return text;
}

double seconds_in(const Json& text) {
  return text.is_string() ? parse_quantity(text.get<std::string>(), Dimension::time).value : 0;
}

// The schema of objects that have the key, with such a value.
Json having(const std::string& key, const Json& value) {
  const std::size_t dot = key.find('.');
  const std::string first = key.substr(0, dot);
  if (dot == std::string::npos && value.empty()) return {{"required", Json::array({first})}};
  Json inner = dot == std::string::npos ? value : having(key.substr(dot + 1), value);
  if (dot != std::string::npos) inner["type"] = "object";
  return {{"properties", {{first, std::move(inner)}}}, {"required", Json::array({first})}};
}

}  // namespace

void KeyRelations::visit(const char* key, const FieldValue& value, const Rule& rule) {
  if (const auto* object = std::get_if<ObjectField>(&value.form)) {
    if (!block_.empty()) return;
    block_ = std::string(key) + ".";
    object->visit(*this);
    block_.clear();
    return;
  }
  const auto* optional = std::get_if<OptionalField>(&value.form);
  if (optional != nullptr) expected_[block_ + key] = expected_value(value, rule);
  const Json by_default = written(optional != nullptr ? optional->blank() : value);
  const bool is_empty = absent(by_default) && !by_default.is_null();
  const bool has_default = std::holds_alternative<WordField>(value.form) || std::holds_alternative<bool*>(value.form) ||
                           std::holds_alternative<double*>(value.form);
  if (has_default || is_empty) defaults_[block_ + key] = by_default;
}

void KeyRelations::relation(const char* keys, Relation how, const char* condition) {
  if (!block_.empty()) return;  // the block has its own
  const std::vector<std::string> sides = split(condition, "=");
  const Condition other{split(sides[0], "|"), sides.size() > 1 ? split(sides[1], "|") : std::vector<std::string>()};
  for (const std::string& key : split(keys, ", ")) {
    std::vector<std::string> alike = split(key, "|");
    related_.push_back({alike.front(), how, other, {alike.begin() + 1, alike.end()}});
  }
}

Json KeyRelations::value_of(const std::string& key, const Json& object) const {
  std::string path = "/" + key;
  std::ranges::replace(path, '.', '/');
  if (const Json::json_pointer place(path); object.contains(place)) return object[place];
  const auto by_default = defaults_.find(key);
  return by_default == defaults_.end() ? Json() : by_default->second;
}

bool KeyRelations::is_given(const std::string& key, const Json& object) const {
  const Json value = value_of(key, object);
  return !absent(value) && value != value_of(key, Json::object());
}

bool KeyRelations::holds(const Condition& condition, const Json& object) const {
  if (condition.words.empty()) {
    return std::ranges::any_of(condition.keys, [&](const std::string& key) { return is_given(key, object); });
  }
  const Json value = value_of(condition.keys.front(), object);
  return std::ranges::any_of(condition.words, [&](const std::string& word) { return value == word; });
}

void KeyRelations::check(const Json& object, const Place& place) const {
  for (const Related& related : related_) {
    const auto is_clean = [&](const auto& key) { return place.findings.clean(place_of(key, place).path); };
    const auto has_clean_block = [&](const auto& key) { return is_clean(key.substr(0, key.find('.'))); };
    const std::string block = related.key.substr(0, related.key.find('.'));
    const bool is_no_block = block != related.key && object.contains(block) && !object[block].is_object();
    if (is_no_block) continue;  // an error of its own
    if (!is_clean(related.key) || !std::ranges::all_of(related.other.keys, has_clean_block)) continue;
    const std::string problem = problem_of(related, object);
    if (!problem.empty()) place_of(related.key, place).error(problem);
  }
}

std::string KeyRelations::problem_of(const Related& related, const Json& object) const {
  const auto& [key, how, condition, instead] = related;
  const bool given = is_given(key, object), held = holds(condition, object), has_words = !condition.words.empty();
  const std::string other =
      has_words ? condition.keys.front() + " " + one_of_words(condition.words) : one_of_words(condition.keys);
  const Json by_default = value_of(key, Json::object());
  const std::string otherwise = absent(by_default) ? "no such key" : by_default.dump();
  if (how == Relation::needs && given && !held) {
    return fmt::format("goes with {} alone; expected that beside it, or {}", other, otherwise);
  }
  if (how == Relation::excludes && given && held) {
    return fmt::format("is given beside {}; expected {}", other,
                       has_words || !absent(by_default) ? otherwise : "one of them");
  }
  const bool given_else = std::ranges::any_of(instead, [&](const std::string& one) { return is_given(one, object); });
  if (how == Relation::needed_with && !given && !given_else && held) {
    return fmt::format("is missing; expected {} beside {}", expected_.at(key), other);
  }
  const bool in_order = seconds_in(value_of(key, object)) > seconds_in(value_of(condition.keys.front(), object));
  if (how == Relation::after && given && !in_order) {
    return fmt::format("is not after {}; expected a later time", other);
  }
  return "";
}

Json KeyRelations::schemas() const {
  const auto schema_if_given = [&](const std::string& key) {
    const Json by_default = value_of(key, Json::object());
    return having(key, by_default.is_null() ? Json::object() : Json{{"not", {{"const", by_default}}}});
  };
  Json all = Json::array();
  for (const auto& [key, how, condition, instead] : related_) {
    Json given = schema_if_given(key);
    for (const std::string& one : instead) given = {{"anyOf", {given, schema_if_given(one)}}};
    Json any = Json::array();
    for (const std::string& one : condition.keys) {
      any.push_back(condition.words.empty() ? schema_if_given(one) : having(one, {{"enum", condition.words}}));
      if (holds(condition, Json::object())) any.back().erase("required");
    }
    const Json held = any.size() == 1 ? any.front() : Json{{"anyOf", any}};
    if (how == Relation::needs) all.push_back({{"if", given}, {"then", held}});
    if (how == Relation::excludes) all.push_back({{"if", given}, {"then", {{"not", held}}}});
    if (how == Relation::needed_with) all.push_back({{"if", held}, {"then", given}});
  }
  return all;
}

}  // namespace ddl::scenario
