// An estimate of a run's memory, made before anything is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

constexpr double gibibyte = 1073741824;
// The limit when a scenario is read, the same on every machine. A machine with less memory refuses earlier, before a
// run.
constexpr double most_memory_bytes = 64 * gibibyte;

struct MemoryPart {
  std::string path;  // the deciding setting's, "$.data"
  std::string what;  // "4 workers x 4970 parameters"
  double bytes = 0;
};

// `model` is null when timing only, or not known yet. `steps` of each worker and `training_samples` in all, 0 when not
// known. Accurate within a factor of two where it is large.
std::vector<MemoryPart> memory_of(const Scenario& scenario, const LearnedModel* model, int workers, int servers,
                                  double steps, std::int64_t training_samples);

// Nothing if all parts fit into `most_bytes`; otherwise the largest, `what` then being "what is wrong; what was
// expected". `whose` is appended to it.
std::optional<MemoryPart> excess(const std::vector<MemoryPart>& parts, double most_bytes, const std::string& owner);

}  // namespace ddl::scenario
