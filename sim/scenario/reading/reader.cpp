#include "sim/scenario/reading/reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::json;

// The fields of one JSON object. Those of several structs may be read from the same object; finish() then reports the
// keys that none of them has read.
class ObjectReader {
 public:
  ObjectReader(const Json& object, const Place& place, std::vector<std::string> known = {})
      : object_(object), place_(place), known_(std::move(known)) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule& rule);

  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string all = known_.empty() ? "expected none here" : "known keys are " + listed(known_);
      place_.at(key).error("is an unknown key; " + nearest_or(key, known_, all));
    }
  }

 private:
  const Json& object_;
  const Place& place_;
  std::vector<std::string> known_;
};

bool is_object(const Json& json, const Place& place, const char* what) {
  if (!json.is_object()) place.error(std::string(shown(json)) + " is not an object; expected " + what);
  return json.is_object();
}

template <class Struct>
void read_object(const Json& json, Struct& value, const Place& place, std::vector<std::string> known = {}) {
  if (!is_object(json, place, "an object in braces")) return;
  ObjectReader reader(json, place, std::move(known));
  fields(reader, value);
  reader.finish();
}

template <class Enum>
void read_enum(const Json& json, Enum& value, const Place& place) {
  const std::vector<std::string> names = names_of<Enum>();
  const std::string expected = "expected one of " + listed(names);
  if (!json.is_string()) return place.error(shown(json) + " is not a word; " + expected);
  const auto& word = json.get_ref<const std::string&>();
  for (const auto& entry : enum_names(Enum{})) {
    if (entry.name == word) {
      value = entry.value;
      return;
    }
  }
  place.error(shown(json) + " is unknown; " + nearest_or(word, names, expected));
}

// Everything else: numbers, dimensioned values, enums, structs.
template <class T>
void read_value(const Json& json, T& value, const Rule& rule, const Place& place) {
  if constexpr (std::is_same_v<T, bool>) {
    read_bool(json, value, place);
  } else if constexpr (std::is_same_v<T, double>) {
    read_number(json, value, rule, place);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    read_unsigned(json, value, rule, place);
  } else if constexpr (std::is_integral_v<T>) {
    std::int64_t whole = value;
    read_whole(json, whole, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), rule, place);
    value = static_cast<T>(whole);
  } else if constexpr (std::is_same_v<T, std::string>) {
    read_text(json, value, place);
  } else if constexpr (dimension_of<T>.has_value()) {
    read_quantity(json, value.value, *dimension_of<T>, rule, place);
  } else if constexpr (std::is_enum_v<T>) {
    read_enum(json, value, place);
  } else {
    read_object(json, value, place);
  }
}

template <class T>
void read_value(const Json& json, std::optional<T>& value, const Rule& rule, const Place& place) {
  T inner{};
  read_value(json, inner, rule, place);
  value = inner;
}

template <class... Alternatives>
void read_value(const Json& json, std::variant<Alternatives...>& value, const Rule& rule, const Place& place);

template <class T>
void read_value(const Json& json, std::vector<T>& value, const Rule& rule, const Place& place) {
  value.clear();
  if (json.is_array()) {
    if (one_or_list<T> && json.empty()) place.error("is an empty list; expected at least one value");
    for (std::size_t i = 0; i < json.size(); ++i) read_value(json[i], value.emplace_back(), rule, place.at(i));
  } else if constexpr (one_or_list<T>) {
    read_value(json, value.emplace_back(), rule, place);
  } else {
    place.error(shown(json) + " is not a list; expected a list in brackets");
  }
}

template <class T>
void read_value(const Json& json, std::map<std::string, T>& value, const Rule& rule, const Place& place) {
  if (!is_object(json, place, "an object of names and values")) return;
  for (const auto& [key, inner] : json.items()) read_value(inner, value[key], rule, place.at(key));
}

// The alternative is chosen by its tag; a bare string is short for an object with only the tag.
template <class... Alternatives>
void read_value(const Json& json, std::variant<Alternatives...>& value, const Rule&, const Place& place) {
  using Variant = std::variant<Alternatives...>;
  const std::string key(tag_key<Variant>);
  const std::vector<std::string> tags = tags_of(value);
  const std::string expected = "expected one of " + listed(tags);
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    if (std::find(tags.begin(), tags.end(), word) == tags.end()) {
      return place.error(shown(json) + " is unknown; " + nearest_or(word, tags, expected));
    }
    return read_value(Json::object({{key, json}}), value, Rule{}, place);
  }
  if (!is_object(json, place, ("an object with \"" + key + "\"").c_str())) return;
  const auto tag = json.find(key);
  if (tag == json.end()) {
    if (!tag_optional<Variant>) return place.at(key).error("is missing; " + expected);
  } else if (!tag->is_string()) {
    return place.at(key).error(shown(*tag) + " is not a word; " + expected);
  } else {
    const auto& word = tag->get_ref<const std::string&>();
    const bool found = ((word == Alternatives::tag && (value = Alternatives{}, true)) || ...);
    if (!found) return place.at(key).error(shown(*tag) + " is unknown; " + nearest_or(word, tags, expected));
  }
  std::visit([&](auto& chosen) { read_object(json, chosen, place, {key}); }, value);
}

