// Check whether training samples can be divided over workers, before they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data/data_spec.hpp"

namespace ddl::data {

// The reason why `samples` training samples cannot be divided over `workers`: some worker would have none.
struct PartitionProblem {
  const char* key;   // in DataSpec
  std::string what;  // "3 training samples for 4 workers; expected at least one for each"
};
std::optional<PartitionProblem> partition_problem(PartitionKind kind, std::int64_t samples, int workers,
                                                  int batch_size);

}  // namespace ddl::data
