// Every worker applies its own gradients whole, before its next step, and sends of their running sum one partition a
// round to each peer. A partition goes to a given peer every P rounds and then carries the sum since it last went, so
// every coordinate of every gradient reaches every peer exactly once, at most P-1 rounds and the journey late. The SoCC
// paper keeps a window of P gradients to the same end; sums that start again after each sending hold the same values
// without drift and need one vector per class of peers instead of P.
//
//   worker i:                                                                    [ALGORITHMS: Ako, actor form]
//     loop:  wait until no peer is more than s steps behind                      (staleness bound, if any)
//            g = gradient(x);  acc += g
//            to each peer of rank r: part k = (t + r) mod P of acc               (rotate; broadcast: t mod P)
//            clear what was sent; wait until it is there                         (blocking; background: go on)
//            wait until everybody has received all of steps up to t - s          (bound kept by TF.AKO's clock)
//            x = step(x, weight * (g + inbox));  inbox = 0                       (at_step)
//     on (j, k, v):  inbox[k] += v                                               (on_arrival: x[k] = step(x[k], v))
#include "core/systems/ako.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/check.hpp"
#include "core/comm/compression.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/ako_clock.hpp"
#include "core/systems/ako_plan.hpp"

namespace ddl::systems {
namespace {

class AkoWorker : public Program {
  // Ports: one per receive thread, then the clock's.

  // Its sender takes no more steps than the message's.
  struct Leave {};

 public:
  AkoWorker(const AkoParams& params, Node& node)
      : node_(node),
        params_(params),
        plan_(params, node.cluster()),
        weight_(node.cluster().gradient_weight()),
        random_(node.rng("codec")),
        clock_(node, params.receive_threads) {
    const Cluster& cluster = node.cluster();
    for (int worker = 0; worker < cluster.workers; ++worker) {
      if (worker != node.id()) peers_.push_back(worker);
      received_.emplace_back(plan_, worker, node.id());
      // Who starts in the middle has not heard what came before, and who is away says nothing.
      if (node.membership().events() > 0 || !node.up(worker)) received_.back().note_gone();
    }
    const std::size_t length = cluster.timing_only ? 0 : cluster.parameters;
    unsent_.assign(plan_.classes(node.id()), std::vector<float>(length));
    unsent_since_.assign(unsent_.size(), std::vector<std::int64_t>(plan_.partitions(node.id()).size()));
    inbox_.assign(length, 0);
    node.membership().watch(0);
  }

  void run() override {
    if (!peers_.empty()) {
      for (int thread = 0; thread < params_.receive_threads; ++thread) {
        node_.spawn("receive", [this, thread] { receive(thread); });
      }
      if (bounded_by(AkoClock::ping_pong)) clock_.start();
    }
    while (node_.next_step()) {
      if (bounded_by(AkoClock::peers)) wait_for_peers();
      const Payload gradient = node_.gradient().values;
      for (auto& sum : unsent_) add_scaled(sum, values_of(gradient));
      wait_for_room();
      send_parts();
      if (bounded_by(AkoClock::ping_pong)) wait_for_clock();
      apply(gradient);
      node_.finish_step();
    }
    if (!params_.staleness_bound) return;
    for (const int peer : peers_) node_.send(peer, {.port = 0, .step = node_.step(), .body = Leave{}});
  }

 private:
  bool bounded_by(AkoClock clock) const { return params_.staleness_bound && params_.clock == clock && !peers_.empty(); }

  // Stale-synchronous: go on only if every peer's messages of all but the last s steps have come here.
  void wait_for_peers() {
    const std::int64_t needed = node_.step() - *params_.staleness_bound;
    node_.wait_until([&] { return received_of_all() >= needed; }, "gradients of peers (staleness bound)");
  }

  // TF.AKO: apply step t only if everybody has received everything of steps up to t - s.
  void wait_for_clock() {
    const std::int64_t needed = node_.step() + 1 - *params_.staleness_bound;
    node_.wait_until([&] { return clock_.steps() >= needed || !node_.up(0); }, "gradients at every worker (clock)");
  }

  std::int64_t received_of_all() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const int peer : peers_) least = std::min(least, received_[static_cast<std::size_t>(peer)].steps());
    return least;
  }

  void wait_for_room() {
    if (params_.overflow == Overflow::merge) return;
    // The clock's messages may take a place at one peer while there is none yet at the next.
    const auto depth = static_cast<std::size_t>(params_.queue_depth);
    const auto is_full = [&](int peer) { return node_.queue(peer).length() >= depth; };
    for (auto peer = peers_.begin(); (peer = std::ranges::find_if(peers_, is_full)) != peers_.end();) {
      node_.queue(*peer).wait_for_room(depth);
    }
  }

