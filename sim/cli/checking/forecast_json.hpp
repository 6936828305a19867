// The forecast of a scenario, as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "sim/run/expected_step.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::cli {

// In base units. `expected`: none where it is not known, or was not asked for.
nlohmann::ordered_json forecast_json(const scenario::Scenario& scenario, run::Forecast forecast,
                                     const std::optional<run::ExpectedStep>& expected, run::Programs programs);

}  // namespace ddl::cli
