// Settings as JSON, from which the reader makes the same settings again. Keys are in the order of fields(); absent
// values (none, an empty list or text) are omitted. For the .cpp files of the writer and the schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/scenario/forms.hpp"

namespace ddl::scenario {

using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson to_json_value(T& value);

inline bool absent(const OrderedJson& json) {
  return json.is_null() || (json.is_array() && json.empty()) ||
         (json.is_string() && json.get_ref<const std::string&>().empty());
}

class ObjectWriter {
 public:
  explicit ObjectWriter(OrderedJson& object) : object_(object) {}

  template <class T>
  void operator()(const char* key, T& value, const Rule&) {
    OrderedJson json = to_json_value(value);
    if (!absent(json)) object_[key] = std::move(json);
  }

 private:
  OrderedJson& object_;
};

// One overload per form; the reader has the same ones.
template <class T>
struct FormOf {
  static OrderedJson write(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else if constexpr (dimension_of<T>.has_value()) {
      return write_quantity(value.value, *dimension_of<T>);
    } else if constexpr (std::is_enum_v<T>) {
      return std::string(name_of(value));
    } else {
      OrderedJson object = OrderedJson::object();
      ObjectWriter writer(object);
      fields(writer, value);
      return object;
    }
  }
};

template <class T>
struct FormOf<std::optional<T>> {
  static OrderedJson write(std::optional<T>& value) { return value ? to_json_value(*value) : OrderedJson(); }
};

template <class T>
struct FormOf<std::vector<T>> {
  static OrderedJson write(std::vector<T>& value) {
    if (one_or_list<T> && value.size() == 1) return to_json_value(value.front());
    OrderedJson list = OrderedJson::array();
    for (T& element : value) list.push_back(to_json_value(element));
    return list;
  }
};

template <class T>
struct FormOf<std::map<std::string, T>> {
  static OrderedJson write(std::map<std::string, T>& value) {
    OrderedJson object = OrderedJson::object();
    for (auto& [name, inner] : value) object[name] = to_json_value(inner);
    return object;
  }
};

template <class... Alternatives>
struct FormOf<std::variant<Alternatives...>> {
  static OrderedJson write(std::variant<Alternatives...>& value) {
    OrderedJson object = OrderedJson::object();
    std::visit(
        [&](auto& chosen) {
          object[std::string(tag_key<std::variant<Alternatives...>>)] = std::decay_t<decltype(chosen)>::tag;
          ObjectWriter writer(object);
          fields(writer, chosen);
        },
        value);
    return object;
  }
};

template <>
struct FormOf<systems::Partitions> {
  static OrderedJson write(systems::Partitions& value) {
    if (value.automatic) return "auto";
    if (value.counts.size() == 1) return value.counts.front();
    return to_json_value(value.counts);
  }
};

template <>
struct FormOf<systems::GossipRate> {
  static OrderedJson write(systems::GossipRate& value) {
    if (value.continuous) return "continuous";
    if (value.every == 1) return "per_gradient";
    return value.every;
  }
};

template <>
struct FormOf<nn::ModelSpec> {
  static OrderedJson write(nn::ModelSpec& value) {
    if (value.name != "layers") return value.name;
    OrderedJson object = OrderedJson::object();
    object["layers"] = to_json_value(value.layers);
    return object;
  }
};

template <>
struct FormOf<HostChoice> {
  static OrderedJson write(HostChoice& value) {
    if (value.names.empty()) return value.first > 0 ? OrderedJson(value.first) : OrderedJson();
    return to_json_value(value.names);
  }
};

template <>
struct FormOf<PlatformSpec> {
  static OrderedJson write(PlatformSpec& value) {
    OrderedJson object = std::visit([](auto& hosts) { return to_json_value(hosts); }, value.hosts);
    object["network"] = to_json_value(value.network);
    if (!value.profiles.empty()) object["profiles"] = to_json_value(value.profiles);
    return object;
  }
};

template <class T>
OrderedJson to_json_value(T& value) {
  return FormOf<T>::write(value);
}

}  // namespace ddl::scenario