  // Peers of one class share one sum and one payload.
  void send_parts() {
    for (std::size_t c = 0; c < unsent_.size(); ++c) {
      const std::size_t part = plan_.part(node_.id(), c, node_.step());
      const Partition& partition = plan_.partitions(node_.id())[part];
      Message message{.port = static_cast<int>(part) % params_.receive_threads,
                      .step = node_.step(),
                      .body = PartOfSum{static_cast<int>(part), unsent_since_[c][part]}};
      compressor(c, part).compress(message, gather(unsent_[c], partition));
      fill_zero(unsent_[c], partition);
      unsent_since_[c][part] = node_.step() + 1;
      for (const int peer : peers_) {
        if (plan_.class_of(node_.id(), peer) == c) send_part(peer, message);
      }
    }
  }

  comm::Compressor& compressor(std::size_t peer_class, std::size_t part) {
    const auto key = std::pair(peer_class, part);
    const auto found = compressors_.find(key);
    if (found != compressors_.end()) return found->second;
    const Partition& partition = plan_.partitions(node_.id())[part];
    return compressors_
        .emplace(key, comm::Compressor(params_.codec, node_.cluster(), partition, Stream(random_.bits())))
        .first->second;
  }

  void send_part(int peer, const Message& message) {
    SendQueue& queue = node_.queue(peer);
    const bool full = queue.length() >= static_cast<std::size_t>(params_.queue_depth);
    const auto is_same = [part = message.as<PartOfSum>().part](const Message& queued) {
      return queued.is<PartOfSum>() && queued.as<PartOfSum>().part == part;
    };
    if (params_.overflow == Overflow::merge && full && queue.merge(message, is_same)) return;
    node_.send(peer, message);
    const std::size_t parts = plan_.partitions(node_.id()).size();
    const std::size_t most =
        static_cast<std::size_t>(params_.queue_depth) + (params_.overflow == Overflow::merge ? parts : 0);
    check(queue.length() <= most, "a queue holds what its depth allows, and one sum of each partition when merging");
    if (params_.publish == Publish::blocking) queue.flush();
  }

  void apply(const Payload& gradient) {
    const std::span<const float> own = values_of(gradient);
    for (std::size_t i = 0; i < own.size(); ++i) inbox_[i] = (inbox_[i] + own[i]) * weight_;
    node_.record(Staleness{node_.id(), node_.step(), gradients_merged_ == 0 ? 0 : age_ / gradients_merged_});
    gradients_merged_ = age_ = 0;
    node_.apply(inbox_);
    fill_zero(std::span<float>(inbox_));
  }

  void receive(int thread) {
    while (true) {
      const Message message = node_.receive(thread, "gradients of the others");
      if (message.source >= node_.cluster().workers) continue;  // a server's host, which nobody waits for
      ReceivedSteps& steps_received = received_[static_cast<std::size_t>(message.source)];
      if (message.is<MembershipEvent>()) {
        steps_received.note_gone();
      } else if (message.is<Leave>()) {
        steps_received.note_last(message.step);
      } else {
        node_.compute(params_.receive_time.value);
        if (params_.staleness_bound) steps_received.note(message.as<PartOfSum>().part, message.step);
        note_age(message);
        take(message);
      }
      if (bounded_by(AkoClock::ping_pong)) clock_.received(received_of_all());
      node_.notify();
    }
  }

  // Own steps since each gradient of the sum was made.
  void note_age(const Message& message) {
    for (std::int64_t made = message.as<PartOfSum>().since; made <= message.step; ++made) {
      age_ += static_cast<double>(std::max<std::int64_t>(0, node_.step() - made));
      gradients_merged_ += 1;
    }
  }

  void take(const Message& message) {
    const auto& partition = plan_.partitions(message.source)[static_cast<std::size_t>(message.as<PartOfSum>().part)];
    scatter(partition, message.values, [&](Slice slice, std::span<const float> values) {
      if (params_.apply == AkoApply::at_step) {
        add_scaled(part_of(std::span<float>(inbox_), slice), values);
      } else {
        update_.assign(values.begin(), values.end());
        for (float& value : update_) value *= weight_;
        node_.apply(update_, slice.begin);
      }
    });
  }

  Node& node_;
  const AkoParams params_;
  const AkoPlan plan_;
  const float weight_;
  std::vector<int> peers_;                               // in order of id
  std::vector<std::vector<float>> unsent_;               // per class of peers: gradients summed since they were sent
  std::vector<std::vector<std::int64_t>> unsent_since_;  // and per part: the step of the oldest of them
  Stream random_;
  std::map<std::pair<std::size_t, std::size_t>, comm::Compressor> compressors_;  // by class of peers and part
  std::vector<float> inbox_;                                                     // gradients of others, not yet applied
  std::vector<ReceivedSteps> received_;                                          // per worker
  PingPongClock clock_;
  std::vector<float> update_;
  double gradients_merged_ = 0, age_ = 0;  // gradients taken since the last step, and their age in steps
};

}  // namespace

std::unique_ptr<Program> AkoParams::program(Node& node) const { return std::make_unique<AkoWorker>(*this, node); }

}  // namespace ddl::systems
