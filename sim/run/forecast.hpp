// A forecast of a run, without running it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/data/classes.hpp"
#include "core/graph/mixing.hpp"
#include "sim/network/binding.hpp"
#include "sim/network/bounds.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/run/workload.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct SiteForecast {
  std::string name;
  std::vector<std::string> workers, servers;  // hosts of the site
};

// Samples of a scenario that learns, and the classes of those for training.
struct DataForecast {
  std::size_t train = 0, test = 0;
  data::Classes classes;  // none: of a program's that need no labels
};

struct Forecast {
  network::Bounds bounds;
  platform::NetworkPlan network;
  std::optional<graph::Consensus> consensus;  // for systems that average models
  // Parts of the platform's file and of its hosts that have no effect, a line each.
  std::vector<std::string> platform_notes, host_notes;
  std::vector<std::string> system_notes;             // see System::notes
  std::vector<SiteForecast> sites;                   // those that the platform names
  double message_bytes = 0;                          // largest message between two sites, or a whole model
  std::vector<network::SiteConnection> connections;  // between sites, for such a message
  std::optional<DataForecast> data;                  // for a model that learns
  Cost cost;
  ResultBytes result;
  double steps = 0;            // per worker, see Workload
  double model_bytes = 0;      // 0: a program's, which was not asked
  scenario::ModelShape shape;  // for a model that learns; no layers: timing only, or a program's, likewise
  std::vector<std::string> workers;
  std::vector<double> compute_s;  // mean seconds of a gradient, by worker
};

// Whether a program that the scenario names is started to learn of its model, and asked for a gradient and an
// evaluation to see what they take.
enum class Programs { are_left_alone, are_asked };

// Builds the platform and reads the data, in this process, which can do so once. Throws InputError, and RunFailed of
// programs.
Forecast forecast_here(const scenario::Scenario& scenario, Programs programs);

// The scenario as it would take effect (effective.hpp). Builds the platform and reads the data, likewise; starts no
// program of the scenario.
scenario::Scenario effective_here(const scenario::Scenario& scenario);

// The same as bytes, to be handed over by a child.
std::string forecast_as_bytes(const scenario::Scenario& scenario, Programs programs = Programs::are_left_alone);
Forecast forecast_from(const std::string& bytes);

}  // namespace ddl::run
