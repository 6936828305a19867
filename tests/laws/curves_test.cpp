// Accuracy over simulated time, as a user would assert it of the shipped scenarios. Bands are wide enough for another
// CPU's kernels and another seed, and too narrow for a scheme that does not do its work.
#include <doctest/doctest.h>

#include <optional>

#include "tests/support/scenarios.hpp"

namespace ddl::curves_test {

namespace {

// `network_algorithm` of the shipped scenarios, evaluated every five seconds.
std::vector<experiment::CurveRow> mean_curve(const std::string& name, int seed) {
  const auto scenario = scenario::read_scenario(std::string(DDLSIM_SOURCE_DIR) + "/scenarios/" + name + ".json",
                                                {{"seed", std::to_string(seed)}, {"evaluate.samples", "500"}});
  std::vector<experiment::CurveRow> rows;
  for (const experiment::CurveRow& row : runtime::run(scenario).curve) {
    if (row.worker == "mean") rows.push_back(row);
  }
  return rows;
}

// Mean over seeds of the time to an accuracy; the run's end where it is not reached.
double time_to(double accuracy, const std::string& name) {
  double sum = 0;
  for (const int seed : {11, 12}) {
    const auto curve = mean_curve(name, seed);
    double reached = curve.back().time_s;
    for (auto row = curve.rbegin(); row != curve.rend(); ++row) {
      if (row->test_accuracy >= accuracy) reached = row->time_s;
    }
    sum += reached / 2;
  }
  return sum;
}

// Mean over seeds and the last ten evaluations: plain SGD at this rate jumps up and down by ten points at any instant.
double final_accuracy(const std::string& name) {
  double sum = 0;
  for (const int seed : {11, 12, 13}) {
    const auto curve = mean_curve(name, seed);
    REQUIRE(curve.size() > 10);
    for (auto row = curve.end() - 10; row != curve.end(); ++row) sum += row->test_accuracy / 30;
  }
  return sum;
}

void check_between(double value, double least, double most) {
  CHECK(value >= least);
  CHECK(value <= most);
}

}  // namespace

TEST_CASE("on the heterogeneous LAN every scheme reaches 60 % within its band of time") {
  check_between(time_to(0.6, "het_lan_ako_p4"), 20, 80);
  check_between(time_to(0.6, "het_lan_ako_p1"), 15, 60);
  check_between(time_to(0.6, "het_lan_ps_async"), 50, 140);
  check_between(time_to(0.6, "het_lan_ps_sync"), 100, 240);
  check_between(time_to(0.6, "het_lan_gossip"), 60, 180);
}

TEST_CASE("on the uniform LAN the asynchronous server and Ako P=4 end within eight points of each other") {
  const double ps = final_accuracy("uniform_lan_ps_async"), ako = final_accuracy("uniform_lan_ako_p4");
  CHECK(ps > 0.8);
  CHECK(std::fabs(ps - ako) < 0.08);
}

TEST_CASE("on both WANs Ako P=4 ends at least two points above the asynchronous server, and above P=1") {
  for (const std::string network : {"uniform_wan", "het_wan"}) {
    CAPTURE(network);
    const double four = final_accuracy(network + "_ako_p4");
    CHECK(four >= final_accuracy(network + "_ps_async") + 0.02);
    CHECK(four >= final_accuracy(network + "_ako_p1"));
  }
}

}  // namespace ddl::curves_test
