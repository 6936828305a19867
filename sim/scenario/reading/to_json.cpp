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
  explicit ObjectWriter(OrderedJson& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    put(key, to_json_value(value), rule);
  }
  void visit(const char* key, const FieldValue& value, const Rule& rule) override { put(key, written(value), rule); }

 private:
  void put(const char* key, OrderedJson json, const Rule& rule) {
    if (!absent(json) || (rule.empty_is_kept && json.is_array())) object_[key] = std::move(json);
  }

  OrderedJson& object_;
};

// One for each form; the reader has the same ones.
struct Writer {
  OrderedJson operator()(const WordField& field) const { return field.words[field.chosen]; }
  OrderedJson operator()(const OptionalField& field) const {
    return field.present ? written(field.value()) : OrderedJson();
  }
  OrderedJson operator()(const ListField& field) const {
    if (field.may_be_one && field.size == 1) return written(field.at(0));
    OrderedJson list = OrderedJson::array();
    for (std::size_t i = 0; i < field.size; ++i) list.push_back(written(field.at(i)));
    return list;
  }
  OrderedJson operator()(const MapField& field) const {
    OrderedJson object = OrderedJson::object();
    for (const std::string& name : field.names) object[name] = written(field.at(name));
    return object;
  }
  OrderedJson operator()(const ObjectField& field) const {
    OrderedJson object = OrderedJson::object();
    ObjectWriter writer(object);
    field.visit(writer);
    return object;
  }
  OrderedJson operator()(const ChoiceField& field) const {
    OrderedJson object = OrderedJson::object();
    object[field.key] = field.tags[field.chosen];
    ObjectWriter writer(object);
    field.visit(writer);
    return object;
  }
  OrderedJson operator()(const EitherField& field) const { return written(field.value()); }
  OrderedJson operator()(ShareOrCount* share) const {
    return share->is_count ? OrderedJson(static_cast<std::int64_t>(share->value)) : OrderedJson(share->value);
  }
  template <class T>
  OrderedJson operator()(T* value) const {
    if constexpr (dimension_of<T>.has_value()) {
      return write_quantity(value->value, *dimension_of<T>);
    } else {
      return *value;
    }
  }
};

template <class Struct>
OrderedJson object_of(Struct& value) {
  OrderedJson object = OrderedJson::object();
  ObjectWriter writer(object);
  fields(writer, value);
  return object;
}

}  // namespace

OrderedJson written(const FieldValue& value) { return std::visit(Writer(), value.form); }

OrderedJson to_json_value(ModelChoice& value) {
  if (value.program) return object_of(*value.program);
  if (value.network.name != "layers") return value.network.name;
  OrderedJson object = OrderedJson::object();
  object["layers"] = to_json_value(value.network.layers);
  return object;
}

OrderedJson to_json_value(HostChoice& value) {
  if (value.names.empty()) return value.count > 0 || value.may_be_none ? OrderedJson(value.count) : OrderedJson();
  return to_json_value(value.names);
}

OrderedJson to_json_value(PlatformSpec& value) {
  OrderedJson object = std::visit([](auto& hosts) { return object_of(hosts); }, value.hosts);
  ObjectWriter writer(object);
  common_fields(writer, value);
  return object;
}

OrderedJson to_json_value(Scenario& value) {
  OrderedJson object = object_of(value);
  if (!value.program) return object;
  OrderedJson dealt = OrderedJson::object();
  for (const std::string_view key : keys_of_program_data) {
    if (object["data"].contains(key)) dealt[std::string(key)] = object["data"][std::string(key)];
  }
  object["data"] = dealt;
  return object;
}

}  // namespace ddl::scenario
