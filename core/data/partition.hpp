// Whether training samples can be divided over workers, before there are any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data/data_spec.hpp"

namespace ddl::data {

// What keeps `samples` training samples from being divided over `workers`: some worker would have none.
struct PartitionProblem {
  const char* key;   // of DataSpec
  std::string what;  // "3 training samples for 4 workers; expected at least one for each"
};
std::optional<PartitionProblem> partition_problem(PartitionKind kind, std::int64_t samples, int workers,
                                                  int batch_size);

}  // namespace ddl::data
