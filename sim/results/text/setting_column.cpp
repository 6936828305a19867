#include "sim/results/text/setting_column.hpp"

#include <nlohmann/json.hpp>

#include "sim/results/writing/csv.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::results {
namespace {

struct BaseUnit {
  scenario::Dimension dimension;
  const char* suffix;
  double factor;  // from parse_quantity's
};
constexpr BaseUnit base_units[] = {{scenario::Dimension::bandwidth, "_bit_per_s", 8},
                                   {scenario::Dimension::time, "_s", 1},
                                   {scenario::Dimension::size, "_bytes", 1},
                                   {scenario::Dimension::speed, "_flop_per_s", 1}};

bool is_absent(const std::string& value) { return value.empty() || value == "none"; }

// Without JSON's quotes.
std::string bare(const std::string& value) {
  if (!value.starts_with('"')) return value;
  const auto json = nlohmann::json::parse(value, nullptr, false);
  return json.is_string() ? json.get<std::string>() : value;
}

std::optional<double> number_of(const std::string& value, const BaseUnit& unit) {
  const scenario::Quantity quantity = scenario::parse_quantity(value, unit.dimension);
  return quantity.problem.empty() ? std::optional(quantity.value * unit.factor) : std::nullopt;
}

// "[40000000,5000000]" of a list of quantities.
std::optional<std::string> numbers_of(const std::string& value, const BaseUnit& unit) {
  const auto json = value.starts_with('[') ? nlohmann::json::parse(value, nullptr, false) : nlohmann::json();
  if (!json.is_array() || json.empty()) return std::nullopt;
  std::string list;
  for (const auto& element : json) {
    const auto number = element.is_string() ? number_of(element.get<std::string>(), unit) : std::nullopt;
    if (!number) return std::nullopt;
    list += (list.empty() ? "[" : ",") + csv_field(*number);
  }
  return list + "]";
}

std::optional<Cell> cell_of(const std::string& value, const BaseUnit& unit) {
  if (is_absent(value)) return Cell("none", std::nullopt);
  if (const auto number = number_of(bare(value), unit)) return Cell(bare(value), *number);
  const auto list = numbers_of(value, unit);
  if (!list) return std::nullopt;
  Cell cell(value);
  cell.data = *list;
  return cell;
}

std::optional<std::vector<Cell>> cells_of(const std::vector<std::string>& values, const BaseUnit& unit) {
  std::vector<Cell> cells;
  bool any = false;
  for (const std::string& value : values) {
    const auto cell = cell_of(value, unit);
    if (!cell) return std::nullopt;
    cells.push_back(*cell);
    any = any || !is_absent(value);
  }
  return any ? std::optional(std::move(cells)) : std::nullopt;
}

}  // namespace

SettingColumn setting_column(const std::string& path, const std::vector<std::string>& values) {
  for (const BaseUnit& unit : base_units) {
    if (auto cells = cells_of(values, unit)) {
      return {{.key = path.ends_with(unit.suffix) ? path : path + unit.suffix, .title = path}, std::move(*cells)};
    }
  }
  SettingColumn column{{.key = path, .title = path}, {}};
  for (const std::string& value : values) {
    Cell& cell = column.cells.emplace_back(value.empty() ? "none" : value);
    cell.data = bare(value);
  }
  return column;
}

}  // namespace ddl::results
