#include "core/systems/ako/ako_adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

std::optional<double> RecentRate::seconds_per_unit() const {
  double seconds = 0, amount = 0;
  for (const auto& [took, of] : recent_) seconds += took, amount += of;
  if (amount <= 0) return std::nullopt;
  return seconds / amount;
}

int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most) {
  const double wanted = gradient_s > 0 ? std::min(exchange_s / (utilisation * gradient_s), most) : most;
  if (wanted <= now && wanted >= 0.9 * (now - 1)) return now;
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most));
}

std::vector<std::int64_t> cut_again(const std::vector<std::int64_t>& since, int partitions, std::size_t parameters) {
  const int old_partitions = static_cast<int>(since.size());
  std::vector<std::int64_t> result(static_cast<std::size_t>(partitions), std::numeric_limits<std::int64_t>::max());
  for (int part = 0, old = 0; part < partitions;) {
    const Slice mine = even_part(parameters, partitions, part), theirs = even_part(parameters, old_partitions, old);
    std::int64_t& oldest = result[static_cast<std::size_t>(part)];
    oldest = std::min(oldest, since[static_cast<std::size_t>(old)]);
    if (theirs.end > mine.end) {
      ++part;
    } else {
      if (theirs.end == mine.end) ++part;
      ++old;
    }
  }
  return result;
}

void AdaptivePartitions::adapt() {
  double slowest = 0;  // seconds per byte
  for (const auto& [peer, transfers] : transfers_) {
    if (node_.up(peer)) slowest = std::max(slowest, transfers.seconds_per_unit().value_or(0));
  }
  const auto gradient_s = gradients_.seconds_per_unit();
  if (slowest == 0 || !gradient_s) return;
  const Cluster& cluster = node_.cluster();
  partitions_ = adapted_partitions(partitions_, slowest * static_cast<double>(cluster.model_bytes), *gradient_s,
                                   utilisation_, most_partitions(cluster));
}

}  // namespace ddl::systems
