#include "sim/results/writing/csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddl::results {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string csv_field(double number) { return fmt::format("{}", std::isnan(number) ? std::abs(number) : number); }

void add_csv_field(std::string& text, const std::string& value) { text += csv_field(value); }

void add_csv_field(std::string& text, double value) { text += csv_field(value); }

void add_csv_field(std::string& text, std::int64_t value) { text += fmt::format_int(value).str(); }

void add_csv_field(std::string& text, bool value) { text += value ? '1' : '0'; }

void add_csv_field(std::string& text, const std::optional<double>& value) {
  if (value) add_csv_field(text, *value);
}

}  // namespace ddl::results
