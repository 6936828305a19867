#include "sim/scenario/reading/reader.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read_scalars.hpp"
#include "sim/scenario/reading/relations.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* a_platform = "{\"topology\": ...}, {\"sites\": ...} or {\"file\": ...}";

void read_value(const Json& json, const FieldValue& value, const Rule& rule, const Place& place);
void read_form(const Json& json, ModelChoice& value, const Rule& rule, const Place& place);
void read_form(const Json& json, PlatformSpec& value, const Rule& rule, const Place& place);

// The fields of one JSON object. Those of several structs may be read from the same object; finish() then reports the
// keys that none of them has read, and missing ones that are not such a key misspelt.
class ObjectReader final : public FieldVisitor {
 public:
  ObjectReader(const Json& object, const Place& place, std::vector<std::string> known = {})
      : object_(object), place_(place), known_(std::move(known)) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    if constexpr (has_own_form<T>) {
      if (const Json* found = find(key)) read_form(*found, value, rule, place_.at(key));
    } else {
      visit(key, field_value(value), rule);
    }
  }

  void visit(const char* key, const FieldValue& value, const Rule& rule) override {
    if (const auto* block = std::get_if<ObjectField>(&value.form)) blocks_.emplace_back(key, *block);
    relations_.visit(key, value, rule);
    if (const Json* found = find(key)) {
      read_value(*found, value, rule, place_.at(key));
    } else if (must_be_given(value, rule)) {
      require(key, expected_value(value, rule));
    }
  }
  void relation(const char* keys, Relation how, const char* condition) override {
    relations_.relation(keys, how, condition);
  }
  // A key that must be given.
  void require(const char* key, const std::string& expected) {
    if (!object_.contains(key)) missing_.emplace_back(key, "is missing; expected " + expected);
  }

  // A key that belongs elsewhere.
  void refuse(const char* key, const std::string& what) {
    if (object_.contains(key)) place_.at(key).error(what);
    refused_.emplace_back(key);
  }

  void finish() {
    for (const auto& [key, value] : object_.items()) {
      if (std::ranges::find(known_, key) != known_.end()) continue;
      if (std::ranges::find(refused_, key) != refused_.end()) continue;
      report_unknown(key);
    }
    for (const auto& [key, what] : missing_) place_.at(key).error(what);
    relations_.check(object_, place_);
  }

 private:
  void report_unknown(const std::string& key) {
    if (const std::string block = block_with(key); !block.empty()) {
      return place_.at(key).error("is an unknown key; expected it in a block, \"" + block + "\": {\"" + key +
                                  "\": ...}");
    }
    const std::string all = known_.empty() ? "expected none here" : "known keys are " + listed(known_);
    place_.at(key).error("is an unknown key; " + nearest_or(key, known_, all));
    if (const auto meant = nearest(key, known_)) {
      std::erase_if(missing_, [&](const auto& missing) { return missing.first == *meant; });
    }
  }

  // The name of the first block that knows this key, or "".
  std::string block_with(const std::string& wanted) const {
    struct Search final : FieldVisitor {
      explicit Search(const std::string& wanted) : wanted_(wanted) {}
      void visit(const char* key, const FieldValue&, const Rule&) override { found_ = found_ || wanted_ == key; }
      const std::string& wanted_;
      bool found_ = false;
    };
    for (const auto& [name, block] : blocks_) {
      Search search(wanted);
      block.visit(search);
      if (search.found_) return name;
    }
    return "";
  }

  // Null: it is not given.
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  const Place& place_;
  std::vector<std::string> known_, refused_;
  std::vector<std::pair<std::string, std::string>> missing_;  // keys, with their errors
  std::vector<std::pair<std::string, ObjectField>> blocks_;
  KeyRelations relations_;
};

std::string such_as(const Rule& rule) { return *rule.example == '\0' ? "" : std::string(", such as ") + rule.example; }

bool is_object(const Json& json, const Place& place, const std::string& what) {
  if (!json.is_object()) place.error(std::string(shown(json)) + " is not an object; expected " + what);
  return json.is_object();
}

// One for each form of a setting.
struct Reader {
  const Json& json;
  const Rule& rule;
  const Place& place;

  void operator()(bool* value) const { read_bool(json, *value, place); }
  void operator()(double* value) const { read_number(json, *value, rule, place); }
  void operator()(std::uint64_t* value) const { read_unsigned(json, *value, rule, place); }
  void operator()(std::int64_t* value) const { read_integer(*value); }
  void operator()(int* value) const { read_integer(*value); }
  void operator()(std::string* value) const { read_text(json, *value, place); }
  void operator()(ShareOrCount* value) const { read_share_or_count(json, *value, place); }
  void operator()(AsWritten* value) const { value->text = json.dump(); }
  template <class T>
  void operator()(T* quantity) const {
    read_quantity(json, quantity->value, *dimension_of<T>, rule, place);
  }

