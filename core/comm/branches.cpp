#include "core/comm/branches.hpp"

#include "core/base/per_node.hpp"

namespace ddl::comm {

std::vector<Contribution> gather_along_branches(Group& group, int parent, const std::vector<Branch>& branches,
                                                const Contribution& own) {
  const int n = group.size(), i = group.rank();
  PerNode<Contribution> all(n);
  const auto of = [&](int worker) -> Contribution& { return all[worker]; };
  of(i) = own;
  Branch mine{i, 1};  // including all workers below
  for (const Branch& branch : branches) {
    for (int worker = 0; worker < n; ++worker) {
      if (branch.has(worker)) of(worker) = group.receive(branch.root);
    }
    mine.size += branch.size;
  }
  for (int worker = 0; i > 0 && worker < n; ++worker) {
    if (mine.has(worker)) group.send(parent, of(worker));
  }
  for (int worker = 0; i > 0 && worker < n; ++worker) {
    if (!mine.has(worker)) of(worker) = group.receive(parent);
  }
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
    for (int worker = 0; worker < n; ++worker) {
      if (!branch->has(worker)) group.send(branch->root, of(worker));
    }
  }
  return all;
}

Phases gather_phases_along(const std::function<std::vector<Branch>(int)>& branches_of, int workers, double models,
                           double times) {
  Phases phases(2);
  const auto flow = [&](int source, int target, int contributions) {
    return Flow{source, target, contributions * models * times, contributions * times};
  };
  for (int i = 0; i < workers; ++i) {
    for (const Branch& branch : branches_of(i)) {
      phases[0].push_back(flow(branch.root, i, branch.size));
      phases[1].push_back(flow(i, branch.root, workers - branch.size));
    }
  }
  return phases;
}

Phases there_and_back(Phases phases) {
  for (std::size_t phase = phases.size(); phase-- > 0;) {
    std::vector<Flow> back;
    for (const Flow& flow : phases[phase]) back.push_back({flow.target, flow.source, flow.models, flow.messages});
    phases.push_back(std::move(back));
  }
  return phases;
}

}  // namespace ddl::comm
