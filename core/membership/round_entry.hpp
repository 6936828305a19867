// How a node enters the rounds of its neighbours in the middle.
//
// The event of its start makes every neighbour say which round it is at. The node enters with the first round that none
// of them has begun, and tells them which. A neighbour that has answered begins no round until it has heard that;
// rounds before the one agreed on are done without the new node. A node that is still entering answers once it is in,
// so that of two the earlier goes first.
//
// Rounds of a node that counts on nobody are its own affair: it says where it could be, and goes to the round in which
// the first of the others enters. Two parts of the graph that were cut off from each other meet in the round of the
// part that has got further, which waits there for the other.
#pragma once

#include <memory>
#include <optional>

#include "core/comm/neighbour_exchange.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// The exchange with a worker's neighbours: the plain one where hosts do not change, and otherwise one in which a
// neighbour that is not there is waited for, or done without, until it enters. It must be made together with the
// program, so that it misses no event.
std::unique_ptr<comm::NeighbourExchange> neighbour_exchange(Node& node, graph::GraphKind kind,
                                                            std::optional<int> degree, OnFailure on_failure);

}  // namespace ddl::membership