void read_value(const Json& json, systems::Partitions& value, const Rule& rule, const Place& place) {
  if (json == "auto") {
    value = {true, {}};
  } else if (json.is_array()) {
    value = {};
    if (json.empty()) place.error("is an empty list; expected a count, a list with one per worker, or \"auto\"");
    read_value(json, value.counts, rule, place);
  } else if (json.is_number()) {
    value = {};
    read_value(json, value.counts.front(), rule, place);
  } else {
    place.error(shown(json) + " is no count; expected a count, a list with one per worker, or \"auto\"");
  }
}

void read_value(const Json& json, systems::GossipRate& value, const Rule& rule, const Place& place) {
  value = {};
  if (json == "continuous") {
    value.continuous = true;
  } else if (json.is_number()) {
    read_value(json, value.every, rule, place);
  } else if (json != "per_gradient") {
    place.error(shown(json) + " is no rate; expected \"per_gradient\", \"continuous\" or a count of gradients");
  }
}

void read_value(const Json& json, nn::ModelSpec& value, const Rule&, const Place& place) {
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    const std::vector<std::string> names = model_names();
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string otherwise = "expected one of " + listed(names) + ", or {\"layers\": [...]}";
      return place.error(shown(json) + " is unknown; " + nearest_or(word, names, otherwise));
    }
    value = {word, {}};
    return;
  }
  if (!is_object(json, place, "a model's name or {\"layers\": [...]}")) return;
  value = {"layers", {}};
  ObjectReader reader(json, place);
  reader("layers", value.layers, Rule{});
  reader.finish();
  if (!json.contains("layers") || json["layers"] == Json::array()) {
    place.at("layers").error("has no layer; expected a list such as [{\"type\": \"dense\", \"units\": 10}]");
  }
}

void read_value(const Json& json, HostChoice& value, const Rule& rule, const Place& place) {
  if (json.is_number()) return read_value(json, value.first, rule, place);
  if (!json.is_array()) return place.error(shown(json) + " is neither; expected a list of host names, or how many");
  if (json.empty()) place.error("is an empty list; expected names, or no such key for all hosts but the servers");
  read_value(json, value.names, rule, place);
}

void read_value(const Json& json, PlatformSpec& value, const Rule&, const Place& place) {
  if (!is_object(json, place, "{\"topology\": ...} or {\"file\": ...}")) return;
  const bool from_file = json.contains("file");
  if (from_file) value.hosts = FilePlatform{};
  ObjectReader reader(json, place);
  std::visit([&](auto& hosts) { fields(reader, hosts); }, value.hosts);
  reader("network", value.network, Rule{});
  reader("profiles", value.profiles, Rule{});
  reader.finish();
  if (!from_file && !json.contains("bandwidth")) {
    place.at("bandwidth").error("is missing; expected a bandwidth such as \"40Mbps\", or a platform \"file\"");
  }
}

template <class T>
void ObjectReader::operator()(const char* key, T& value, const Rule& rule) {
  known_.emplace_back(key);
  const auto found = object_.find(key);
  if (found != object_.end()) {
    read_value(*found, value, rule, place_.at(key));
  } else if (must_be_given(value, rule)) {
    place_.at(key).error(std::string("is missing; expected ") + (std::is_integral_v<T> ? "a whole number" : "a value") +
                         range_of(rule));
  }
}

}  // namespace

void read_json(const Json& json, Scenario& scenario, Findings& findings) {
  const Place root{findings, "$"};
  // Editors find the schema by this key; it has no effect on the run.
  ObjectReader reader(json, root, {"$schema"});
  fields(reader, scenario);
  reader.finish();
  if (!json.contains("platform"))
    root.at("platform").error("is missing; expected {\"topology\": ...} or {\"file\": ...}");
  if (!json.contains("algorithm")) {
    root.at("algorithm").error("is missing; expected one of " + listed(tags_of(scenario.algorithm)));
  }
}

}  // namespace ddl::scenario
