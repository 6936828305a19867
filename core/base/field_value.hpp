// Settings without their types. Code that reads, writes or describes settings unknown at compile time, such as those of
// a training system, is a FieldVisitor, and sees every setting in one of the forms below.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl {

struct FieldValue;
class FieldVisitor;

// All of them refer to the setting that they were made for, and change it.

// One word out of several.
struct WordField {
  std::vector<std::string> words;
  std::size_t chosen = 0;
  std::function<void(std::size_t)> choose;
};
// An optional value.
struct OptionalField {
  bool present = false;
  std::function<FieldValue()> make;  // emplaces a new value
  std::function<FieldValue()> value;
  std::function<void()> clear;
};
struct ListField {
  bool may_be_one = false;  // a list of one value may be given as that value, and an empty one left out
  std::size_t size = 0;
  std::function<FieldValue(std::size_t)> at;
  std::function<FieldValue()> append;
  std::function<void()> clear;
};
struct MapField {
  std::vector<std::string> names;
  std::function<FieldValue(const std::string&)> at;  // made if absent
  std::function<void()> clear;
};
struct ObjectField {
  std::function<void(FieldVisitor&)> visit;
};
// One of several objects, told apart by a tag under `key`.
struct ChoiceField {
  std::string key;
  bool tag_optional = false;  // without a tag it is the first
  std::vector<std::string> tags;
  std::size_t chosen = 0;
  std::function<void(std::size_t)> choose;  // with its defaults
  std::function<void(FieldVisitor&)> visit;
};
// One of several forms, told apart by their JSON: words, a value, a list, a list of lists.
struct EitherField {
  std::vector<std::function<FieldValue()>> forms;  // each emplaces a new value of its form
  std::function<FieldValue()> value;               // the present value, in its form
  const char* is_not = "";                         // error for anything else: "is no count"
  const char* expected = "";                       // "expected a count or \"auto\""
};

struct FieldValue {
  std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*, Seconds*, Bytes*, BytesPerSecond*,
               FlopsPerSecond*, ShareOrCount*, WordField, OptionalField, ListField, MapField, ObjectField, ChoiceField,
               EitherField>
      form;
};

template <class T>
FieldValue field_value(T& value);

// A visitor for fields() that need not be a template.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    visit(key, field_value(value), rule);
  }
  virtual void visit(const char* key, const FieldValue& value, const Rule& rule) = 0;
  // A former key in this place: what to write instead, `"codec": {"type": ...}`, and which of its values, as JSON, ask
  // for what happens without it.
  virtual void former(const char* /*key*/, const char* /*instead*/, const std::vector<std::string>& /*idle*/) {}
  void former(const char* key, const char* instead) { former(key, instead, {}); }
};

// True for lists of bandwidths and speeds.
template <class T>
inline constexpr bool one_or_list = std::is_same_v<T, BytesPerSecond> || std::is_same_v<T, FlopsPerSecond>;

template <class T>
struct FormOf {
  static FieldValue of(T& value) {
    if constexpr (requires { form_of(value); }) {
      return form_of(value);
    } else if constexpr (std::is_constructible_v<decltype(FieldValue::form), T*>) {
      return {&value};
    } else if constexpr (std::is_enum_v<T>) {
      WordField field{.words = {}, .choose = [&value](std::size_t i) { value = enum_names(T{})[i].value; }};
      for (const auto& entry : enum_names(T{})) {
        if (entry.value == value) field.chosen = field.words.size();
        field.words.emplace_back(entry.name);
      }
      return {std::move(field)};
    } else {
      return {ObjectField{[&value](FieldVisitor& visit) { fields(visit, value); }}};
    }
  }
};

template <class T>
struct FormOf<std::optional<T>> {
  static FieldValue of(std::optional<T>& value) {
    return {OptionalField{.present = value.has_value(),
                          .make = [&value] { return field_value(value.emplace()); },
                          .value = [&value] { return field_value(*value); },
                          .clear = [&value] { value.reset(); }}};
  }
};

template <class T>
struct FormOf<std::vector<T>> {
  static FieldValue of(std::vector<T>& value) {
    return {ListField{.may_be_one = one_or_list<T>,
                      .size = value.size(),
                      .at = [&value](std::size_t i) { return field_value(value[i]); },
                      .append = [&value] { return field_value(value.emplace_back()); },
                      .clear = [&value] { value.clear(); }}};
  }
};

template <class T>
struct FormOf<std::map<std::string, T>> {
  static FieldValue of(std::map<std::string, T>& value) {
    MapField field{.names = {},
                   .at = [&value](const std::string& name) { return field_value(value[name]); },
                   .clear = [&value] { value.clear(); }};
    for (const auto& [name, inner] : value) field.names.push_back(name);
    return {std::move(field)};
  }
};

template <class T>
constexpr bool is_tag_optional() {
  if constexpr (requires { T::tag_optional; }) return true;
  return false;
}

template <class... Alternatives>
struct FormOf<std::variant<Alternatives...>> {
  using Variant = std::variant<Alternatives...>;
  static FieldValue of(Variant& value) {
    const auto choose = [&value](std::size_t wanted) {
      std::size_t i = 0;
      ((i++ == wanted ? void(value = Alternatives{}) : void()), ...);
    };
    const auto show = [&value](FieldVisitor& visit) {
      std::visit([&](auto& chosen) { fields(visit, chosen); }, value);
    };
    return {ChoiceField{.key = std::string(tag_key<Variant>),
                        .tag_optional = is_tag_optional<std::variant_alternative_t<0, Variant>>(),
                        .tags = {Alternatives::tag...},
                        .chosen = value.index(),
                        .choose = choose,
                        .visit = show}};
  }
};

template <class T>
FieldValue field_value(T& value) {
  return FormOf<T>::of(value);
}

// The form of a setting with several forms, for its form_of().
template <class... Forms>
FieldValue either(std::variant<Forms...>& value, const char* is_not, const char* expected) {
  return {EitherField{.forms = {[&value] { return field_value(value.template emplace<Forms>()); }...},
                      .value = [&value] { return std::visit([](auto& form) { return field_value(form); }, value); },
                      .is_not = is_not,
                      .expected = expected}};
}

}  // namespace ddl
