// The staleness bound: the progress of an Ako worker's peers, and the age of their gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

// Steps of one peer whose messages have all arrived. Messages of the same part arrive in order, and a later step's
// stands for earlier ones; messages of different parts may overtake each other.
class ReceivedSteps {
 public:
  ReceivedSteps(const AkoPlan& plan, int source, int target)
      : plan_(plan), source_(source), class_(plan.class_of(source, target)) {}

  void note(int part, std::int64_t step);
  void note_last(std::int64_t steps) { all_ = steps; }  // the peer takes no more steps than this
  void note_gone() { away_ = true; }                    // until its next message
  std::int64_t steps() const;                           // the largest integer once all have arrived

 private:
  const AkoPlan& plan_;
  const int source_;
  const std::size_t class_;
  std::map<std::size_t, std::int64_t> last_;  // step of the last message, by part
  std::int64_t next_ = 0, all_ = -1;
  bool away_ = false;
};

// The progress of all peers. An absent peer does not hold the worker up.
class AkoProgress {
 public:
  AkoProgress(Node& node, const AkoPlan& plan, std::optional<int> staleness_bound);

  void note(const Message& message);  // any message, on arrival
  // Steps of which all messages of all peers have arrived; the largest integer if there is no peer to wait for.
  std::int64_t steps() const;
  // W. Waits until all messages of all but the last s steps have arrived. Without a bound it does not wait, and ignores
  // events of hosts and leaving peers.
  void wait();
  // Tells the peers that this worker takes no more steps.
  void leave();

 private:
  // Its sender takes no more steps than the message's step.
  struct Leave {
    static constexpr std::string_view body_name = "ako.leave";
  };

  Node& node_;
  const std::optional<int> bound_;
  PerNode<ReceivedSteps> received_;  // by worker
};

// The mean age of gradients: the receiver's step minus the gradient's, at least 0.
class GradientAges {
 public:
  // One gradient of each step from `first` to `last`, received in step `now`.
  void add(std::int64_t first, std::int64_t last, std::int64_t now) {
    for (std::int64_t made = first; made <= last; ++made) {
      sum_ += static_cast<double>(std::max<std::int64_t>(0, now - made));
      count_ += 1;
    }
  }
  // Mean over those added since the last call; 0 without any.
  double take_mean() {
    const double mean = count_ == 0 ? 0 : sum_ / count_;
    sum_ = count_ = 0;
    return mean;
  }

 private:
  double sum_ = 0, count_ = 0;
};

// --- TF.AKO ---

// True if it replaces the wait for peers.
inline bool keeps_tf_ako_clock(const AkoParams& params, const Cluster& cluster) {
  return params.staleness_bound && params.tf_ako.clock == AkoClock::ping_pong && cluster.workers > 1;
}

// The clock of TF.AKO, which keeps its staleness bound. Every worker tells worker 0 how many steps it has received
// completely (a ping); worker 0 tells all workers when the least of these has risen (a pong). Pings and pongs carry
// only a number. They travel in the channels of the gradients, behind the messages that wait there.
class TfAkoClock {
 public:
  TfAkoClock(Node& node, int port);

  void start();  // serves until the run ends
  // This worker has received everything of `steps` steps.
  void received(std::int64_t steps);
  // W. Waits until every worker has received everything of `steps` steps, or worker 0 is absent.
  void wait(std::int64_t steps);

 private:
  void serve();
  void note_event(int node, Presence presence);
  void note(int worker, std::int64_t steps);  // at worker 0

  Node& node_;
  const int port_;
  PerNode<std::int64_t> received_;  // per worker; worker 0 knows all, others only their own
  std::int64_t all_received_ = 0;   // the least of all workers, as far as this one knows
};

}  // namespace ddl::systems
