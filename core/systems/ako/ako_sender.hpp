// How an Ako worker's gradients reach its peers: line 3 of ako.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/comm/compression.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako.hpp"
#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

class AkoSender {
 public:
  // All three outlive it.
  AkoSender(Node& node, const AkoParams& params, const AkoPlan& plan);

  void start();  // the services that it needs, until the run ends
  // Of this step's gradient, the values from this coordinate on are known: what is due in this step and has no others
  // leaves. Not if waits_to_send(params), nor with "adaptive".
  void send_known(const Payload& gradient, std::size_t from);
  // W if waits_to_send(params). The whole gradient of this step, which took so many seconds.
  void send(const Payload& gradient, double seconds);

 private:
  // Peers that get the same messages: a class, or a single peer where each is served at its own pace.
  struct Receivers {
    std::vector<int> peers;
    int first_part = 0;                           // of a round
    std::vector<float> sum;                       // of gradients, where nothing was sent since
    std::vector<std::int64_t> since;              // by part: the step of the oldest gradient
    int partitions = 1, next = 0, sent = 0;       // of the round under way: parts in all, the next, and so many sent
    std::optional<int> early;                     // the part that has this step's gradient while others lack it
    std::map<int, comm::Compressor> compressors;  // by part

    std::deque<int> due;   // parts, in the order in which they go
    double latency_s = 0;  // as measured
    std::int64_t transfers = 0;
  };

  void send_to_all();
  void wait_for_room();
  void serve(Receivers& to);
  void measure_latency(Receivers& to);
  int scheduled(const Receivers& to) const;  // the part whose turn it is in this step
  // The next that may become due, if it has a gradient of a step until this one.
  std::optional<int> next_due(const Receivers& to, std::int64_t newest) const;
  void make_due(Receivers& to, int part);
  void add(Receivers& to, const Payload& gradient);
  Message cut_part(Receivers& to, int part);
  void end_round(Receivers& to);
  comm::Compressor& compressor(Receivers& to, int part);

  Node& node_;
  const AkoParams& params_;
  const AkoPlan& plan_;
  Stream random_;
  std::int64_t compressors_ = 0;
  std::vector<Receivers> receivers_;
  MeasuredPartitions measured_;  // gives the P of the next round
  std::int64_t last_ = 0;        // the step of the newest whole gradient
};

}  // namespace ddl::systems
