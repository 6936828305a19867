// results/partitioned.md says what its scenarios give today.
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::partitioned_page_test {
namespace {

using Json = nlohmann::json;

// "43.3 ms", "1.40 s", "26.0 k", "0.863"
double value_of(const std::string& cell) {
  std::istringstream text(cell);
  double value = 0;
  std::string unit;
  text >> value >> unit;
  return unit == "ms" ? value / 1000 : unit == "k" ? value * 1000 : value;
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream text(row.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    const std::size_t from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
    cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  return cells;
}

// To the digits that the page shows.
void check_cell(const std::string& cell, double simulated) {
  CAPTURE(cell);
  CHECK(value_of(cell) == doctest::Approx(simulated).epsilon(0.006));
}

}  // namespace

TEST_CASE("the page about split models shows what its scenarios give") {
  const std::map<std::string, std::string> scenarios = {{"whole, one device", "whole_device"},
                                                        {"whole, in the cloud", "whole_cloud"},
                                                        {"`vertical`, full convolutions", "vertical_dense"},
                                                        {"`vertical`, grouped convolutions", "vertical_grouped"}};
  const Workplace place;
  const std::string folder = DDLSIM_SOURCE_DIR "/scenarios/partitioned/";
  const Reply reply = place.shell("'" DDLSIM_BINARY "' '" + folder + "'*.json --quiet");
  REQUIRE_MESSAGE(reply.code == 0, reply.err);
  std::istringstream page(text_of(DDLSIM_SOURCE_DIR "/results/partitioned.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| system") || line.starts_with("| ---")) continue;
    CAPTURE(line);
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == 6);
    const auto whole = scenarios.find(cells[0]);
    const std::string name = "het_wan_" + (whole == scenarios.end() ? "early_exit" : whole->second);
    const Json summary = Json::parse(text_of(place.at("results/" + name + "/1/summary.json")));
    std::size_t request = 0;
    if (whole == scenarios.end()) {
      const double threshold = value_of(cells[0].substr(cells[0].find_last_of(' ') + 1));
      while (request + 1 < summary["requests"].size() && summary["requests"][request]["threshold"] != threshold)
        ++request;
      CHECK(summary["requests"][request]["threshold"] == threshold);
    }
    if (!cells[1].empty()) check_cell(cells[1], summary["seconds_per_batch"]["mean"]);
    const Json& requests = summary["requests"][request];
    check_cell(cells[2], requests["latency_s"]["median"]);
    check_cell(cells[3], requests["latency_s"]["p95"]);
    check_cell(cells[4], requests["bytes_per_request"]);
    check_cell(cells[5], requests["accuracy"]);
    ++rows;
  }
  CHECK(rows == 10);
}

}  // namespace ddl::cli::partitioned_page_test
