// What an answer depends on beside the system: how long is trained, on how many hosts, with which model, data and
// network; and the other conditions under which it is tried.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

struct Setting {
  std::vector<std::string> lines;  // on training, and on the network unless that cannot be built
  // The model is TCP, packets would be closer to measured times, and they can simulate the platform.
  bool check_with_packets = false;
  std::string network_model = {};  // what "auto" is here; empty if the network cannot be built
};
// Builds the network in a child process.
Setting setting_of(const scenario::Scenario& scenario);

struct OtherCondition {
  std::string name;                         // "bandwidth halved"
  std::vector<scenario::Override> changes;  // of the scenario
  bool costs_more = false;
};
// As given; packet by packet, if asked for; then with links of half and twice their bandwidth and latency.
std::vector<OtherCondition> conditions_of(const scenario::Scenario& scenario, bool packets);
// What a run of the first is expected to cost, as a multiple of what one of the second costs; 1 if that cannot be said.
double cost_ratio(const scenario::Scenario& first, const scenario::Scenario& second);

}  // namespace ddl::advise
