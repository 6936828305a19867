// Binomial tree (Thakur, Rabenseifner and Gropp, 2005), for worker i of n. Each level pairs workers, so a level takes
// the time of one message.
//
//   1  for bit = 1, 2, 4 .. < n:  if i has the bit, send the sum to i - bit and stop; else add that of i + bit
//   2  take the total from i - (lowest bit of i)
//   3  pass it on to i + bit for all lower bits, highest first, one after the other: the farthest branches start
//   soonest
//
// Encoded contributions take the same routes, but each travels as a message of its own to each worker, and none twice.
#include <algorithm>

#include "core/comm/allreduce.hpp"
#include "core/comm/branches.hpp"

namespace ddl::comm {
namespace {

class TreeAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    const int n = group.size(), i = group.rank();
    Sum total = own;
    int bit = 1;
    for (; bit < n && (i & bit) == 0; bit *= 2) {  // 1
      if (i + bit < n) total = total + group.receive(i + bit).sum;
    }
    if (i > 0) {
      group.send(i - bit, slice, total);
      total = group.receive(i - bit).sum;  // 2
    }
    for (bit /= 2; bit > 0; bit /= 2) {  // 3
      if (i + bit >= n) continue;
      group.send(i + bit, slice, total);
      group.flush(i + bit);
    }
    return total;
  }

  Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const override {
    const std::vector<Branch> branches = branches_of(group.rank(), group.size());
    return total_of(gather_along_branches(group, parent_of(group.rank()), branches, code(slice, own)));
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    const int workers = cluster.workers;
    Phases up;
    for (int bit = 1; bit < workers; bit *= 2) {
      up.emplace_back();
      for (int i = 0; i + bit < workers; i += 2 * bit) up.back().push_back({i + bit, i, times * models, times});
    }
    return there_and_back(std::move(up));
  }

  Phases coded_phases(const Cluster& cluster, double models, double share, double times) const override {
    const int workers = cluster.workers;
    return gather_phases_along([workers](int i) { return branches_of(i, workers); }, workers, models * share, times);
  }

 private:
  static int parent_of(int i) { return i & (i - 1); }

  static std::vector<Branch> branches_of(int i, int workers) {
    std::vector<Branch> branches;
    for (int bit = 1; bit < workers && (i & bit) == 0; bit *= 2) {
      if (i + bit < workers) branches.push_back({i + bit, std::min(bit, workers - i - bit)});
    }
    return branches;
  }
};

}  // namespace

const AllReduce& tree_allreduce() {
  static const TreeAllReduce tree;
  return tree;
}

}  // namespace ddl::comm
