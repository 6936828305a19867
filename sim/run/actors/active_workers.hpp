// Whose program runs, whose will, and whose has ended: what decides whether a run still has work.
#pragma once

#include <algorithm>
#include <utility>

#include "core/base/per_node.hpp"

namespace ddl::run {

// Servers are nodes too, but never at work: a run does not wait for them.
class ActiveWorkers {
 public:
  ActiveWorkers(int workers, int nodes) : workers_(workers), states_(nodes) {}

  void begins(int node) {
    if (!is_worker(node)) return;
    of(node) = {.at_work = true};
    ++at_work_;
  }
  void stops(int node) {
    if (std::exchange(of(node).at_work, false)) --at_work_;
  }
  // Its program has ended.
  void finishes(int node) {
    stops(node);
    of(node).has_finished = is_worker(node);
  }
  // Whether its program will run, again or for the first time.
  void expect(int node, bool to_come) { of(node).to_come = to_come && is_worker(node); }

  bool is_at_work(int node) const { return of(node).at_work; }
  bool has_finished(int node) const { return of(node).has_finished; }
  bool any_at_work() const { return at_work_ > 0; }
  bool any_to_come() const { return std::ranges::any_of(states_, &State::to_come); }

 private:
  struct State {
    bool at_work = false, to_come = false;
    bool has_finished = false;  // and has not begun again
  };
  bool is_worker(int node) const { return node < workers_; }
  State& of(int node) { return states_[node]; }
  const State& of(int node) const { return states_[node]; }

  const int workers_;
  PerNode<State> states_;  // by node
  int at_work_ = 0;
};

}  // namespace ddl::run
