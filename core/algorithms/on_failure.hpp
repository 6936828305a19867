// What those do who depend on a worker that has crashed.
#pragma once

#include "core/algorithms/message.hpp"
#include "core/base/fields.hpp"

namespace ddl {

// wait: until it is back. go_on: without it, and with it again once it is back.
enum class OnFailure { wait, go_on };
template <>
inline constexpr EnumName<OnFailure> enum_names<OnFailure>[] = {{OnFailure::wait, "wait"}, {OnFailure::go_on, "go_on"}};

inline constexpr Rule on_failure_rule{.doc = "when a worker has crashed: wait until it is back, or go on without it"};

// Whether a worker of this presence is counted on.
inline bool is_counted_on(Presence presence, OnFailure on_failure) {
  return presence == Presence::up || (presence == Presence::down && on_failure == OnFailure::wait);
}

}  // namespace ddl
