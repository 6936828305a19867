// The clocks of the workers of a set, from their messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/membership/worker_set.hpp"

namespace ddl::membership {

// A worker that comes back need not make up for the steps that it has missed: its clock is raised to the least of the
// others.
class Clocks {
 public:
  Clocks(const WorkerSet& workers, int count) : workers_(workers), clocks_(count), forgiven_(count) {}

  std::int64_t of(int worker) const { return clocks_[worker]; }
  // The least clock among workers in the set; larger than any clock if there are none.
  std::int64_t least() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    workers_.for_each([&](int worker) { least = std::min(least, of(worker)); });
    return least;
  }
  std::vector<int> slowest() const {
    return workers_.where([this, least = least()](int worker) { return of(worker) == least; });
  }

  // Sets the worker's steps. Call it before adding the worker again.
  void set(int worker, std::int64_t steps) {
    std::int64_t& forgiven = forgiven_[worker];
    if (!workers_.contains(worker) && !workers_.empty()) forgiven = std::max(forgiven, least() - steps);
    clocks_[worker] = steps + forgiven;
  }

 private:
  const WorkerSet& workers_;
  PerNode<std::int64_t> clocks_;
  PerNode<std::int64_t> forgiven_;  // per worker: steps added to its clock
};

}  // namespace ddl::membership
