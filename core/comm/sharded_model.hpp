// A model on servers, cut into one contiguous shard for each: the protocol between workers and servers. Both may crash
// and come back meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/compression.hpp"
#include "core/node/message.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum ServerPort { to_server, to_worker };

// The bodies of their messages.
struct Pull {  // asks for the model
  static constexpr std::string_view body_name = "shards.pull";
};
struct Push {  // brings a vector of the model's length
  static constexpr std::string_view body_name = "shards.push";
  std::int64_t steps = 0;  // trained steps of the sender's own model
  double run_share = 0;    // a gradient's
};
struct Leave {  // its sender sends nothing more
  static constexpr std::string_view body_name = "shards.leave";
};
struct Shard {  // a server's part of the model
  static constexpr std::string_view body_name = "shards.shard";
  std::int64_t steps = 0;  // trained steps
};
struct NoShard {  // instead of a shard: the server refuses
  static constexpr std::string_view body_name = "shards.refusal";
};

// A worker's access to the model. Each call sends one message to every server, with the part for its shard.
class ShardedModel {
 public:
  // `codec` encodes pushes.
  explicit ShardedModel(Node& node, const codec::CodecParams& codec = codec::NoCodecParams{});

  struct Pulled {
    Payload model;           // null when timing only
    std::int64_t steps = 0;  // trained steps
  };
  // W. The model as the servers have it; weights() stay unchanged. A server that crashes before it answers is asked
  // again once it is back.
  Pulled pull();
  // W. The same if servers may refuse: nothing if one of them did.
  std::optional<Pulled> pull_unless_refused();
  void push(const Payload& vector, double run_share = 0);  // as long as the model; null when timing only
  // Call it last; servers that come back later are told, too.
  void leave();

 private:
  // True if the message says that a server came back after the first `events` events of hosts.
  static bool is_back(const Message& message, int workers, std::int64_t events);

  Node& node_;
  PerNode<Compressor> compressors_;  // one for each server
};

// A server's access to its shard, weights(), and to each worker's version of it. A worker that goes is forgotten.
class ShardServer {
 public:
  struct Asked {
    std::int64_t step = 0;  // the worker's
    double since_s = 0;
  };

  explicit ShardServer(Node& node);

  // W. The next message of a worker, or about its host.
  Message receive(const Reason& reason);
  // Records a message as receive() does, for a caller that has received it by itself.
  void hear(const Message& message);

  // Workers with unanswered pulls.
  const std::map<int, Asked>& asking() const { return asking_; }
  double oldest_pull_s() const;  // arrival of the oldest unanswered pull; now, if there is none
  void answer(int worker);       // with the shard as it is now
  // Answers the workers that ask and satisfy may(worker), in ascending order.
  template <class Predicate>
  void answer_if(Predicate may) {
    for (auto next = asking_.begin(); next != asking_.end();) {
      const int worker = (next++)->first;
      if (may(worker)) answer(worker);
    }
  }
  void refuse_all();  // tells all workers that ask to expect no shard

  // One optimizer step with factor * gradient and the rest of `how`.
  void apply(std::span<const float> gradient, float factor, Update how);
  // weights() += difference: an update without the optimizer.
  void add(std::span<const float> difference);

  bool has_pulled(int worker) const { return copy_of(worker).version >= 0; }
  bool has_newest(int worker) const { return copy_of(worker).version == version_; }
  // Steps between a worker's pull and this push.
  std::int64_t steps_in(const Message& push) const { return push.step - copy_of(push.source).step; }
  // Updates by others since the worker pulled; the first server records it as the staleness of the worker's step.
  std::int64_t record_staleness(const Message& push);

 private:
  struct Copy {
    std::int64_t version = -1;  // none
    std::int64_t step = 0;      // the worker's, when it pulled
  };
  const Copy& copy_of(int worker) const { return copies_[worker]; }

  Node& node_;
  std::int64_t version_ = 0;  // updates applied
  PerNode<Copy> copies_;      // per worker, as of its last answer
  std::map<int, Asked> asking_;
  std::vector<float> update_;
};

// Its traffic when every worker pulls and pushes the model `times` times a step; pushes are encoded.
Traffic pull_and_push(const Cluster& cluster, Pace pace, double times,
                      const codec::CodecParams& codec = codec::NoCodecParams{});

}  // namespace ddl::comm
