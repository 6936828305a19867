#include "core/base/digest.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/requests.hpp"
#include "sim/results/writing/results.hpp"

namespace ddl::results {

std::string digest_of(const experiment::RunResult& result) {
  Digest digest;
  digest.add(curve_csv(result));
  digest.add(traffic_csv(result));
  if (!result.answers.empty()) digest.add(requests_csv(result));
  // Lengths go in too: two vectors must not pass for one.
  digest.add(std::to_string(result.weights.size()));
  for (const std::vector<float>& weights : result.weights) {
    digest.add(" " + std::to_string(weights.size()) + " ");
    digest.add(std::span<const float>(weights));
  }
  return digest.hex();
}

}  // namespace ddl::results
