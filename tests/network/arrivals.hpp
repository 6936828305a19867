// Arrival times of messages, as rows of data: the network, the messages, and their times, by hand.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

namespace ddl::network {

constexpr double whenever = NAN;

using Solvers = std::vector<scenario::LinkSolver>;
inline const Solvers both_solvers = {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator};

// Arrivals of messages, and behind them those of first slices, if any are in slices; -1: never.
inline std::vector<double> times(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                                 const std::function<void(Network&, std::size_t)>& before = nullptr) {
  const nlohmann::json found = forked([&] {
    Arrivals times = carried_in_slices(scenario, messages, before);
    const bool in_slices = std::ranges::any_of(messages, [](const Sent& sent) { return sent.first_bytes > 0; });
    if (in_slices) times.whole.insert(times.whole.end(), times.first.begin(), times.first.end());
    return nlohmann::json(times.whole);
  });
  REQUIRE_MESSAGE(found.is_array(), found.dump());
  return found.get<std::vector<double>>();
}

inline scenario::Scenario solved_by(scenario::Scenario scenario, scenario::LinkSolver solver) {
  scenario.platform.network.solver = solver;
  return scenario;
}

// Optional parts of a row.
struct Also {
  double within_s = 0;  // beyond rounding
  std::function<void(Network&, std::size_t)> before = nullptr;
  Solvers solvers = both_solvers;
};

// Messages, and their first slices if there are times for them, arrive at these times; -1: never. With each solver,
// except for packets, which need none.
inline void arrives(const std::string& what, const scenario::Scenario& over, const std::vector<Sent>& sent,
                    const std::vector<double>& at_s, const Also& also = {}) {
  CAPTURE(what);
  REQUIRE((at_s.size() == sent.size() || at_s.size() == 2 * sent.size()));
  const bool by_packets = over.platform.network.model == scenario::NetworkModel::packets;
  for (const auto solver : by_packets ? Solvers{scenario::LinkSolver::accelerator} : also.solvers) {
    CAPTURE(static_cast<int>(solver));
    const std::vector<double> found = times(by_packets ? over : solved_by(over, solver), sent, also.before);
    for (std::size_t i = 0; i < at_s.size(); ++i) {
      CAPTURE(i);
      CAPTURE(found[i]);
      CAPTURE(at_s[i]);
      if (!std::isnan(at_s[i])) CHECK(std::abs(found[i] - at_s[i]) <= also.within_s + 1e-6 * std::abs(at_s[i]));
    }
  }
}

// A platform of these elements.
inline scenario::Scenario on_elements(const std::string& elements,
                                      scenario::NetworkModel model = scenario::NetworkModel::CM02,
                                      std::vector<std::string> servers = {}) {
  const std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\">" +
      elements + "</platform>";
  return on_file("elements.xml", {.servers = std::move(servers), .text = std::make_shared<const std::string>(text)},
                 model);
}

inline std::string property(const std::string& name, const std::string& value) {
  return fmt::format(R"(<prop id="network/{}" value="{}"/>)", name, value);
}

// Two hosts with a link of 1 MB/s.
inline std::string pair_with_link(const std::string& attributes) {
  return R"(<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>)"
         R"(<link id="l" bandwidth="1MBps" )" +
         attributes + R"(/><route src="a" dst="b"><link_ctn id="l"/></route></zone>)";
}

// The error of a platform, found by its first route; or "".
inline std::string refusal(const scenario::Scenario& scenario) {
  const nlohmann::json answer =
      forked([&] { return nlohmann::json(platform::Fabric(scenario).find_route(0, 1).links.size()); });
  return answer.is_object() ? answer.value("input_error", "") : "";
}

}  // namespace ddl::network
