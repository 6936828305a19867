// Moments of a traced run, from which trace.json and links.csv are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::run {

// Processes of trace.json that are no node's: no node of a traced run may be called so.
inline constexpr std::string_view process_of_all = "all workers", process_of_links = "links",
                                  process_of_faults = "faults";

// From start_s to end_s a node computed a gradient, did other work, or a message was on the wire to a peer.
struct TraceSpan {
  enum Kind { gradient, work, message };
  int kind = gradient;
  int node = 0, peer = -1;  // nodes count workers first
  std::int64_t step = 0;    // the node's own; of a message, its sender's clock
  double bytes = 0;         // a message's
  double latency_s = 0;     // its route's
  double start_s = 0, end_s = 0;
  bool finished = false;  // before the run ended
  bool lost = false;      // a message that came to its end and did not arrive
};

// Bytes that went over a link in equal periods from 0 on, each message spread evenly over its time on the wire.
struct LinkLoad {
  int link = 0;  // index into the run's traffic
  std::vector<double> bytes;
};

// From then on so many messages wait at a node to be put on the wire, to all destinations together.
struct TraceQueue {
  int node = 0;
  double time_s = 0;
  std::int64_t messages = 0;
};

// While something was not itself: "link_down w0".
struct TraceInterval {
  std::string what;
  double start_s = 0, end_s = 0;
};

struct Trace {
  std::vector<TraceSpan> spans;  // in order of their beginnings
  std::optional<double> full_s;  // from then on there was no room for spans
  double period_s = 0;
  std::vector<LinkLoad> links;     // by link; only those that carried something
  std::vector<TraceQueue> queues;  // in order of time; while there was room for spans
  std::vector<TraceInterval> faults;
};

// Bounds of what is kept.
struct TraceLimits {
  std::size_t spans = 50000;   // some 25 MB of trace.json
  std::size_t periods = 512;   // at most, even
  std::size_t loads = 100000;  // over all links and periods together
};

}  // namespace ddl::run
