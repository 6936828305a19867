// What fields cannot say one by one: how the parts of a scenario fit together.
#pragma once

#include <optional>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

class Model;

constexpr double most_evaluations = 1e5;

// Defaults that depend on other settings: the name, and when accuracy is measured.
void fill_defaults(Scenario& scenario, const std::string& file);

// All checks below; each is left out while the settings it needs have findings of their own.
void check_scenario(const Scenario& scenario, Findings& findings);

void check_name(const Scenario& scenario, Findings& findings);
void check_platform(const Scenario& scenario, Findings& findings);
void check_algorithm(const Scenario& scenario, Findings& findings);
void check_stop_and_evaluation(const Scenario& scenario, Findings& findings);
void check_one_model(const Scenario& scenario, Findings& findings);
void check_timing_only(const Scenario& scenario, Findings& findings);
void check_data(const Scenario& scenario, Findings& findings);
// Whether the model fits the data, and the run into a computer's memory.
void check_model(const Scenario& scenario, Findings& findings);
// Names of links and hosts are looked up once the platform is there.
void check_faults(const Scenario& scenario, Findings& findings);
void check_wire(const Scenario& scenario, Findings& findings);
void check_memory(const Scenario& scenario, const nn::Model* model, Findings& findings);

// Workers of the platform; nothing when only the platform file knows.
std::optional<int> workers_known(const PlatformSpec& platform);
int servers_of(const PlatformSpec& platform);

}  // namespace ddl::scenario
