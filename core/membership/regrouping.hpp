// All-reduces among the workers that are there, while hosts come and go.
//
// When a host goes or comes in the midst of an all-reduce, those that are there tell each other how many they have
// completed. A worker with fewer takes the model of one with the most, and the all-reduce starts again among them.
//
// What travels then is weights().replica(), the weights and what the optimizer keeps, as it is at that worker at that
// moment, which may lie between two all-reduces (in local_sgd: after steps that are not averaged yet). What a system
// keeps, such as the momentum of an outer step, does not. A system with such state compares events() with its value
// after the last sum, 0 before the first, and starts the state again where they differ. A replica is taken while its
// holder is in sum().
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
  // Messages arrive at `port`, which must have no other use; `what` is waited for there.
  Regrouping(Node& node, comm::Collective how, int port, OnFailure on_failure, const char* what);

  // W. `rounds` makes all-reduces until its group is done. A worker that starts in the middle first takes the model of
  // the others, and counts as they do; where hosts come and go, a service makes the rounds of later groups.
  void take_part(const std::function<void()>& rounds);
  std::int64_t round() const { return round_; }  // all-reduces so far
  // Of hosts, before the last all-reduce: the same at all members that have completed it.
  std::int64_t events() const { return view_.events(); }

  // W. As comm::AllReduce, among the workers that are there. One that has run out of steps goes on with contributions
  // of weight 0, so that no other waits for it; a sum of weight 0 tells all members at once that each has run out.
  // `code` is called again when the group changes; none: values travel as they are.
  // None: the others had completed this round, with this worker's contribution, and weights() are now those of one of
  // them, as they were at that moment.
  std::optional<comm::Sum> sum(Slice slice, const comm::Sum& own, const comm::Code& code = nullptr);

 private:
  // W. Work that starts again whenever the group changes. False: this worker was behind, and the work was not done.
  bool complete(const std::function<void()>& work);
  void join();
  bool agree();  // W. False: this worker was behind

  Node& node_;
  const comm::AllReduce& all_reduce_;
  View view_;
  std::int64_t round_ = 0;
};

}  // namespace ddl::membership
