// The JSON Schema, derived from the same fields() that the reader follows.
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::scenario {
namespace {

template <class T>
OrderedJson schema_value(T& value, const Rule& rule);

// The properties of one object.
class SchemaVisitor {
 public:
  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    OrderedJson schema = OrderedJson::object();
    if (*rule.doc != '\0') schema["description"] = rule.doc;
    schema.update(schema_value(value, rule));
    OrderedJson by_default = to_json_value(value);
    if (must_be_given(value, rule)) {
      require(key);
    } else if (!absent(by_default) && !by_default.is_object()) {
      schema["default"] = std::move(by_default);
    }
    properties_[key] = std::move(schema);
  }

  void require(const std::string& key) { required_.push_back(key); }
  OrderedJson& property(const std::string& key) { return properties_[key]; }
  bool anything_required() const { return !required_.empty(); }

  OrderedJson object() const {
    OrderedJson schema = {{"type", "object"}, {"properties", properties_}};
    if (!required_.empty()) schema["required"] = required_;
    schema["additionalProperties"] = false;
    return schema;
  }

 private:
  OrderedJson properties_ = OrderedJson::object();
  OrderedJson required_ = OrderedJson::array();
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

template <class T>
struct SchemaOf {
  static OrderedJson of(T& value, const Rule& rule) {
    OrderedJson schema = OrderedJson::object();
    if constexpr (std::is_same_v<T, bool>) {
      schema["type"] = "boolean";
    } else if constexpr (std::is_arithmetic_v<T>) {
      schema["type"] = std::is_integral_v<T> ? "integer" : "number";
      if (std::is_unsigned_v<T>) schema["minimum"] = 0;
      add_limits(schema, rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      schema["type"] = "string";
    } else if constexpr (dimension_of<T>.has_value()) {
      schema["type"] = "string";
      schema["pattern"] = pattern_of(*dimension_of<T>);
      schema["examples"] = {example_of(*dimension_of<T>)};
    } else if constexpr (std::is_enum_v<T>) {
      schema["enum"] = names_of<T>();
    } else {
      SchemaVisitor visitor;
      fields(visitor, value);
      schema = visitor.object();
    }
    return schema;
  }
};

template <class T>
struct SchemaOf<std::optional<T>> {
  static OrderedJson of(std::optional<T>&, const Rule& rule) {
    T inner{};
    return schema_value(inner, rule);
  }
};

template <class T>
struct SchemaOf<std::vector<T>> {
  static OrderedJson of(std::vector<T>&, const Rule& rule) {
    T element{};
    const OrderedJson one = schema_value(element, rule);
    OrderedJson list = {{"type", "array"}, {"items", one}};
    if (!one_or_list<T>) return list;
    list["minItems"] = 1;
    return {{"oneOf", OrderedJson::array({one, list})}};
  }
};

template <class T>
struct SchemaOf<std::map<std::string, T>> {
  static OrderedJson of(std::map<std::string, T>&, const Rule& rule) {
    T inner{};
    return {{"type", "object"}, {"additionalProperties", schema_value(inner, rule)}};
  }
};

// An object per alternative, distinguished by the tag; or only the tag if the alternative has no required keys.
template <class... Alternatives>
struct SchemaOf<std::variant<Alternatives...>> {
  using Variant = std::variant<Alternatives...>;

  template <class Alternative>
  static void add(OrderedJson& words, OrderedJson& forms) {
    const std::string key(tag_key<Variant>);
    Alternative alternative;
    SchemaVisitor visitor;
    visitor.property(key) = {{"const", Alternative::tag}};
    const bool may_lack_tag =
        tag_optional<Variant> && std::is_same_v<Alternative, std::variant_alternative_t<0, Variant>>;
    if (!may_lack_tag) visitor.require(key);
    const bool tag_required = visitor.anything_required();
    fields(visitor, alternative);
    OrderedJson form = visitor.object();
    const bool more_required = form.contains("required") && form["required"].size() > (tag_required ? 1u : 0u);
    if (!more_required) words.push_back(Alternative::tag);
    forms.push_back(std::move(form));
  }

  static OrderedJson of(Variant&, const Rule&) {
    OrderedJson words = OrderedJson::array(), forms = OrderedJson::array();
    (add<Alternatives>(words, forms), ...);
    forms.insert(forms.begin(), OrderedJson{{"enum", words}});
    return {{"oneOf", forms}};
  }
};

template <>
struct SchemaOf<systems::Partitions> {
  static OrderedJson of(systems::Partitions& value, const Rule& rule) {
    int count = 1;
    OrderedJson list = schema_value(value.counts, rule);
    list["minItems"] = 1;
    return {{"oneOf", OrderedJson::array({schema_value(count, rule), list, {{"const", "auto"}}})}};
  }
};

template <>
struct SchemaOf<systems::GossipRate> {
  static OrderedJson of(systems::GossipRate& value, const Rule& rule) {
    return {
        {"oneOf", OrderedJson::array({{{"enum", {"per_gradient", "continuous"}}}, schema_value(value.every, rule)})}};
  }
};

template <>
struct SchemaOf<nn::ModelSpec> {
  static OrderedJson of(nn::ModelSpec& value, const Rule&) {
    SchemaVisitor visitor;
    visitor("layers", value.layers, Rule{"from input to output; the last gives one value per class"});
    visitor.require("layers");
    visitor.property("layers")["minItems"] = 1;
    return {{"oneOf", OrderedJson::array({{{"enum", model_names()}}, visitor.object()})}};
  }
};

template <>
struct SchemaOf<HostChoice> {
  static OrderedJson of(HostChoice& value, const Rule& rule) {
    int count = 1;
    OrderedJson names = schema_value(value.names, Rule{});
    names["minItems"] = 1;
    return {{"oneOf", OrderedJson::array({schema_value(count, rule), names})}};
  }
};

template <>
struct SchemaOf<PlatformSpec> {
  template <class Hosts>
  static OrderedJson form(const char* required) {
    PlatformSpec spec{Hosts{}, {}, {}};
    SchemaVisitor visitor;
    fields(visitor, std::get<Hosts>(spec.hosts));
    visitor("network", spec.network, Rule{"how simulated links are shared"});
    visitor("profiles", spec.profiles, Rule{"bandwidths, latencies and speeds over simulated time"});
    visitor.require(required);
    return visitor.object();
  }

  static OrderedJson of(PlatformSpec&, const Rule&) {
    return {{"oneOf", OrderedJson::array({form<GeneratedPlatform>("bandwidth"), form<FilePlatform>("file")})}};
  }
};

template <class T>
OrderedJson schema_value(T& value, const Rule& rule) {
  return SchemaOf<T>::of(value, rule);
}

}  // namespace

std::string scenario_schema() {
  Scenario defaults;
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
