// A network's traffic as plain numbers, for every runtime.
#pragma once

#include <cstdint>
#include <vector>

namespace ddl::network {

// Totals of an ordered pair of nodes.
struct PairTotals {
  int source = 0, target = 0;
  std::int64_t messages = 0;
  double bytes = 0;
};

struct Totals {
  std::int64_t messages_sent = 0;
  double bytes_sent = 0;  // put on the wire, whole messages
  double bytes_delivered = 0;
  std::int64_t longest_queue = 0;
  // Two kinds: transmissions that were sent again; messages queued, on the wire or sent when a host went.
  std::int64_t messages_lost = 0;
  std::int64_t messages_sent_again = 0;  // the first kind only
  double bytes_lost = 0;                 // lost ones on the wire, as whole messages
  std::vector<PairTotals> pairs;         // by source, then target; only pairs that talked
  std::vector<double> bytes_per_link;    // by number in Fabric::links(), including unfinished transfers
};

}  // namespace ddl::network
