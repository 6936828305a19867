#include "core/comm/allreduce.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/base/check.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {

Sum operator+(const Sum& a, const Sum& b) {
  if (a.weight == 0) return b;
  if (b.weight == 0) return a;
  Sum sum{nullptr, a.weight + b.weight, std::max(a.run_share, b.run_share)};
  if (!a.values) return sum;
  std::vector<float> values(a.values->begin(), a.values->end());
  add_scaled(values, values_of(b.values));
  sum.values = make_payload(std::move(values));
  return sum;
}

Sum total_of(const std::vector<Contribution>& contributions) {
  Sum total;
  for (const Contribution& contribution : contributions) total = total + contribution.sum;
  return total;
}

void CollectiveSettings::fill_defaults(Collective collective) {
  if (collective == Collective::butterfly && !parts) parts = Parts::equal;
}

std::uint64_t CollectiveSettings::first_slice(std::uint64_t chunk_bytes) const {
  constexpr std::uint64_t least_bytes = 512 * 1024, slices_of_chunk = 16;
  const std::uint64_t slice = slice_bytes ? static_cast<std::uint64_t>(slice_bytes->value)
                                          : std::max(least_bytes, chunk_bytes / slices_of_chunk);
  return slice < chunk_bytes ? slice : 0;
}

const AllReduce& all_reduce(const HowToSum& how) {
  switch (how.collective) {
    case Collective::ring:
      return ring_allreduce();
    case Collective::tree:
      return tree_allreduce();
    case Collective::star:
      return star_allreduce();
    case Collective::hierarchical:
      return hierarchical_allreduce();
    case Collective::butterfly:
      return butterfly_allreduce(how.by_rate());
  }
  throw InternalError("a collective");
}

std::vector<std::string> notes_of(const HowToSum& how, const Cluster& cluster) {
  std::vector<std::string> notes;
  const auto is_at_first_site = [&](int worker) { return cluster.site(worker) == cluster.site(0); };
  if (how.collective == Collective::hierarchical &&
      std::ranges::all_of(std::views::iota(0, cluster.workers), is_at_first_site)) {
    notes.emplace_back("all workers are at one site, where a hierarchical all-reduce is a ring");
  }
  if (how.by_rate() && !cluster.rates.empty() &&
      std::ranges::count(cluster.rates, cluster.rates[0]) == cluster.workers) {
    notes.emplace_back("all workers' own links have one rate, so that parts by_rate are equal");
  }
  if (how.slice_bytes.value_or(Bytes{0}).value > 0 && cluster.hosts_change) {
    notes.emplace_back("hosts come and go, so that chunks travel whole, whatever slice_bytes is");
  }
  return notes;
}

}  // namespace ddl::comm
