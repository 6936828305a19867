// Checks that span several settings: whether the parts of a scenario fit together.
#pragma once

#include <optional>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

constexpr double most_evaluations = 1e5;

// Defaults that depend on other settings: the name, and when accuracy is measured.
void fill_defaults(Scenario& scenario, const std::string& file);

// Reads the rows of a platform's matrix, of which those of its sites are kept.
void read_matrix(Scenario& scenario, Findings& findings);

// Runs all checks below; one is skipped if the settings that it needs have findings of their own. Also reads the user's
// own data files into the scenario.
void check_scenario(Scenario& scenario, Findings& findings);

void check_name(const Scenario& scenario, Findings& findings);
void check_platform(const Scenario& scenario, Findings& findings);
// Refuses a site that is not joined to all others, and names and links that contradict each other.
void check_sites(const SitesPlatform& platform, const Place& place);
// Notes links whose rates are those of single connections: rate x round trip is within 20 % on three links or more,
// whose latencies differ by half at least.
void note_windows(const SitesPlatform& platform, const Place& place);
void check_algorithm(const Scenario& scenario, Findings& findings);
void check_schedule(const Scenario& scenario, Findings& findings);
void check_stop_and_evaluation(const Scenario& scenario, Findings& findings);
void check_one_model(const Scenario& scenario, Findings& findings);
// Refuses a source whose files are missing.
void check_data_source(const Scenario& scenario, Findings& findings);
void read_own_data(Scenario& scenario, Findings& findings);
// Refuses data with too few samples.
void check_data(const Scenario& scenario, Findings& findings);
void check_start(const Scenario& scenario, Findings& findings);
// Whether the model fits the data, and the run fits into memory.
void check_model(const Scenario& scenario, Findings& findings);
// Names of links and hosts are checked later, when the platform has been built.
void check_faults(const Scenario& scenario, Findings& findings);
// The form of what is expected.
void check_expectations(const Scenario& scenario, Findings& findings);
// Whether it expects something, and whether its runs can be judged by that. Asked only where they are judged: overrides
// may have made another scenario of it.
void check_judgeable(const Scenario& scenario, Findings& findings);
void check_wire(const Scenario& scenario, Findings& findings);
void check_memory(const Scenario& scenario, const LearnedModel* model, Findings& findings);
void check_program(const Scenario& scenario, Findings& findings);

// Number of workers; nothing if only the platform file says.
std::optional<int> workers_known(const PlatformSpec& platform);
int servers_of(const PlatformSpec& platform);

}  // namespace ddl::scenario