  void operator()(const WordField& field) const {
    const std::string expected = "expected one of " + listed(field.words);
    if (!json.is_string()) return place.error(shown(json) + " is not a word; " + expected);
    if (const auto index = index_in(field.words, json)) return field.choose(*index);
    place.error(shown(json) + " is unknown; " + nearest_or(word(json), field.words, expected));
  }

  void operator()(const OptionalField& field) const { read_value(json, field.make(), rule, place); }

  void operator()(const ListField& field) const {
    field.clear();
    if (json.is_array()) {
      if (field.may_be_one && json.empty()) place.error("is an empty list; expected at least one value");
      for (std::size_t i = 0; i < json.size(); ++i) read_value(json[i], field.append(), rule, place.at(i));
    } else if (field.may_be_one) {
      read_value(json, field.append(), rule, place);
    } else {
      place.error(shown(json) + " is not a list; expected a list in brackets" + such_as(rule));
    }
  }

  void operator()(const MapField& field) const {
    if (!is_object(json, place, "an object of names and values" + such_as(rule))) return;
    Rule of_value = rule;
    of_value.example = "";
    for (const auto& [key, inner] : json.items()) read_value(inner, field.at(key), of_value, place.at(key));
  }

  void operator()(const ObjectField& field) const {
    if (is_object(json, place, "an object in braces" + such_as(rule))) read_object(json, field.visit, {}, place);
  }

  // The alternative is chosen by its tag; a bare string is short for an object with only the tag.
  void operator()(const ChoiceField& field) const {
    const std::string expected = "expected one of " + listed(field.tags);
    if (json.is_string()) {
      const auto index = index_in(field.tags, json);
      if (!index) return place.error(shown(json) + " is unknown; " + nearest_or(word(json), field.tags, expected));
      field.choose(*index);
      return read_object(Json::object({{field.key, json}}), field.visit, {field.key}, place);
    }
    if (!is_object(json, place, "an object with \"" + field.key + "\"")) return;
    const auto tag = json.find(field.key);
    if (tag == json.end()) {
      if (!field.tag_optional) return place.at(field.key).error("is missing; " + expected);
    } else if (!tag->is_string()) {
      return place.at(field.key).error(shown(*tag) + " is not a word; " + expected);
    } else {
      const auto index = index_in(field.tags, *tag);
      if (!index) {
        return place.at(field.key).error(shown(*tag) + " is unknown; " + nearest_or(word(*tag), field.tags, expected));
      }
      field.choose(*index);
    }
    read_object(json, field.visit, {field.key}, place);
  }

  void operator()(const EitherField& field) const {
    if (json.is_array() && json.empty()) return place.error(std::string("is an empty list; ") + field.expected);
    for (const EitherField::Form& form : field.forms) {
      if (looks_like(json, form.blank())) return read_value(json, form.make(), rule, place);
    }
    // Elements of a list that is none of the forms say what is wrong with them.
    for (const EitherField::Form& form : field.forms) {
      if (json.is_array() && std::holds_alternative<ListField>(form.blank().form)) {
        return read_value(json, form.make(), rule, place);
      }
    }
    place.error(shown(json) + " " + field.is_not + "; " + nearest_of(json, field));
  }

 private:
  template <class T>
  void read_integer(T& value) const {
    std::int64_t whole = value;
    read_whole(json, whole, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), rule, place);
    value = static_cast<T>(whole);
  }
  // The word that is meant, if it is near to one.
  static std::string nearest_of(const Json& json, const EitherField& field) {
    for (const EitherField::Form& form : field.forms) {
      const FieldValue value = form.blank();
      const auto* words = std::get_if<WordField>(&value.form);
      if (words != nullptr && json.is_string()) return nearest_or(word(json), words->words, field.expected);
    }
    return field.expected;
  }
  // A list is judged by its first element.
  static bool looks_like(const Json& json, const FieldValue& value) {
    if (const auto* field = std::get_if<WordField>(&value.form))
      return json.is_string() && index_in(field->words, json);
    if (std::holds_alternative<std::string*>(value.form)) return json.is_string();
    if (std::holds_alternative<ObjectField>(value.form)) return json.is_object();
    const auto* list = std::get_if<ListField>(&value.form);
    if (list == nullptr) return json.is_number();
    const bool of_lists = std::holds_alternative<ListField>(list->blank().form);
    return json.is_array() && json.front().is_array() == of_lists;
  }
  static const std::string& word(const Json& text) { return text.get_ref<const std::string&>(); }
  static std::optional<std::size_t> index_in(const std::vector<std::string>& words, const Json& text) {
    const auto found = std::find(words.begin(), words.end(), word(text));
    if (found == words.end()) return std::nullopt;
    return static_cast<std::size_t>(found - words.begin());
  }
};

