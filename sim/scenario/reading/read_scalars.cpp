#include "sim/scenario/reading/read_scalars.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/scenario/forms.hpp"
#include "sim/scenario/reading/json_text.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;

// The error for a number of the right type that is out of range.
std::string misfit(const std::string& value, bool too_small, const std::string& expected) {
  return fmt::format("{} is too {}; expected {}", value, too_small ? "small" : "large", expected);
}

bool below_range(double value, const Rule& rule) { return value < rule.at_least || value <= rule.above; }

std::string expected_quantity(Dimension dimension, const Rule& rule) {
  return fmt::format("{}{} such as \"{}\"", dimension_name(dimension), range_of(rule), example_of(dimension));
}

}  // namespace

std::string expected_value(const FieldValue& value, const Rule& rule) {
  const auto look = [&](const auto& form) -> std::string {
    using T = std::remove_cvref_t<decltype(form)>;
    if constexpr (std::is_same_v<T, OptionalField>) return expected_value(form.blank(), rule);
    if constexpr (std::is_same_v<T, EitherField>) return std::string(form.expected).substr(sizeof "expected");
    if constexpr (std::is_pointer_v<T>) {
      using Value = std::remove_pointer_t<T>;
      if constexpr (dimension_of<Value>.has_value()) return expected_quantity(*dimension_of<Value>, rule);
      if constexpr (std::is_integral_v<Value>) return "a whole number" + range_of(rule);
      return "a value" + range_of(rule);
    }
    return "a value";
  };
  return std::visit(look, value.form);
}

void read_bool(const Json& json, bool& value, const Place& place) {
  if (!json.is_boolean()) return place.error(shown(json) + " is neither true nor false; expected true or false");
  value = json.get<bool>();
}

void read_text(const Json& json, std::string& value, const Place& place) {
  if (!json.is_string()) return place.error(shown(json) + " is not text; expected a string");
  value = json.get<std::string>();
}

void read_number(const Json& json, double& value, const Rule& rule, const Place& place) {
  const std::string expected = "a number" + range_of(rule);
  if (!json.is_number()) return place.error(shown(json) + " is not a number; expected " + expected);
  const double number = json.get<double>();
  if (!within(number, rule)) return place.error(misfit(shown(json), below_range(number, rule), expected));
  value = number;
}

void read_share_or_count(const Json& json, ShareOrCount& value, const Place& place) {
  const std::string expected = "; expected a share such as 0.5 (1.0 is all) or a count such as 2";
  if (!json.is_number()) return place.error(shown(json) + " is no share and no count" + expected);
  const double number = json.get<double>();
  if (!json.is_number_float() && number < 1) return place.error(shown(json) + " is too small" + expected);
  if (json.is_number_float() && !(number > 0)) return place.error(shown(json) + " is too small" + expected);
  if (json.is_number_float() && number > 1) return place.error(shown(json) + " is too large for a share" + expected);
  value = {number, !json.is_number_float()};
}

void read_whole(const Json& json, std::int64_t& value, std::int64_t least, std::int64_t most, const Rule& rule,
                const Place& place) {
  const std::string expected = "a whole number" + range_of(rule);
  if (!json.is_number()) return place.error(shown(json) + " is not a whole number; expected " + expected);
  const double number = json.get<double>();
  if (json.is_number_float() && number != std::floor(number)) {
    return place.error(shown(json) + " is not a whole number; expected " + expected);
  }
  // Up to 2^63 - 1024, the largest double below 2^63, casting is exact enough for the comparisons that follow.
  constexpr double largest = 9223372036854774784.0;
  const bool fits = json.is_number_unsigned() ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                              : number >= static_cast<double>(least) && number <= largest;
  const std::int64_t whole = !fits                    ? 0
                             : json.is_number_float() ? static_cast<std::int64_t>(number)
                                                      : json.get<std::int64_t>();
  if (!fits || whole < least || whole > most || !within(number, rule)) {
    return place.error(misfit(shown(json), number < static_cast<double>(least) || below_range(number, rule), expected));
  }
  value = whole;
}

void read_unsigned(const Json& json, std::uint64_t& value, const Rule& rule, const Place& place) {
  const std::string expected = fmt::format("a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max());
  if (!json.is_number()) return place.error(shown(json) + " is not a whole number; expected " + expected);
  if (json.is_number_unsigned()) {
    value = json.get<std::uint64_t>();
  } else {
    const double number = json.get<double>();
    if (number != std::floor(number)) return place.error(shown(json) + " is not a whole number; expected " + expected);
    // Beyond 2^53 a number with an exponent or a decimal point does not determine a whole number exactly.
    if (number < 0 || number > 9007199254740992.0) return place.error(misfit(shown(json), number < 0, expected));
    value = static_cast<std::uint64_t>(number);
  }
  if (!within(static_cast<double>(value), rule)) {
    place.error(misfit(shown(json), below_range(static_cast<double>(value), rule), expected));
  }
}

void read_quantity(const Json& json, double& value, Dimension dimension, const Rule& rule, const Place& place) {
  // Nothing is the same in every unit.
  if (json.is_number() && json.get<double>() == 0 && rule.at_least == 0) {
    value = 0;
    return;
  }
  if (json.is_number()) return place.error(missing_unit(json.get<double>(), dimension));
  const std::string expected = "expected " + expected_quantity(dimension, rule);
  if (!json.is_string())
    return place.error(fmt::format("{} is not {}; {}", shown(json), dimension_name(dimension), expected));
  const auto& text = json.get_ref<const std::string&>();
  const Quantity quantity = parse_quantity(text, dimension);
  if (!quantity.problem.empty()) return place.error(quantity.problem);
  if (!within(quantity.value, rule)) {
    const char* what = quantity.value < 0 ? "negative" : below_range(quantity.value, rule) ? "too small" : "too large";
    return place.error(fmt::format("{} is {}; {}", shown(json), what, expected));
  }
  value = quantity.value;
}

}  // namespace ddl::scenario
