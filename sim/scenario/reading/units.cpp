#include "sim/scenario/reading/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

// value = number * times / over. One of the two is 1 and both are exact, so that there is a single rounding, and
// "340ms" is the same double as 0.34.
struct Unit {
  std::string_view name;
  Dimension dimension;
  double times;
  double over = 1;
  bool written = true;  // by write_quantity
};

constexpr Unit kUnits[] = {
    {"s", Dimension::time, 1},
    {"ms", Dimension::time, 1, 1e3},
    {"us", Dimension::time, 1, 1e6},
    {"ns", Dimension::time, 1, 1e9},
    {"min", Dimension::time, 60, 1, false},
    {"h", Dimension::time, 3600, 1, false},
    {"B", Dimension::size, 1},
    {"kB", Dimension::size, 1e3},
    {"MB", Dimension::size, 1e6},
    {"GB", Dimension::size, 1e9},
    {"TB", Dimension::size, 1e12},
    {"KiB", Dimension::size, 1024},
    {"MiB", Dimension::size, 1048576},
    {"GiB", Dimension::size, 1073741824},
    {"bps", Dimension::bandwidth, 0.125},
    {"kbps", Dimension::bandwidth, 125},
    {"Mbps", Dimension::bandwidth, 125e3},
    {"Gbps", Dimension::bandwidth, 125e6},
    {"Tbps", Dimension::bandwidth, 125e9},
    {"Bps", Dimension::bandwidth, 1, 1, false},
    {"kBps", Dimension::bandwidth, 1e3, 1, false},
    {"MBps", Dimension::bandwidth, 1e6, 1, false},
    {"GBps", Dimension::bandwidth, 1e9, 1, false},
    {"TBps", Dimension::bandwidth, 1e12, 1, false},
    {"KiBps", Dimension::bandwidth, 1024, 1, false},
    {"MiBps", Dimension::bandwidth, 1048576, 1, false},
    {"GiBps", Dimension::bandwidth, 1073741824, 1, false},
    {"f", Dimension::speed, 1},
    {"kf", Dimension::speed, 1e3},
    {"Mf", Dimension::speed, 1e6},
    {"Gf", Dimension::speed, 1e9},
    {"Tf", Dimension::speed, 1e12},
};

// Far beyond any sensible value, and far enough below the largest double that sums stay finite.
constexpr double kLargest = 1e30;

// A number that would be out of the ordinary with the usual unit is in base units already.
const char* example_unit(double number, Dimension dimension) {
  const bool is_large = number >= 1e5;
  switch (dimension) {
    case Dimension::time:
      return "s";
    case Dimension::size:
      return is_large ? "B" : "MB";
    case Dimension::bandwidth:
      return is_large ? "bps" : "Mbps";
    case Dimension::speed:
      return is_large ? "f" : "Gf";
  }
  return "";
}

std::string expected(Dimension dimension) {
  return fmt::format("expected {} such as \"{}\"", dimension_name(dimension), example_of(dimension));
}

// "MB/s" and "Mbit/s" as they are written here. The nearest name to "MB/s" would be "Mbps", an eighth of it.
std::string per_second(std::string_view unit) {
  std::string name(unit);
  if (name.ends_with("/s")) name.replace(name.size() - 2, 2, "ps");
  if (name.ends_with("bitps")) name.replace(name.size() - 5, 5, "bps");
  return name;
}

std::string unknown_unit(std::string_view text, std::string_view unit, Dimension dimension) {
  if (unit.find_first_of(" \t") != std::string_view::npos) {
    return fmt::format("{} has a blank in it; {}", in_quotes(text), expected(dimension));
  }
  const std::string meant = per_second(unit);
  std::vector<std::string> names, longer;
  for (const Unit& known : kUnits) {
    if (known.dimension != dimension) continue;
    names.emplace_back(known.name);
    if (names.back().starts_with(unit)) longer.push_back(in_quotes(known.name));
  }
  std::string choice = nearest_or(meant, names, expected(dimension));
  if (std::ranges::find(names, meant) != names.end()) choice = fmt::format("did you mean {}?", in_quotes(meant));
  // "10m" may mean milliseconds or minutes: no guess.
  if (longer.size() > 1) choice = fmt::format("expected {}", fmt::join(longer, " or "));
  return fmt::format("{} has the unknown unit {}; {}", in_quotes(text), in_quotes(unit), choice);
}

}  // namespace

const char* dimension_name(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time";
    case Dimension::size:
      return "a size";
    case Dimension::bandwidth:
      return "a bandwidth";
    case Dimension::speed:
      return "a speed";
  }
  return "";
}

const char* example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "20ms";
    case Dimension::size:
      return "17MB";
    case Dimension::bandwidth:
      return "40Mbps";
    case Dimension::speed:
      return "50Gf";
  }
  return "";
}

std::string missing_unit(double number, Dimension dimension) {
  const std::string example =
      number > 0 ? fmt::format("{}{}", number, example_unit(number, dimension)) : std::string(example_of(dimension));
  return fmt::format("{} has no unit; write for example \"{}\"", number, example);
}

Quantity parse_quantity(std::string_view text, Dimension dimension) {
  // from_chars also accepts "inf" and "nan", which are never valid settings.
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() <= first || std::string_view("0123456789.").find(text[first]) == std::string_view::npos) {
    return {0, fmt::format("{} is not a number with a unit; {}", in_quotes(text), expected(dimension))};
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument) {
    return {0, fmt::format("{} is not a number with a unit; {}", in_quotes(text), expected(dimension))};
  }
  if (error != std::errc()) return {0, fmt::format("{} is out of range; {}", in_quotes(text), expected(dimension))};

  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty())
    return {0,
            '"' + std::string(text) + '"' + missing_unit(number, dimension).substr(fmt::format("{}", number).size())};
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    if (known.dimension != dimension) {
      return {0, fmt::format("{} is {}; {}", in_quotes(text), dimension_name(known.dimension), expected(dimension))};
    }
    const double value = number * known.times / known.over;
    if (!(std::abs(value) <= kLargest)) {
      return {0, fmt::format("{} is out of range; {}", in_quotes(text), expected(dimension))};
    }
    return {value, ""};
  }
  return {0, unknown_unit(text, unit, dimension)};
}

std::string write_quantity(double value, Dimension dimension) {
  std::string best;
  double best_number = 0;
  for (const Unit& unit : kUnits) {
    if (unit.dimension != dimension || !unit.written) continue;
    const double number = value * unit.over / unit.times;
    const std::string text = fmt::format("{}{}", number, unit.name);
    const Quantity back = parse_quantity(text, dimension);
    if (!back.problem.empty() || back.value != value) continue;
    // Among texts of one length a number of at least 1 reads best: "100Mbps", not "0.1Gbps".
    const bool reads_better =
        best.empty() || text.size() < best.size() || (text.size() == best.size() && best_number < 1 && number >= 1);
    if (reads_better) {
      best = text;
      best_number = number;
    }
  }
  return best;
}

std::string pattern_of(Dimension dimension) {
  std::string units;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension) units += (units.empty() ? "" : "|") + std::string(unit.name);
  }
  return "^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?(" + units + ")$";
}

}  // namespace ddl::scenario
