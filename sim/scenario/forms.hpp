// Settings that have more than one form in JSON; shared by the reader, the writer and the schema.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/nn/model.hpp"
#include "sim/scenario/reading/units.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Types with a unit.
template <class T>
inline constexpr std::optional<Dimension> dimension_of = std::nullopt;
template <>
inline constexpr std::optional<Dimension> dimension_of<Seconds> = Dimension::time;
template <>
inline constexpr std::optional<Dimension> dimension_of<Bytes> = Dimension::size;
template <>
inline constexpr std::optional<Dimension> dimension_of<BytesPerSecond> = Dimension::bandwidth;
template <>
inline constexpr std::optional<Dimension> dimension_of<FlopsPerSecond> = Dimension::speed;

template <class Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(Enum{})) names.emplace_back(entry.name);
  return names;
}

// The models a scenario may name.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const nn::NamedModel& model : nn::named_models()) names.emplace_back(model.name);
  names.emplace_back("none");
  return names;
}

// Keys of `data` that count where a program has the data.
inline constexpr std::string_view keys_of_program_data[] = {"partition", "alpha", "shuffle"};

inline bool within(double value, const Rule& rule) {
  return value >= rule.at_least && value <= rule.at_most && value > rule.above && value < rule.below;
}

// " from 1 to 8", " above 0 and at most 1", or nothing.
inline std::string range_of(const Rule& rule) {
  const bool least = std::isfinite(rule.at_least), most = std::isfinite(rule.at_most);
  if (least && most) return fmt::format(" from {} to {}", rule.at_least, rule.at_most);
  std::string text;
  if (least) text += fmt::format(" of at least {}", rule.at_least);
  if (std::isfinite(rule.above)) text += fmt::format(" above {}", rule.above);
  if (most) text += fmt::format("{} at most {}", text.empty() ? "" : " and", rule.at_most);
  if (std::isfinite(rule.below)) text += fmt::format("{} below {}", text.empty() ? "" : " and", rule.below);
  return text;
}

// A field is required if its default violates its own rule.
inline bool must_be_given(const FieldValue& value, const Rule& rule) {
  const auto look = [&](const auto& form) {
    using T = std::remove_cvref_t<decltype(form)>;
    if constexpr (std::is_pointer_v<T>) {
      using Value = std::remove_pointer_t<T>;
      if constexpr (dimension_of<Value>.has_value()) return !within(form->value, rule);
      if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
        return !within(static_cast<double>(*form), rule);
      }
    }
    return false;
  };
  return std::visit(look, value.form);
}

// Settings that are seen with their types: those whose forms are the scenario's own, and what holds them.
template <class T>
inline constexpr bool has_own_form = std::is_same_v<T, ModelChoice> || std::is_same_v<T, PlatformSpec>;

}  // namespace ddl::scenario
