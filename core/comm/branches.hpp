// Gathering over a tree of any depth, in which whole branches are reached through their roots.
#pragma once

#include <functional>
#include <vector>

#include "core/comm/allreduce.hpp"

namespace ddl::comm {

// The workers root .. root + size - 1, of which the others reach the rest through the root.
struct Branch {
  int root, size;
  bool has(int worker) const { return worker >= root && worker < root + size; }
};

// W. What each worker contributes, by rank, each forwarded as it was sent; at a worker below `parent` (not asked of
// rank 0), with these branches below it in order of rank.
std::vector<Contribution> gather_along_branches(Group& group, int parent, const std::vector<Branch>& branches,
                                                const Contribution& own);

// What it sends, up and then down again.
Phases gather_phases_along(const std::function<std::vector<Branch>(int worker)>& branches_of, int workers,
                           double models, double times);

// These phases, and then the same in reverse order and direction.
Phases there_and_back(Phases phases);

}  // namespace ddl::comm
