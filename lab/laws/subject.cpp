#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/laws/laws.hpp"

namespace ddl::laws {

Subject::Subject(Registry systems, std::string text, std::string file)
    : systems_(std::move(systems)),
      text_(std::move(text)),
      file_(std::move(file)),
      scenario_(scenario::parse_scenario(systems_, text_, file_)) {}

scenario::Scenario Subject::with(std::vector<scenario::Override> changes) const {
  changes.insert(changes.begin(), {"faults", "[]"});
  return scenario::parse_scenario(systems_, text_, file_, changes);
}

bool Subject::takes(const scenario::Override& change) const {
  try {
    with({change});
    return true;
  } catch (const scenario::ScenarioErrors&) {
    return false;
  }
}

std::string scenario_for(const System& system) {
  const int workers = system.facts().one_trains ? 1 : std::max(4, system.facts().least_workers);
  return fmt::format(
      R"({{"name": "laws", "platform": {{"topology": "star", "workers": {}, "servers": 2,
                                         "bandwidth": ["100Mbps", "50Mbps"], "latency": "1ms"}},
           "data": {{"train": 600, "test": 100}}, "model": "mlp", "wire": {{"model_bytes": "1MB"}},
           "training": {{"batch_size": 10, "optimizer": {{"type": "sgd", "learning_rate": 0.05}}}},
           "compute": {{"seconds_per_batch": "100ms", "jitter": 0.1}},
           "algorithm": "{}", "stop": {{"iterations": 10}}}})",
      workers, system.facts().name);
}

}  // namespace ddl::laws
