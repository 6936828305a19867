// Fields of comma-separated text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddl::results {

// Quoted where a comma, a quote or a line break would be taken for the table's own (RFC 4180).
std::string csv_field(const std::string& text);
// The shortest decimals that read back as the same double; nan without its sign, which says nothing.
std::string csv_field(double number);
// Nothing for what is absent.
inline std::string csv_field(const std::optional<double>& number) {
  return number ? csv_field(*number) : std::string();
}

// The same, added to `text`; true is 1, what is absent nothing.
void add_csv_field(std::string& text, const std::string& value);
void add_csv_field(std::string& text, double value);
void add_csv_field(std::string& text, std::int64_t value);
void add_csv_field(std::string& text, bool value);
void add_csv_field(std::string& text, const std::optional<double>& value);

}  // namespace ddl::results
