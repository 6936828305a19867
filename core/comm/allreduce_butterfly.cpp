// Butterfly all-reduce, by direct exchange, as in hivemind (Ryabinin et al., NeurIPS 2021; Diskin et al., NeurIPS
// 2021), for worker i of n and parts 0 .. n-1 of the slice, equal or in proportion to the workers' rates:
//
//   1  send part j to worker j, for all others j
//   2  add up all workers' part i, in worker order
//   3  send that sum to all others; the one arriving from j is that of part j
//
// Encoded contributions go to all others directly.
#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"
#include "core/comm/ring.hpp"

namespace ddl::comm {
namespace {

// Calls `use` for all workers after i, then for those before it, so that not all begin with the same.
template <class Use>
void for_others(int i, int n, Use use) {
  for (int k = 1; k < n; ++k) use((i + k) % n);
}

class ButterflyAllReduce final : public AllReduce {
 public:
  explicit ButterflyAllReduce(bool by_rate) : by_rate_(by_rate) {}

  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    const int n = group.size(), i = group.rank();
    Chunks parts = by_rate_ ? Chunks(cut(slice, group), slice.begin, own) : Chunks(slice, n, own);
    for_others(i, n, [&](int j) { group.send(j, parts.slices[j], parts.sums[j]); });  // 1
    Sum total;
    for (int j = 0; j < n; ++j) total = total + (j == i ? parts.sums[i] : group.receive(j).sum);  // 2
    parts.sums[i] = total;
    for_others(i, n, [&](int j) { group.send(j, parts.slices[i], total); });  // 3
    for_others(i, n, [&](int j) { parts.sums[j] = group.receive(j).sum; });
    return parts.joined();
  }

  Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const override {
    const int n = group.size(), i = group.rank();
    PerNode<Contribution> all(n);
    all[i] = code(slice, own);
    for_others(i, n, [&](int j) { group.send(j, all[i]); });
    for_others(i, n, [&](int j) { all[j] = group.receive(j); });
    return total_of(all);
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    if (is_unlisted(cluster.workers)) return {};
    const PerNode<double> share = shares(cluster.workers, [&](int j) { return cluster.rate(j); });
    Phases phases(2);
    for_pairs(cluster.workers, [&](int i, int j) {
      phases[0].push_back({i, j, models * share[j] * times, times});
      phases[1].push_back({i, j, models * share[i] * times, times});
    });
    return phases;
  }

  Phases coded_phases(const Cluster& cluster, double models, double share, double times) const override {
    if (is_unlisted(cluster.workers)) return {};
    Phases phases(1);
    for_pairs(cluster.workers, [&](int i, int j) { phases[0].push_back({i, j, models * share * times, times}); });
    return phases;
  }

  bool is_unlisted(int workers) const override { return workers > most_workers_all_to_all; }

 private:
  // Each worker's share of the slice.
  template <class RateOf>
  PerNode<double> shares(int n, RateOf rate_of) const {
    PerNode<double> shares(n, 1.0);
    double all = 0;
    for (int j = 0; j < n; ++j) {
      if (by_rate_) shares[j] = rate_of(j);
      all += shares[j];
    }
    for (double& share : shares) share /= all;
    return shares;
  }

  PerNode<Slice> cut(Slice slice, const Group& group) const {
    PerNode<Slice> parts;
    double before = 0;  // the share of the parts before
    std::size_t begin = slice.begin;
    for (const double share : shares(group.size(), [&](int j) { return group.rate(j); })) {
      before += share;
      const bool is_last = parts.count() + 1 == group.size();
      const auto end = slice.begin + static_cast<std::size_t>(before * static_cast<double>(slice.size()));
      parts.push_back({begin, is_last ? slice.end : end});
      begin = parts.back().end;
    }
    return parts;
  }

  template <class Use>
  static void for_pairs(int n, Use use) {
    for (int i = 0; i < n; ++i) for_others(i, n, [&](int j) { use(i, j); });
  }

  const bool by_rate_;
};

}  // namespace

const AllReduce& butterfly_allreduce(bool by_rate) {
  static const ButterflyAllReduce equal_parts(false), parts_by_rate(true);
  return by_rate ? parts_by_rate : equal_parts;
}

}  // namespace ddl::comm
