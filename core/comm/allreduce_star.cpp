// The first worker of the group adds for all, in worker order, like a synchronous parameter server.
//
//   1  all send to worker 0
//   2  worker 0 adds them up in order
//   3  worker 0 sends the total to all
//
// Encoded contributions take the same routes, but each travels as a message of its own to each worker, and none twice.
#include "core/comm/allreduce.hpp"
#include "core/comm/branches.hpp"

namespace ddl::comm {
namespace {

class StarAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    if (group.rank() > 0) {
      group.send(0, slice, own);  // 1
      return group.receive(0).sum;
    }
    Sum total = own;
    for (int worker = 1; worker < group.size(); ++worker) total = total + group.receive(worker).sum;  // 2
    for (int worker = 1; worker < group.size(); ++worker) group.send(worker, slice, total);           // 3
    return total;
  }

  Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const override {
    return total_of(gather_along_branches(group, 0, branches_of(group.rank(), group.size()), code(slice, own)));
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    Phases to_first(1);
    for (int i = 1; i < cluster.workers; ++i) to_first[0].push_back({i, 0, times * models, times});
    return there_and_back(std::move(to_first));
  }

  Phases coded_phases(const Cluster& cluster, double models, double share, double times) const override {
    const int workers = cluster.workers;
    return gather_phases_along([workers](int i) { return branches_of(i, workers); }, workers, models * share, times);
  }

 private:
  static std::vector<Branch> branches_of(int i, int workers) {
    std::vector<Branch> branches;
    for (int worker = 1; i == 0 && worker < workers; ++worker) branches.push_back({worker, 1});
    return branches;
  }
};

}  // namespace

const AllReduce& star_allreduce() {
  static const StarAllReduce star;
  return star;
}

}  // namespace ddl::comm
