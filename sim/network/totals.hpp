// What a network has carried, as plain numbers, whichever runtime counted them.
#pragma once

#include <cstdint>
#include <vector>

namespace ddl::network {

// Of an ordered pair of nodes.
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
  // Transmissions that were sent again; what was queued, on the wire or sent when a host went.
  std::int64_t messages_lost = 0;
  std::int64_t messages_sent_again = 0;  // of them, the first
  double bytes_lost = 0;                 // of those that were on the wire, whole messages
  std::vector<PairTotals> pairs;         // by source, then target; only pairs that talked
  std::vector<double> bytes_per_link;    // of Fabric::links(), those of unfinished transfers included
};

}  // namespace ddl::network
