// One description of a settings struct serves the strict reader, the canonical writer and the JSON Schema.
//
// A struct names its fields once, in a free function template next to it:
//
//   template <class Visitor>
//   void fields(Visitor& visit, AkoParams& params) {
//     visit("queue_depth", params.queue_depth, Rule{.doc = "messages that may wait", .at_least = 1});
//   }
//
// Below its fields it may say which go together, for reader and schema alike:
//
//   visit.relation("test_path, label", Relation::needs, "source=csv");
//
// Visitors know bool, int, int64, uint64, double, std::string, the types of units.hpp, enums with enum_names, vectors
// and optionals of these, structs with fields(), and variants of structs that carry a `tag` (chosen by a key, see
// tag_key). A type with several JSON forms (such as `3 | [4,4,2] | "auto"`) has a function form_of() next to it,
// see field_value.hpp.
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace ddl {

// A field's meaning and permitted values; limits hold for numbers, dimensioned values and elements of lists.
struct Rule {
  const char* doc = "";
  double at_least = -std::numeric_limits<double>::infinity();
  double above = -std::numeric_limits<double>::infinity();  // exclusive
  double at_most = std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();  // exclusive
  bool empty_is_kept = false;                              // an empty list is written: it differs from the default
  // False: results do not list it among their settings, because it changes no result (a name), is kept separately (the
  // seed), or is a path, identified by its content.
  bool is_setting = true;
  const char* example = "";  // a value as JSON, where its type does not say enough
};

// How keys go with a condition: given only where it holds, only where it does not, always where it holds; or a time
// after that of another key. See FieldVisitor::relation.
enum class Relation { needs, excludes, needed_with, after };

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
  const char* what = "";  // for a list of the values
};

// Each enum has a function beside it that names its values, found by the enum's type:
//   enum class E { a, b };
//   constexpr auto enum_names(E) { return in_order<E>("a", "b"); }
// or an array of EnumName, where lists tell what the values are.

// Names for the values of an enum, in order of declaration.
template <class Enum, class... Names>
constexpr auto in_order(Names... names) {
  int value = 0;
  return std::array<EnumName<Enum>, sizeof...(Names)>{EnumName<Enum>{static_cast<Enum>(value++), names, ""}...};
}

// The JSON key that tells the alternatives of a tagged variant apart; specialised for profiles ("quantity").
template <class Variant>
inline constexpr std::string_view tag_key = "type";

template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& entry : enum_names(Enum{})) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

}  // namespace ddl
