// Entering the rounds of one's neighbours in the middle.
//
// When a node starts, each neighbour hears of it and sends the node its present round. The node enters with the first
// round that none of them has begun, and tells them which. A neighbour that has answered begins no round until it hears
// that; rounds before the agreed one are done without the new node. If two neighbours enter at once, the one that
// started earlier goes first: an entering node answers only once it takes part.
//
// A node whose neighbours are all absent numbers its rounds by itself: it proposes a round to those that enter, and
// moves to the round in which the first of them enters. Two parts of the graph that were cut off from each other meet
// in the round of the part that is further ahead, which waits there for the other.
#pragma once

#include <memory>
#include <optional>

#include "core/comm/neighbour_exchange.hpp"
#include "core/node/on_failure.hpp"

namespace ddl::membership {

// The exchange with a worker's neighbours: the plain one of comm if hosts do not change. Otherwise an absent neighbour
// is waited for, or the rounds are done without it, until it enters (`on_failure`). Make it in the program's
// constructor, so that it misses no event.
std::unique_ptr<comm::NeighbourExchange> neighbour_exchange(Node& node, const graph::Topology& topology,
                                                            std::optional<int> degree, OnFailure on_failure);

}  // namespace ddl::membership
