#include "sim/scenario/reading/to_json.hpp"

#include <cstdint>
#include <utility>

namespace ddl::scenario {

bool absent(const OrderedJson& json) {
  return json.is_null() || (json.is_array() && json.empty()) ||
         (json.is_string() && json.get_ref<const std::string&>().empty());
}

namespace {

class ObjectWriter final : public FieldVisitor {
 public:
  ObjectWriter(OrderedJson& object, Form form) : object_(object), form_(form) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    if (is_wanted(rule)) put(key, to_json_value(value, form_), rule);
  }
  void visit(const char* key, const FieldValue& value, const Rule& rule) override {
    if (is_wanted(rule)) put(key, written(value, form_), rule);
  }

 private:
  bool is_wanted(const Rule& rule) const { return form_ == Form::scenario || rule.is_setting; }
  void put(const char* key, OrderedJson json, const Rule& rule) {
    if (!absent(json) || (rule.empty_is_kept && json.is_array())) object_[key] = std::move(json);
  }

  OrderedJson& object_;
  const Form form_;
};

// Bandwidths in bit/s, as people have them.
double in_base_units(BytesPerSecond value) { return 8 * value.value; }
template <class T>
double in_base_units(T value) {
  return value.value;
}

// One for each form; the reader has the same ones.
struct Writer {
  Form form;

  OrderedJson operator()(const WordField& field) const { return field.words[field.chosen]; }
  OrderedJson operator()(const OptionalField& field) const {
    return field.present ? written(field.value(), form) : OrderedJson();
  }
  OrderedJson operator()(const ListField& field) const {
    if (field.may_be_one && field.size == 1) return written(field.at(0), form);
    OrderedJson list = OrderedJson::array();
    for (std::size_t i = 0; i < field.size; ++i) list.push_back(written(field.at(i), form));
    return list;
  }
  OrderedJson operator()(const MapField& field) const {
    OrderedJson object = OrderedJson::object();
    for (const std::string& name : field.names) object[name] = written(field.at(name), form);
    return object;
  }
  OrderedJson operator()(const ObjectField& field) const {
    OrderedJson object = OrderedJson::object();
    ObjectWriter writer(object, form);
    field.visit(writer);
    return object;
  }
  OrderedJson operator()(const ChoiceField& field) const {
    OrderedJson object = OrderedJson::object();
    object[field.key] = field.tags[field.chosen];
    ObjectWriter writer(object, form);
    field.visit(writer);
    return object;
  }
  OrderedJson operator()(const EitherField& field) const { return written(field.value(), form); }
  OrderedJson operator()(ShareOrCount* share) const {
    return share->is_count ? OrderedJson(static_cast<std::int64_t>(share->value)) : OrderedJson(share->value);
  }
  OrderedJson operator()(AsWritten* value) const {
    return value->text.empty() ? OrderedJson() : OrderedJson::parse(value->text);
  }
  template <class T>
  OrderedJson operator()(T* value) const {
    if constexpr (dimension_of<T>.has_value()) {
      if (form == Form::settings) return in_base_units(*value);
      return write_quantity(value->value, *dimension_of<T>);
    } else {
      return *value;
    }
  }
};

template <class Struct>
OrderedJson object_of(Struct& value, Form form) {
  OrderedJson object = OrderedJson::object();
  ObjectWriter writer(object, form);
  fields(writer, value);
  return object;
}

}  // namespace

OrderedJson written(const FieldValue& value, Form form) { return std::visit(Writer{form}, value.form); }

OrderedJson to_json_value(ModelChoice& value, Form form) {
  if (value.program) return object_of(*value.program, form);
  if (value.network.name == nn::GptSpec::name) {
    OrderedJson object = {{"name", value.network.name}};
    object.update(object_of(value.network.sizes, form));
    return object;
  }
  if (value.network.name != "layers") return value.network.name;
  OrderedJson object = OrderedJson::object();
  object["layers"] = to_json_value(value.network.layers, form);
  return object;
}

OrderedJson to_json_value(PlatformSpec& value, Form form) {
  OrderedJson object = std::visit([form](auto& hosts) { return object_of(hosts, form); }, value.hosts);
  ObjectWriter writer(object, form);
  common_fields(writer, value);
  return object;
}

OrderedJson to_json_value(Scenario& value, Form form) {
  OrderedJson object = object_of(value, form);
  if (!value.program) return object;
  OrderedJson dealt = OrderedJson::object();
  for (const std::string_view key : keys_of_program_data) {
    if (object["data"].contains(key)) dealt[std::string(key)] = object["data"][std::string(key)];
  }
  object["data"] = dealt;
  return object;
}

}  // namespace ddl::scenario
