// SimGrid's own model carries the messages of every shipped scenario.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/run/run.hpp"
#include "sim/scenario/reading/read.hpp"

TEST_CASE("SimGrid carries the messages of each of the 60 scenarios that compare systems") {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(DDLSIM_SOURCE_DIR) + "/scenarios")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.ends_with(".schema.json")) continue;
    CAPTURE(name);
    ++found;
    const auto plan =
        ddl::run::forecast_of(ddl::scenario::read_scenario(ddl::systems::built_in(), entry.path().string(), {}))
            .network;
    CHECK(plan.carried_by == ddl::platform::CarriedBy::simgrid);
    CHECK(plan.model == ddl::scenario::NetworkModel::TCP);
  }
  CHECK(found == 60);
}
