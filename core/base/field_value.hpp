// Settings without their types. Code that reads, writes or describes settings unknown at compile time, such as those of
// a training system, is a FieldVisitor, and sees every setting in one of the forms below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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

// A value of any form, as JSON text.
struct AsWritten {
  std::string text;
};

// All of them refer to the setting that they were made for. Comments say which functions write to it; `blank` makes a
// setting of the same type apart from it, to look at.

// One word out of several.
struct WordField {
  std::vector<std::string> words;
  std::size_t chosen = 0;
  std::function<void(std::size_t)> choose;
};
// An optional value.
struct OptionalField {
  bool present = false;
  FieldValue (*blank)() = nullptr;
  std::function<FieldValue()> make;  // writes a new value
  std::function<FieldValue()> value;
};
struct ListField {
  bool may_be_one = false;  // a list of one value may be given as that value, and an empty one left out
  std::size_t size = 0;
  FieldValue (*blank)() = nullptr;  // an element
  std::function<FieldValue(std::size_t)> at;
  std::function<FieldValue()> append;  // writes
  std::function<void()> clear;         // writes
};
struct MapField {
  std::vector<std::string> names;
  FieldValue (*blank)() = nullptr;                   // a value
  std::function<FieldValue(const std::string&)> at;  // writes one if absent
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
  std::function<FieldValue(std::size_t)> blank;  // an object, by the number of its tag
  std::function<void(std::size_t)> choose;       // writes it with its defaults
  std::function<void(FieldVisitor&)> visit;
};
// One of several forms, told apart by their JSON: words, a value, a list, a list of lists.
struct EitherField {
  struct Form {
    FieldValue (*blank)() = nullptr;
    std::function<FieldValue()> make;  // writes a new value of its form
  };
  std::vector<Form> forms;
  std::function<FieldValue()> value;  // the present value, in its form
  const char* is_not = "";            // error for anything else: "is no count"
  const char* expected = "";          // "expected a count or \"auto\""
};

struct FieldValue {
  std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*, Seconds*, Bytes*, BytesPerSecond*,
               FlopsPerSecond*, ShareOrCount*, AsWritten*, WordField, OptionalField, ListField, MapField, ObjectField,
               ChoiceField, EitherField>
      form;
  std::shared_ptr<void> owner = nullptr;  // of a blank setting: the setting
};

template <class T>
FieldValue field_value(T& value);

template <class T>
FieldValue blank_field() {
  const auto blank = std::make_shared<T>();
  FieldValue value = field_value(*blank);
  value.owner = blank;
  return value;
}

// A visitor for fields() that need not be a template.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  template <class T>
  void operator()(const char* key, T& value, const Rule& rule) {
    visit(key, field_value(value), rule);
  }
  virtual void visit(const char* key, const FieldValue& value, const Rule& rule) = 0;
  // `keys` "a, b.c" of this object and of blocks in it, each as `how` says. A condition is a key that is given, "a",
  // one of several, "a|b", or a key with one of some words, "a=x|y". With needed_with `keys` may have such
  // alternatives.
  virtual void relation(const char* /*keys*/, Relation /*how*/, const char* /*condition*/) {}
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
                          .blank = &blank_field<T>,
                          .make = [&value] { return field_value(value.emplace()); },
                          .value = [&value] { return field_value(*value); }}};
  }
};

template <class T>
struct FormOf<std::vector<T>> {
  static FieldValue of(std::vector<T>& value) {
    return {ListField{.may_be_one = one_or_list<T>,
                      .size = value.size(),
                      .blank = &blank_field<T>,
                      .at = [&value](std::size_t i) { return field_value(value[i]); },
                      .append = [&value] { return field_value(value.emplace_back()); },
                      .clear = [&value] { value.clear(); }}};
  }
};

template <class T>
struct FormOf<std::map<std::string, T>> {
  static FieldValue of(std::map<std::string, T>& value) {
    MapField field{.names = {}, .blank = &blank_field<T>, .at = [&value](const std::string& name) {
                     return field_value(value[name]);
                   }};
    for (const auto& [name, inner] : value) field.names.push_back(name);
    return {std::move(field)};
  }
};

// In the file's order.
template <class T>
struct FormOf<std::vector<std::pair<std::string, T>>> {
  static FieldValue of(std::vector<std::pair<std::string, T>>& value) {
    MapField field{.names = {}, .blank = &blank_field<T>, .at = [&value](const std::string& name) {
                     const auto found = std::ranges::find(value, name, &std::pair<std::string, T>::first);
                     return field_value((found == value.end() ? value.emplace_back(name, T{}) : *found).second);
                   }};
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
    const auto blank = [](std::size_t wanted) {
      constexpr FieldValue (*blanks[])() = {&blank_field<Alternatives>...};
      return blanks[wanted]();
    };
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
                        .blank = blank,
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
  return {EitherField{
      .forms = {{&blank_field<Forms>, [&value] { return field_value(value.template emplace<Forms>()); }}...},
      .value = [&value] { return std::visit([](auto& form) { return field_value(form); }, value); },
      .is_not = is_not,
      .expected = expected}};
}

}  // namespace ddl
