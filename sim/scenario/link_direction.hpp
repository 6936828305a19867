// Which half of a full-duplex link is meant.
#pragma once

#include "core/base/fields.hpp"

namespace ddl {

// Links that have one direction only are named with `both`.
enum class LinkDirection { both, up, down };
template <>
inline constexpr EnumName<LinkDirection> enum_names<LinkDirection>[] = {
    {LinkDirection::both, "both"}, {LinkDirection::up, "up"}, {LinkDirection::down, "down"}};

}  // namespace ddl
