// Reactions of other nodes to the crash of a worker they depend on.
#pragma once

#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/membership.hpp"
#include "core/node/message.hpp"
#include "core/node/system.hpp"

namespace ddl {

// wait: until the worker is back. go_on: without it from the instant of the crash, and with it again once it is back.
// time_out, for servers only: without a worker that others wait for and that has been silent too long, be it crashed,
// slow or cut off, until it is heard from again (failure_detector.hpp).
enum class OnFailure { wait, go_on, time_out };
constexpr auto enum_names(OnFailure) { return in_order<OnFailure>("wait", "go_on", "time_out"); }

inline constexpr Rule on_failure_rule{.doc =
                                          "when a worker has crashed: wait until it is back, or go on without it "
                                          "(time_out: of parameter servers alone)"};

template <class Visitor>
void server_failure_fields(Visitor& visit, OnFailure& on_failure, std::optional<Seconds>& failure_timeout) {
  visit("on_failure", on_failure,
        Rule{.doc = "when a worker has crashed: wait until it is back, go on without it, or (time_out) go on without "
                    "workers that are silent for too long"});
  visit("failure_timeout", failure_timeout,
        Rule{.doc = "time_out: how long a worker that others wait for may be silent", .above = 0});
  visit.relation("failure_timeout", Relation::needs, "on_failure=time_out");
  visit.relation("failure_timeout", Relation::needed_with, "on_failure=time_out");
}

// Errors in systems without a deciding server.
std::vector<SettingError> errors_in(OnFailure on_failure);

// True if others count on a worker of this presence.
inline bool is_counted_on(Presence presence, OnFailure on_failure) {
  return presence == Presence::up || (presence == Presence::down && on_failure != OnFailure::go_on);
}

}  // namespace ddl