void read_value(const Json& json, const FieldValue& value, const Rule& rule, const Place& place) {
  std::visit(Reader{json, rule, place}, value.form);
}

void read_program(const Json& json, ProgramSpec& program, const Place& place) {
  ObjectReader reader(json, place);
  fields(reader, program);
  reader.finish();
  if (json["command"].is_array() && program.command.empty()) {
    place.at("command").error(R"(is an empty list; expected a program with its arguments, ["python3", "my_model.py"])");
  }
}

void read_form(const Json& json, ModelChoice& value, const Rule&, const Place& place) {
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    const std::vector<std::string> names = model_names();
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string otherwise = "expected one of " + listed(names) + ", or {\"layers\": [...]}";
      return place.error(shown(json) + " is unknown; " + nearest_or(word, names, otherwise));
    }
    value.network = {word, {}};
    return;
  }
  if (!is_object(json, place, R"(a model's name, {"name": "gpt", ...}, {"layers": [...]} or {"command": [...]})"))
    return;
  if (json.contains("command")) {
    value.network = {program_model, {}};
    return read_program(json, value.program.emplace(), place);
  }
  ObjectReader reader(json, place);
  if (json.contains("name")) {
    value.network = {"", {}};
    reader("name", value.network.name, Rule{});
    fields(reader, value.network.sizes);
    reader.finish();
    if (json["name"].is_string() && json["name"] != nn::GptSpec::name) {
      place.at("name").error(shown(json["name"]) + " has no sizes; expected \"gpt\", or the name alone");
    }
    return;
  }
  value.network = {"layers", {}};
  reader("layers", value.network.layers, Rule{});
  reader.finish();
  if (!json.contains("layers") || json["layers"] == Json::array()) {
    place.at("layers").error("has no layer; expected a list such as [{\"type\": \"dense\", \"units\": 10}]");
  }
}

void read_form(const Json& json, PlatformSpec& value, const Rule&, const Place& place) {
  if (!is_object(json, place, a_platform)) return;
  const bool from_file = json.contains("file");
  if (from_file) {
    value.hosts = FilePlatform{};
  } else if (json.contains("topology") ? json["topology"] == name_of(Topology::regions) : json.contains("matrix")) {
    value.hosts = RegionsPlatform{};
  } else if (json.contains("topology") && json["topology"] == name_of(Topology::measured)) {
    value.hosts = MeasuredPlatform{};
  } else if (!json.contains("topology") && (json.contains("sites") || json.contains("links"))) {
    value.hosts = SitesPlatform{};
  }
  ObjectReader reader(json, place);
  std::visit([&](auto& hosts) { fields(reader, hosts); }, value.hosts);
  common_fields(reader, value);
  if (from_file) {
    for (const auto& [key, instead] : {std::pair("bandwidth", "\"bandwidth_factor\", which scales its links"),
                                       std::pair("server_bandwidth", "\"bandwidth_factor\", which scales its links"),
                                       std::pair("latency", "\"latency_factor\", which scales its links")}) {
      reader.refuse(key, std::string("cannot be set beside platform.file; expected ") + instead);
    }
  }
  if (std::holds_alternative<GeneratedPlatform>(value.hosts)) {
    reader.require("bandwidth", "a bandwidth such as \"40Mbps\", or a platform \"file\"");
  }
  if (std::holds_alternative<RegionsPlatform>(value.hosts)) reader.require("topology", "\"regions\" or \"measured\"");
  reader.finish();
}

// Nothing of data that are a program's own is said here, not even a default, but how its samples are dealt.
void refuse_data(const Json& data, const Place& place) {
  for (const auto& [key, value] : data.items()) {
    const Place here = place.at(key);
    if (std::ranges::count(keys_of_program_data, key) > 0 || !here.findings.clean(here.path)) continue;
    here.error("is given, but the data are those of the program that model.command names; expected only " +
               listed({std::begin(keys_of_program_data), std::end(keys_of_program_data)}));
  }
}

}  // namespace

void read_object(const Json& object, const std::function<void(FieldVisitor&)>& fields, std::vector<std::string> known,
                 const Place& place) {
  ObjectReader reader(object, place, std::move(known));
  fields(reader);
  reader.finish();
}

void read_json(const Json& json, Scenario& scenario, Findings& findings) {
  const Place root{findings, "$"};
  // Editors find the schema by this key; it has no effect on the run.
  ObjectReader reader(json, root, {"$schema"});
  fields(reader, scenario);
  if (scenario.program && json.contains("data") && json["data"].is_object()) refuse_data(json["data"], root.at("data"));
  reader.require("platform", a_platform);
  reader.require("algorithm", "one of " + listed(std::get<ChoiceField>(field_value(scenario.algorithm).form).tags));
  reader.finish();
}

}  // namespace ddl::scenario
