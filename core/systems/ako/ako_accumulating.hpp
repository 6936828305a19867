// Ako whose sums wait unsent, one for each peer, until the network takes the next part of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/comm/compression.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako_sender.hpp"

namespace ddl::systems {

// Sums over the last few transfers, or gradients.
class RecentRate {
 public:
  void add(double seconds, double amount) {
    recent_.push_back({seconds, amount});
    if (recent_.size() > most) recent_.pop_front();
  }
  // Nothing before the first.
  std::optional<double> seconds_per_unit() const;

 private:
  static constexpr std::size_t most = 8;
  std::deque<std::pair<double, double>> recent_;
};

// The partitions that the paper's rule gives, P = ceil(T / (utilisation c)), where T is the measured time of a whole
// model to the slowest peer and c that of a gradient. Less than a tenth too many is kept, so that noise in T and c does
// not make P swing.
int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most);

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
    RecentRate rate;  // by bytes, without the latency
  };

  void serve(Peer& peer);
  void measure_latency(Peer& peer);
  Message take(Peer& peer);
  void end_round(Peer& peer);
  void begin_round(Peer& peer, int partitions);
  void adapt();
  comm::Compressor& compressor(const Peer& peer, int part, const comm::Partition& slices);

  Node& node_;
  const AkoParams& params_;
  const AkoPlan& plan_;
  Stream random_;
  std::vector<Peer> peers_;
  int partitions_;         // of rounds that begin
  std::int64_t last_ = 0;  // the step of the newest gradient
  RecentRate gradients_;
  std::map<std::pair<int, int>, comm::Compressor> compressors_;  // by peer and part, whose cut stays the same
};

}  // namespace ddl::systems
