// What TF.AKO, the published implementation of Ako, does in ways of its own.
#pragma once

#include <array>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl::systems {

enum class Publish { background, blocking };  // blocking: the worker waits until each message is at its receiver
constexpr auto enum_names(Publish) { return in_order<Publish>("background", "blocking"); }

// How the staleness bound is kept. peers: before its gradient a worker waits for what it must have received itself.
// ping_pong: before applying, for what every worker must have received, which worker 0 counts (TF.AKO).
enum class AkoClock { peers, ping_pong };
constexpr auto enum_names(AkoClock) { return in_order<AkoClock>("peers", "ping_pong"); }

// By default nothing: Ako as its paper has it.
struct TfAkoParams {
  Publish publish = Publish::background;
  int receive_threads = 1;  // each takes its parts in turn
  Seconds receive_time;     // a thread's work for one message, on the host's processor
  AkoClock clock = AkoClock::peers;
};

template <class Visitor>
void fields(Visitor& visit, TfAkoParams& params) {
  visit("publish", params.publish, Rule{.doc = "messages travel while the worker goes on, or it waits for them"});
  visit("receive_threads", params.receive_threads,
        Rule{.doc = "how many; parts are assigned to them in turn", .at_least = 1, .at_most = 1000});
  visit("receive_time", params.receive_time, Rule{.doc = "a thread's work for one message", .at_least = 0});
  visit("clock", params.clock,
        Rule{.doc = "where the staleness bound is kept: at each worker, or at worker 0 for all"});
}

}  // namespace ddl::systems
