// The JSON Schema, derived from the same fields() that the reader follows.
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/relations.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::scenario {
namespace {

OrderedJson schema_value(const FieldValue& value, const Rule& rule);
OrderedJson schema_of_form(ModelChoice& value, const Rule& rule);
OrderedJson schema_of_form(PlatformSpec& value, const Rule& rule);

// The properties of one object.
class SchemaVisitor final : public FieldVisitor {
 public:
  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    if constexpr (has_own_form<T>) {
      OrderedJson by_default = to_json_value(value);
      add(key, schema_of_form(value, rule), rule, std::move(by_default), false);
    } else {
      visit(key, field_value(value), rule);
    }
  }
  void visit(const char* key, const FieldValue& value, const Rule& rule) override {
    relations_.visit(key, value, rule);
    OrderedJson by_default = written(value);
    add(key, schema_value(value, rule), rule, std::move(by_default), must_be_given(value, rule));
  }
  void relation(const char* keys, Relation how, const char* condition) override {
    relations_.relation(keys, how, condition);
  }

  void require(const std::string& key) { required_.push_back(key); }
  OrderedJson& property(const std::string& key) { return properties_[key]; }
  bool anything_required() const { return !required_.empty(); }

  OrderedJson object() const {
    OrderedJson schema = {{"type", "object"}, {"properties", properties_}};
    if (!required_.empty()) schema["required"] = required_;
    schema["additionalProperties"] = false;
    if (OrderedJson all = relations_.schemas(); !all.empty()) schema["allOf"] = std::move(all);
    return schema;
  }

 private:
  void add(const char* key, const OrderedJson& of_value, const Rule& rule, OrderedJson by_default, bool required) {
    OrderedJson schema = OrderedJson::object();
    if (*rule.doc != '\0') schema["description"] = rule.doc;
    if (*rule.example != '\0') schema["examples"] = OrderedJson::array({OrderedJson::parse(rule.example)});
    schema.update(of_value);
    if (required) {
      require(key);
    } else if (!absent(by_default) && !by_default.is_object()) {
      schema["default"] = std::move(by_default);
    }
    properties_[key] = std::move(schema);
  }

  OrderedJson properties_ = OrderedJson::object();
  OrderedJson required_ = OrderedJson::array();
  KeyRelations relations_;
};

void add_limit(OrderedJson& schema, const char* word, double limit) {
  if (!std::isfinite(limit)) return;
  const auto whole = static_cast<std::int64_t>(limit);
  if (static_cast<double>(whole) == limit) {
    schema[word] = whole;
  } else {
    schema[word] = limit;
  }
}

void add_limits(OrderedJson& schema, const Rule& rule) {
  add_limit(schema, "minimum", rule.at_least);
  add_limit(schema, "exclusiveMinimum", rule.above);
  add_limit(schema, "maximum", rule.at_most);
  add_limit(schema, "exclusiveMaximum", rule.below);
}

// One for each form.
struct Schema {
  const Rule& rule;

  template <class T>
  OrderedJson operator()(T*) const {
    OrderedJson schema = OrderedJson::object();
    if constexpr (std::is_same_v<T, bool>) {
      schema["type"] = "boolean";
    } else if constexpr (std::is_arithmetic_v<T>) {
      schema["type"] = std::is_integral_v<T> ? "integer" : "number";
      if (std::is_unsigned_v<T>) schema["minimum"] = 0;
      add_limits(schema, rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      schema["type"] = "string";
    } else {
      schema["type"] = "string";
      if (rule.at_least == 0) {  // nothing is read without a unit, too
        schema["type"] = {"string", "number"};
        schema["minimum"] = schema["maximum"] = 0;
      }
      schema["pattern"] = pattern_of(*dimension_of<T>);
      schema["examples"] = {example_of(*dimension_of<T>)};
    }
    return schema;
  }

  OrderedJson operator()(AsWritten*) const { return OrderedJson::object(); }

  OrderedJson operator()(ShareOrCount*) const { return {{"type", "number"}, {"exclusiveMinimum", 0}}; }

  OrderedJson operator()(const WordField& field) const { return {{"enum", field.words}}; }

  OrderedJson operator()(const OptionalField& field) const {
    return schema_value(field.present ? field.value() : field.blank(), rule);
  }

  OrderedJson operator()(const ListField& field) const {
    const OrderedJson one = schema_value(field.blank(), rule);
    OrderedJson list = {{"type", "array"}, {"items", one}};
    if (!field.may_be_one) return list;
    list["minItems"] = 1;
    return {{"oneOf", OrderedJson::array({one, list})}};
  }

  OrderedJson operator()(const MapField& field) const {
    return {{"type", "object"}, {"additionalProperties", schema_value(field.blank(), rule)}};
  }

  OrderedJson operator()(const ObjectField& field) const {
    SchemaVisitor visitor;
    field.visit(visitor);
    return visitor.object();
  }

  // An object per alternative, distinguished by the tag; or only the tag if the alternative has no required keys.
  OrderedJson operator()(const ChoiceField& field) const {
    OrderedJson words = OrderedJson::array(), forms = OrderedJson::array();
    for (std::size_t i = 0; i < field.tags.size(); ++i) {
      SchemaVisitor visitor;
      visitor.property(field.key) = {{"const", field.tags[i]}};
      if (!field.tag_optional || i > 0) visitor.require(field.key);
      const bool tag_required = visitor.anything_required();
      const FieldValue alternative = field.blank(i);
      std::get<ObjectField>(alternative.form).visit(visitor);
      OrderedJson form = visitor.object();
      const bool more_required = form.contains("required") && form["required"].size() > (tag_required ? 1u : 0u);
      if (!more_required) words.push_back(field.tags[i]);
      forms.push_back(std::move(form));
    }
    forms.insert(forms.begin(), OrderedJson{{"enum", words}});
    return {{"oneOf", forms}};
  }

  OrderedJson operator()(const EitherField& field) const {
    OrderedJson forms = OrderedJson::array();
    for (const EitherField::Form& one : field.forms) {
      OrderedJson& form = forms.emplace_back(schema_value(one.blank(), rule));
      if (form.value("type", "") == "array") form["minItems"] = 1;
    }
    return {{"oneOf", forms}};
  }
};

OrderedJson schema_value(const FieldValue& value, const Rule& rule) { return std::visit(Schema{rule}, value.form); }

OrderedJson schema_of_form(ModelChoice& value, const Rule&) {
  SchemaVisitor gpt, layers, program;
  gpt("name", value.network.name, Rule{"a language model of these sizes"});
  gpt.require("name");
  gpt.property("name") = {{"const", nn::GptSpec::name}};
  nn::GptSpec sizes;
  fields(gpt, sizes);
  layers("layers", value.network.layers, Rule{"from input to output; the last gives one value per class"});
  layers.require("layers");
  layers.property("layers")["minItems"] = 1;
  ProgramSpec spec;
  fields(program, spec);
  program.require("command");
  program.property("command")["minItems"] = 1;
  return {{"oneOf", OrderedJson::array({{{"enum", model_names()}}, gpt.object(), layers.object(), program.object()})}};
}

template <class Hosts>
OrderedJson platform_schema(const char* required) {
  PlatformSpec spec;
  spec.hosts = Hosts{};
  SchemaVisitor visitor;
  fields(visitor, std::get<Hosts>(spec.hosts));
  common_fields(visitor, spec);
  visitor.require(required);
  if constexpr (std::is_base_of_v<MatrixPlatform, Hosts>) {
    visitor.property("topology") = {{"const", name_of(Hosts().topology)}};
  }
  if constexpr (std::is_same_v<Hosts, GeneratedPlatform>) {
    OrderedJson& words = visitor.property("topology")["enum"];
    for (const Topology of_matrix : {Topology::regions, Topology::measured}) {
      words.erase(std::ranges::find(words, OrderedJson(name_of(of_matrix))));
    }
  }
  return visitor.object();
}

OrderedJson schema_of_form(PlatformSpec&, const Rule&) {
  return {{"oneOf",
           OrderedJson::array({platform_schema<GeneratedPlatform>("bandwidth"), platform_schema<FilePlatform>("file"),
                               platform_schema<SitesPlatform>("sites"), platform_schema<RegionsPlatform>("topology"),
                               platform_schema<MeasuredPlatform>("topology")})}};
}

}  // namespace

OrderedJson schema_of(const std::function<void(FieldVisitor&)>& fields) {
  SchemaVisitor visitor;
  fields(visitor);
  return visitor.object();
}

std::string scenario_schema(const Registry& systems) {
  Scenario defaults;
  defaults.algorithm = systems::SystemChoice(systems);
  SchemaVisitor visitor;
  visitor.property("$schema") = {{"type", "string"}, {"description", "where editors find this schema"}};
  fields(visitor, defaults);
  visitor.property("stop")["minProperties"] = 1;
  for (const char* key : {"platform", "algorithm", "stop"}) visitor.require(key);

  OrderedJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "ddlsim scenario"},
                        {"description", "A run of simulated distributed deep learning."}};
  schema.update(visitor.object());
  return layout(schema);
}

}  // namespace ddl::scenario
