// The forecast of a scenario, as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/run/forecast.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::cli {

// In base units. Simulates a few steps in child processes, as run::expected_step().
nlohmann::ordered_json forecast_json(const scenario::Scenario& scenario, run::Forecast forecast,
                                     run::Programs programs);

}  // namespace ddl::cli
