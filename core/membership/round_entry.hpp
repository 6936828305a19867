// How a node enters the rounds of its neighbours in the middle.
//
// When a node starts, each neighbour hears of it and sends the node its present round. The node enters with the first
// round that none of them has begun, and tells them which one. A neighbour that has answered begins no round until it
// has heard that; rounds before the one agreed on are done without the new node. If two neighbours enter at once, the
// one that started earlier goes first: a node that is still entering answers only once it takes part.
//
// A node without any neighbour that takes part numbers its rounds by itself: it proposes a round to those that enter,
// and moves to the round in which the first of them enters. Two parts of the graph that were cut off from each other
// meet in the round of the part that is further ahead, which waits there for the other.
#pragma once

#include <memory>
#include <optional>

#include "core/comm/neighbour_exchange.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// The exchange with a worker's neighbours: comm's own where hosts do not change. Otherwise an absent neighbour
// is waited for, or the rounds are done without it, until it enters (`on_failure`). To be made in the program's
// constructor, so that it misses no event.
std::unique_ptr<comm::NeighbourExchange> neighbour_exchange(Node& node, const graph::Topology& topology,
                                                            std::optional<int> degree, OnFailure on_failure);

}  // namespace ddl::membership
