#include "sim/results/writing/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace ddl::results {
namespace {

// Rows are built field by field: `row << a << b; row.end();`.
class Table {
 public:
  explicit Table(std::string_view header) {
    text_ += header;
    text_ += '\n';
  }
  Table& operator<<(double value) {
    separate();
    text_ += csv_field(value);
    return *this;
  }
  Table& operator<<(std::int64_t value) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{}", value);
    return *this;
  }
  Table& operator<<(const std::optional<double>& value) {
    if (value) return *this << *value;
    separate();
    return *this;
  }
  Table& operator<<(const std::string& value) {
    separate();
    text_ += csv_field(value);
    return *this;
  }
  void end() {
    text_ += '\n';
    first_ = true;
  }
  std::string take() { return std::move(text_); }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string csv_field(double number) { return fmt::format("{}", std::isnan(number) ? std::abs(number) : number); }

std::string curve_csv(const experiment::RunResult& result) {
  Table table(curve_header);
  for (const experiment::CurveRow& row : result.curve) {
    table << row.time_s << row.worker << row.iteration << row.samples << row.epoch << row.bytes_sent << row.train_loss
          << row.test_loss << row.test_accuracy;
    table.end();
  }
  return table.take();
}

std::string iterations_csv(const experiment::RunResult& result) {
  Table table(iterations_header);
  for (const experiment::IterationRow& row : result.iterations) {
    // Rounding alone can make the difference a hair less than nothing.
    const double wait_s = std::max(0.0, row.end_s - row.start_s - row.compute_s);
    table << result.nodes.at(static_cast<std::size_t>(row.worker)) << row.iteration << row.start_s << row.compute_s
          << wait_s << row.end_s << row.train_loss << row.staleness;
    table.end();
  }
  return table.take();
}

std::string traffic_csv(const experiment::RunResult& result) {
  Table table(traffic_header);
  for (const experiment::TrafficRow& row : result.traffic) {
    table << row.link << row.direction << row.bytes << row.utilisation;
    table.end();
  }
  return table.take();
}

std::string pairs_csv(const experiment::RunResult& result) {
  Table table(pairs_header);
  for (const experiment::PairRow& row : result.pairs) {
    table << result.nodes.at(static_cast<std::size_t>(row.source))
          << result.nodes.at(static_cast<std::size_t>(row.target)) << row.messages << row.bytes;
    table.end();
  }
  return table.take();
}

}  // namespace ddl::results
