// The path of an Ako worker's gradients to its peers: line 3 of ako.cpp.
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
  // All three outlive this.
  AkoSender(Node& node, const AkoParams& params, const AkoPlan& plan);

  void start();  // starts its services, which run until the run ends
  // Announces that this step's gradient is known from coordinate `from` on: a part leaves if it is due in this step and
  // lies there. Do not call it if waits_to_send(params), nor with "adaptive".
  void send_known(const Payload& gradient, std::size_t from);
  // W if waits_to_send(params). Takes this step's whole gradient, which took `seconds`.
  void send(const Payload& gradient, double seconds);

 private:
  // Peers that get the same messages: a class, or a single peer if each is served at its own pace.
  struct Receivers {
    std::vector<int> peers;
    int first_part = 0;                           // the first part of a round
    std::vector<float> sum;                       // gradients not yet sent
    std::vector<std::int64_t> since;              // by part: the step of its oldest gradient
    int partitions = 1, next = 0, sent = 0;       // the present round's: parts in all, the next part, parts sent
    std::optional<int> early;                     // the part that has this step's gradient while others lack it
    std::map<int, comm::Compressor> compressors;  // by part

    std::deque<int> due;   // parts, in the order of sending
    double latency_s = 0;  // measured
    std::int64_t transfers = 0;
  };

  void send_to_all();
  void wait_for_room();
  void serve(Receivers& to);
  void measure_latency(Receivers& to);
  int scheduled(const Receivers& to) const;  // the part whose turn it is in this step
  // The part that may become due next, if it has a gradient of step `newest` or before.
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
  MeasuredPartitions measured_;  // decides the P of the next round
  std::int64_t last_ = 0;        // the step of the newest whole gradient
};

}  // namespace ddl::systems
