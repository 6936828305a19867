#include "sim/record/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace ddl {
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
    // The sign of a NaN says nothing, and would be printed.
    fmt::format_to(std::back_inserter(text_), "{}", std::isnan(value) ? std::abs(value) : value);
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
  // Quoted where a comma, a quote or a line break would be taken for the table's own (RFC 4180).
  Table& operator<<(const std::string& value) {
    separate();
    if (value.find_first_of(",\"\r\n") == std::string::npos) {
      text_ += value;
      return *this;
    }
    text_ += '"';
    for (const char letter : value) text_ += letter == '"' ? "\"\"" : std::string(1, letter);
    text_ += '"';
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

std::string curve_csv(const RunResult& result) {
  Table table("time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy");
  for (const CurveRow& row : result.curve) {
    table << row.time_s << row.worker << row.iteration << row.samples << row.epoch << row.bytes_sent << row.train_loss
          << row.test_loss << row.test_accuracy;
    table.end();
  }
  return table.take();
}

std::string iterations_csv(const RunResult& result) {
  Table table("worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,staleness");
  for (const IterationRow& row : result.iterations) {
    // Rounding alone can make the difference a hair less than nothing.
    const double wait_s = std::max(0.0, row.end_s - row.start_s - row.compute_s);
    table << result.nodes.at(static_cast<std::size_t>(row.worker)) << row.iteration << row.start_s << row.compute_s
          << wait_s << row.end_s << row.train_loss << row.staleness;
    table.end();
  }
  return table.take();
}

std::string traffic_csv(const RunResult& result) {
  Table table("link,direction,bytes,utilisation");
  for (const TrafficRow& row : result.traffic) {
    table << row.link << row.direction << row.bytes << row.utilisation;
    table.end();
  }
  return table.take();
}

std::string pairs_csv(const RunResult& result) {
  Table table("source,target,messages,bytes");
  for (const PairRow& row : result.pairs) {
    table << result.nodes.at(static_cast<std::size_t>(row.source))
          << result.nodes.at(static_cast<std::size_t>(row.target)) << row.messages << row.bytes;
    table.end();
  }
  return table.take();
}

}  // namespace ddl
