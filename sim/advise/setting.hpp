// What an answer depends on beside the system: how long is trained, on how many hosts, with which model, data and
// network; and the other conditions under which it is tried.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

struct Setting {
  std::vector<std::string> lines;  // on training, and on the network unless that cannot be built
  // The model is TCP, packets would be closer to measured times, and they can simulate the platform.
  bool check_with_packets = false;
  // What is searched with: the network's model, but TCP where the scenario leaves it open; empty if the network cannot
  // be built.
  std::string network_model = {};
};
std::string bandwidth_text(double bytes_per_s);

// Builds the network in a child process.
Setting setting_of(const scenario::Scenario& scenario);

struct OtherCondition {
  std::string name;                              // "bandwidth halved"
  std::vector<scenario::Override> changes = {};  // of the scenario
  bool costs_more = false;
  bool for_all = false;    // it changes what sends nothing, too
  double bandwidth = 1;    // multiple of that as given
  std::string guess = {};  // the key, where it is a user's guess of what a step costs
};
// As given; packet by packet, if asked for; then with links of half and twice their bandwidth and latency, and with
// half and twice of what a batch takes and a model has on the wire.
std::vector<OtherCondition> conditions_of(const scenario::Scenario& scenario, bool packets);
// Bandwidths further away: first ever less, then ever more.
std::vector<OtherCondition> other_bandwidths(const scenario::Scenario& scenario);

// What the network and the workers did in a finished run. Throws InputError.
struct Usage {
  std::string link;                                   // the busiest one; "": nothing travelled
  double utilisation = 0, bandwidth_bytes_per_s = 0;  // of its busier way; nominal
  std::string slowest;                                // link of those used, a wide-area one where there is one
  double bytes_per_hour = 0;                          // over that, both ways
  double computing = 0;                               // share of the workers' time
  std::optional<double> staleness;                    // of gradients, mean, in updates
};
Usage usage_in(const std::filesystem::path& folder);

// What a run of the first is expected to cost, as a multiple of what one of the second costs; 1 if that cannot be said.
double cost_ratio(const scenario::Scenario& first, const scenario::Scenario& second);

}  // namespace ddl::advise
