// All-reduces among the workers that are up, while hosts come and go.
//
// When a host comes or goes during an all-reduce, the workers that are up tell each other how many they have completed.
// A worker with fewer takes the model of one with the most, and the all-reduce starts again among them.
//
// The model is taken as weights().replica(), i.e. weights and optimizer state, at that moment, possibly between two
// all-reduces (in local_sgd: after steps that are not averaged yet). A system's own state, such as the momentum of an
// outer step, is not transferred. A system with such state compares events() with its value after the last sum, 0
// before the first, and resets the state if they differ. A replica is taken while its holder is in sum().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/comm/allreduce.hpp"
#include "core/membership/view.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

class Regrouping {
 public:
  // Messages arrive at `port`, which must have no other use; `what` names the wait there.
  Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what);

  // W. `rounds` makes all-reduces until its group is done. A worker that starts in the middle first takes the model and
  // the count of the others; if hosts come and go, a service makes the rounds of later groups.
  void take_part(const std::function<void()>& rounds);
  std::int64_t round() const { return round_; }  // all-reduces so far
  // Events of hosts before the last all-reduce: the same at all members that have completed it.
  std::int64_t events() const { return view_.events(); }

  // W. Like comm::AllReduce, among the workers that are up. A worker without steps left keeps contributing with weight
  // 0, so that no other waits for it; a sum of weight 0 tells all members at once that all are done. `code` is called
  // again when the group changes; null: values travel unencoded. None: the others had completed this round, with this
  // worker's contribution, and weights() are now those of one of them at that moment.
  std::optional<comm::Sum> sum(Slice slice, const comm::Sum& own, const comm::Code& code = nullptr);

 private:
  // W. Repeats `work` whenever the group changes. False: this worker was behind, and the work was not done.
  bool complete(const std::function<void()>& work);
  void join();
  bool agree();  // W. False: this worker was behind

  Node& node_;
  const comm::AllReduce& all_reduce_;
  View view_;
  std::int64_t round_ = 0;
};

}  // namespace ddl::membership
