#include "core/comm/allreduce.hpp"

#include <algorithm>
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

const AllReduce& all_reduce(Collective how) {
  switch (how) {
    case Collective::ring:
      return ring_allreduce();
    case Collective::tree:
      return tree_allreduce();
    case Collective::star:
      return star_allreduce();
    case Collective::hierarchical:
      return hierarchical_allreduce();
  }
  throw InternalError("a collective");
}

std::vector<std::string> notes_of(Collective how, const Cluster& cluster) {
  if (how != Collective::hierarchical) return {};
  for (int worker = 1; worker < cluster.workers; ++worker) {
    if (cluster.site(worker) != cluster.site(0)) return {};
  }
  return {"all workers are at one site, where a hierarchical all-reduce is a ring"};
}

}  // namespace ddl::comm
