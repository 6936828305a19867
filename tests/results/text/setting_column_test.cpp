#include "sim/results/text/setting_column.hpp"

#include <doctest/doctest.h>

namespace ddl::results::setting_column_test {
namespace {

using List = std::vector<std::string>;

// The CSV form.
std::string csv_of(const std::string& path, const List& values) {
  const SettingColumn setting = setting_column(path, values);
  std::string text = csv_header({setting.column});
  for (const Cell& cell : setting.cells) text += csv_line({cell});
  return text;
}

TEST_CASE("quantities of one kind become numbers in base units, which the column's name says") {
  CHECK(csv_of("platform.bandwidth", {"40Mbps", "1MBps"}) == "platform.bandwidth_bit_per_s\n40000000\n8000000\n");
  CHECK(csv_of("platform.latency", {"20ms"}) == "platform.latency_s\n0.02\n");
  CHECK(csv_of("wire.model_bytes", {"17MB", "1KiB"}) == "wire.model_bytes\n17000000\n1024\n");
  CHECK(csv_of("platform.speed", {"50Gf"}) == "platform.speed_flop_per_s\n50000000000\n");
  CHECK(csv_of("stop.time", {"\"5min\"", "", "none"}) == "stop.time_s\n300\n\n\n");
  CHECK(csv_of("platform.bandwidth", {R"(["40Mbps","5Mbps"])", "1Mbps"}) ==
        "platform.bandwidth_bit_per_s\n\"[40000000,5000000]\"\n1000000\n");
  CHECK(setting_column("platform.bandwidth", {"40Mbps", ""}).cells[0].text == "40Mbps");
  CHECK(setting_column("platform.bandwidth", {"40Mbps", ""}).cells[1].text == "none");
}

TEST_CASE("other settings stay as they are") {
  CHECK(csv_of("platform.workers", {"4", "8"}) == "platform.workers\n4\n8\n");
  CHECK(csv_of("platform.topology", {"star", ""}) == "platform.topology\nstar\n\n");
  CHECK(csv_of("x", {"20ms", "40Mbps"}) == "x\n20ms\n40Mbps\n");
  CHECK(csv_of("x", {"", ""}) == "x\n\n\n");
  CHECK(csv_of("x", {"[1,2]", "\"word\""}) == "x\n\"[1,2]\"\nword\n");
}

}  // namespace
}  // namespace ddl::results::setting_column_test
