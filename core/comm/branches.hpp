// Gathering over a tree of any depth, where messages reach a branch through its root.
#pragma once

#include <functional>
#include <vector>

#include "core/comm/allreduce.hpp"

namespace ddl::comm {

// The workers root .. root + size - 1; messages reach the others through the root.
struct Branch {
  int root, size;
  bool has(int worker) const { return worker >= root && worker < root + size; }
};

// W. All workers' contributions, by rank, each forwarded unchanged. `parent`: the worker above this one (unused at rank
// 0); `branches`: those below it, in order of rank.
std::vector<Contribution> gather_along_branches(Group& group, int parent, const std::vector<Branch>& branches,
                                                const Contribution& own);

// Its traffic, up the tree and down again.
Phases gather_phases_along(const std::function<std::vector<Branch>(int worker)>& branches_of, int workers,
                           double models, double times);

// `phases`, followed by the same in reverse order and direction.
Phases there_and_back(Phases phases);

}  // namespace ddl::comm
