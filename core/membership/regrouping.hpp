// All-reduces among the workers that are up, while hosts come and go.
//
// When a host comes or goes during an all-reduce, the workers that are up tell each other how many they have completed.
// One that has missed the last, because its group changed, takes its sum from the first worker that has it; the others
// start the all-reduce again. A newcomer takes a model and the count of all-reduces from the first with the most.
//
// The model is weights().replica(), i.e. weights and optimizer state, unless the system says otherwise (State); it is
// taken while its holder is in sum() or wait_until(), possibly between two all-reduces (in local_sgd: after steps that
// are not averaged yet).
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
  // The state that a newcomer takes from another worker: values (null when timing only), and their size on the wire.
  struct State {
    std::function<Payload()> pack;
    std::function<void(const Payload&)> unpack;
    std::uint64_t wire_bytes = 0;
  };

  // Messages arrive at `port`, which must have no other use; `what` names the wait there. `state`: by default
  // weights().replica().
  Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what);
  Regrouping(Node& node, const comm::HowToSum& how, int port, OnFailure on_failure, const char* what, State state);

  // W. `rounds` makes all-reduces until its group is done. A worker that starts in the middle first takes the state and
  // the count of the others; if hosts come and go, a service makes the rounds of later groups.
  void take_part(const std::function<void()>& rounds);
  std::int64_t round() const { return round_; }  // all-reduces so far
  // The last all-reduce before which a newcomer came to the group, the same at all members; -1: none.
  std::int64_t entered_at() const { return entered_at_; }

  // W. Until `holds()`, in an actor that makes sums while its worker computes: between two of them it answers the
  // others as soon as the group changes, for one that has missed the last sum may hold up this worker itself.
  void wait_until(const std::function<bool()>& holds);

  // W. Like comm::AllReduce, among the workers that are up. A worker without steps left keeps contributing with weight
  // 0, so that no other waits for it; a sum of weight 0 tells all members at once that all are done. `code` is called
  // again when the group changes; null: values travel unencoded.
  comm::Sum sum(Slice slice, const comm::Sum& own, const comm::Code& code = nullptr);

 private:
  // W. Repeats `work` whenever the group changes, unless this worker has missed its end: then the others' `last_`.
  void complete(const std::function<void()>& work);
  bool agree();  // W. False: this worker has missed the end of an all-reduce, whose sum it has taken into `last_`

  Node& node_;
  const comm::AllReduce& all_reduce_;
  const State state_;
  View view_;
  std::int64_t round_ = 0, entered_at_ = -1;
  std::int64_t events_ = 0;  // before the last all-reduce
  bool is_new_ = false;      // until it has taken part in an all-reduce
  bool makes_rounds_ = false;
  comm::Contribution last_;  // the last sum, while others may lack it
};

}  // namespace ddl::membership
