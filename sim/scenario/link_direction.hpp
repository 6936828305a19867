// The half of a full-duplex link that a setting means.
#pragma once

#include "core/base/fields.hpp"

namespace ddl::scenario {

// Links with a single direction are named with `both`.
enum class LinkDirection { both, up, down };
constexpr auto enum_names(LinkDirection) { return in_order<LinkDirection>("both", "up", "down"); }

}  // namespace ddl::scenario
