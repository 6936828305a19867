// Faults of whole sites, and sums over the sites that are there.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/support/over_sites.hpp"

namespace ddl::site_faults_test {
namespace {

const std::string learns = R"("model": "softmax", "data": {"train": 300, "test": 50})";

std::string at_site(const std::string& type, const std::string& site, const std::string& rest) {
  return fmt::format(R"({{"type": "{}", "site": "{}", {}}})", type, site, rest);
}
std::string at_hosts(const std::string& type, const std::string& one, const std::string& other,
                     const std::string& rest) {
  return fmt::format(R"({{"type": "{0}", "host": "{1}", {3}}}, {{"type": "{0}", "host": "{2}", {3}}})", type, one,
                     other, rest);
}

double crossing(const run::RunResult& result) {
  double bytes = 0;
  for (const run::TrafficRow& row : result.traffic) {
    if (row.link.find('-') != std::string::npos) bytes += row.bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a fault of a site is one of each of its hosts") {
  struct Row {
    std::string of_site, of_hosts;
  };
  const std::string restart = R"("at": "7.3s", "restart": "19s")",
                    slow = R"("from": "3s", "until": "30s", "factor": 4)";
  const auto list = [](const std::string& keys, const char* where) {
    return fmt::format(R"({{{}, {}}})", keys, where);
  };
  const std::string trace = R"("type": "availability", "presence": [{"client": "x", "from": "10s", "until": "30s"}],
                               "repeat_every": "40s")",
                    stragglers = R"("type": "stragglers", "mean_every": "3s", "mean_duration": "2s", "factor": 3)";
  const std::vector<Row> rows = {
      {at_site("host_crash", "b", restart), at_hosts("host_crash", "w2", "w3", restart)},
      {at_site("leave", "b", R"("at": "7.3s")") + ", " + at_site("join", "b", R"("at": "19s")"),
       at_hosts("leave", "w2", "w3", R"("at": "7.3s")") + ", " + at_hosts("join", "w2", "w3", R"("at": "19s")")},
      {at_site("host_slowed", "c", slow), at_hosts("host_slowed", "w4", "w5", slow)},
      {list(trace, R"("site": "c")"), list(trace, R"("hosts": ["w4", "w5"])")},
      {list(stragglers, R"("site": "c")"), list(stragglers, R"("hosts": ["w4", "w5"])")}};
  for (const Row& row : rows) {
    CAPTURE(row.of_site);
    for (const std::string algorithm : {R"("alone")", R"({"name": "ring_allreduce", "on_failure": "go_on"})",
                                        R"({"name": "diloco", "sync_every": 3, "on_failure": "go_on"})"}) {
      CAPTURE(algorithm);
      const auto run = [&](const std::string& faults) {
        return run::run(over_sites(algorithm, faults, R"({"time": "70s"})", learns));
      };
      const auto site = run(row.of_site), hosts = run(row.of_hosts);
      CHECK(site.steps == hosts.steps);
      CHECK(site.bytes_sent == hosts.bytes_sent);
      CHECK(site.weights == hosts.weights);
    }
  }
}

TEST_CASE("the hosts of a site that churns are down at the same times") {
  const auto result = run::run(over_sites(
      R"("alone")", at_site("churn", "b", R"("mean_up": "20s", "mean_down": "10s")"), R"({"time": "2000s"})"));
  CHECK(result.faults->crashes > 80);
  REQUIRE(result.absences.size() % 2 == 0);
  std::map<std::pair<double, double>, int> hosts;
  for (const run::TraceInterval& absence : result.absences) ++hosts[{absence.start_s, absence.end_s}];
  for (const auto& [interval, count] : hosts) CHECK(count == 2);
}

TEST_CASE("a site that is not there, and a site beside a host, are refused") {
  const auto refusal = [](const std::string& faults) -> std::string {
    try {
      run::run(over_sites(R"("alone")", faults, R"({"time": "9s"})"));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(at_site("leave", "bb", R"("at": "1s")")).find("$.faults[0].site: there is no site \"bb\"; ") !=
        std::string::npos);
  CHECK(refusal(at_site("leave", "b", R"("host": "w1", "at": "1s")")).find("$.faults[0].site") != std::string::npos);
  CHECK(refusal(at_site("leave", "b", R"("at": "5s")") + R"(, {"type": "leave", "host": "w3", "at": "6s"})")
            .find("finds w3 gone") != std::string::npos);
}

// In each sum over n workers, whatever its shape, 2(n - 1) models travel, and 2(S - 1) between S sites: by hand.
TEST_CASE("a hierarchical sum is over the workers that are there, and over the sites that have any") {
  struct Row {
    std::string faults;
    double workers, sites;
  };
  const std::string at_once = R"("at": "0s")";
  for (const std::string algorithm :
       {R"("hierarchical_allreduce")", R"({"name": "local_sgd", "local_steps": 1, "collective": "hierarchical"})",
        R"({"name": "diloco", "sync_every": 1, "collective": "hierarchical"})"}) {
    CAPTURE(algorithm);
    for (const Row& row :
         {Row{"", 6, 3}, Row{at_site("leave", "a", at_once), 4, 2},
          Row{R"({"type": "leave", "host": "w0", "at": "0s"})", 5, 3},
          Row{R"({"type": "leave", "host": "w2", "at": "0s"}, {"type": "leave", "host": "w4", "at": "0s"})", 4, 3},
          Row{at_site("leave", "a", at_once) + ", " + at_site("leave", "c", at_once), 2, 1}}) {
      CAPTURE(row.faults);
      const auto result = run::run(over_sites(algorithm, row.faults, R"({"iterations": 5})"));
      CHECK(result.bytes_sent == doctest::Approx(5 * 1e6 * 2 * (row.workers - 1)).epsilon(1e-5));
      CHECK(crossing(result) == doctest::Approx(5 * 1e6 * 2 * (row.sites - 1)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a site that comes back takes the outer model over one link, and passes it on") {
  for (const char* replica : {"worker", "site"}) {
    CAPTURE(replica);
    const auto run = [&](const std::string& faults) {
      return run::run(
          over_sites(fmt::format(R"({{"name": "diloco", "sync_every": 10, "replica": "{}", "collective": "hierarchical",
                           "on_failure": "go_on", "outer": {{"type": "sgd", "learning_rate": 1}}}})",
                                 replica),
                     faults, R"({"iterations": 30})"));
    };
    // Away from the third step on, and back before the tenth. It contributes nothing to that outer step: of the three
    // parts of a ring over three sites one begins at b, and crosses its first link without a byte.
    const auto away = run(at_site("leave", "b", R"("at": "2.5s")") + ", " + at_site("join", "b", R"("at": "5s")"));
    const auto whole = run("");
    CHECK(away.steps == std::vector<std::int64_t>(6, 30));
    CHECK(crossing(away) - crossing(whole) == doctest::Approx(1e6 - 1e6 / 3).epsilon(1e-4));
  }
}

TEST_CASE("replicas that are sites stay equal within, and outer models everywhere, whatever sites do") {
  for (const std::string settings :
       {R"("sync_every": 4)", R"("sync_every": 6, "fragments": 1, "fragment_sync_delay": 2)"}) {
    for (const std::string& faults :
         {at_site("leave", "b", R"("at": "9.3s")") + ", " + at_site("join", "b", R"("at": "31.7s")"),
          at_site("leave", "a", R"("at": "3.1s")") + ", " + at_site("join", "a", R"("at": "3.2s")"),
          at_site("leave", "c", R"("at": "8s")") + ", " + at_site("join", "c", R"("at": "40s")"),
          at_site("leave", "b", R"("at": "5s")") + ", " + at_site("leave", "c", R"("at": "7s")") + ", " +
              at_site("join", "b", R"("at": "12s")") + ", " + at_site("join", "c", R"("at": "19s")")}) {
      CAPTURE(settings);
      CAPTURE(faults);
      auto scenario =
          over_sites(fmt::format(R"({{"name": "diloco", "replica": "site", "on_failure": "go_on", {}}})", settings),
                     faults, R"({"iterations": 30})", learns);
      scenario.compute.jitter = 0.1;
      const auto result = run::run(scenario);
      CHECK(result.steps == std::vector<std::int64_t>(6, 30));
      for (const auto& outer : result.weights) CHECK(outer == result.weights[0]);
    }
  }
}

}  // namespace ddl::site_faults_test
