// Ako whose sums wait unsent, one for each peer, until the network takes the next part of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/comm/compression.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako_adaptive.hpp"
#include "core/systems/ako/ako_sender.hpp"

namespace ddl::systems {

class AccumulatingSender final : public AkoSender {
 public:
  AccumulatingSender(Node& node, const AkoParams& params, const AkoPlan& plan);
  void start() override;
  // Never waits.
  void send(const Payload& gradient, double seconds) override;

 private:
  struct Peer {
    int id = 0, rank = 0;
    std::vector<float> sum;           // of gradients, where nothing was sent since
    int turns = 0;                    // parts that may be sent
    int partitions = 1, next = 0;     // of the round under way
    int sent = 0;                     // parts in it
    std::vector<std::int64_t> since;  // by part: the step of the oldest gradient
    double latency_s = 0;
    std::int64_t transfers = 0;
  };

  void serve(Peer& peer);
  void measure_latency(Peer& peer);
  Message take(Peer& peer);
  void end_round(Peer& peer);
  void begin_round(Peer& peer, int partitions);
  comm::Compressor& compressor(const Peer& peer, int part, const comm::Partition& slices);

  Node& node_;
  const AkoParams& params_;
  const AkoPlan& plan_;
  Stream random_;
  std::vector<Peer> peers_;
  AdaptivePartitions measured_;                                  // of rounds that begin
  std::int64_t last_ = 0;                                        // the step of the newest gradient
  std::map<std::pair<int, int>, comm::Compressor> compressors_;  // by peer and part, whose cut stays the same
};

}  // namespace ddl::systems
