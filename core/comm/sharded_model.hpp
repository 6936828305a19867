// What workers and servers say to each other when the model lies on servers, cut into one contiguous shard for each.
#pragma once

#include <set>
#include <vector>

#include "core/comm/compression.hpp"
#include "core/node/message.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl::comm {

enum ServerPort { to_server, to_worker };

// The bodies of what travels between them.
struct Pull {};     // asks for the model
struct Push {};     // brings a gradient
struct Leave {};    // its sender says no more
struct Shard {};    // a server's part of the model
struct NoShard {};  // there is none to come

// A worker's access to the model. What it says goes to all servers, each of which gets its shard's part.
class ShardedModel {
 public:
  // `codec` of what is pushed.
  explicit ShardedModel(Node& node, const codec::CodecParams& codec = codec::NoCodecParams{});

  // A server that has crashed since is told again when it is back, until receive() has its answer.
  void send_request(const Body& body);                 // no more than that
  void push(const Body& body, const Payload& vector);  // a vector of the model's length; null when timing only
  // W. Waits for word from every server; weights() become the model, or the word of one was that there is none.
  bool receive();
  // The last thing to tell, also to servers that crash later and come back.
  void send_leave(const Body& body);

 private:
  Message message_to(const Body& body) const;
  bool is_back(const Message& message) const;  // news of a server that has missed what it was told

  Node& node_;
  std::vector<Compressor> to_server_;
  Body told_;                    // what was told last
  std::int64_t told_after_ = 0;  // and after so many events of hosts
  std::set<int> awaited_;        // servers whose word is still to come
};

// A server's shard on its way to a worker.
void send_shard(Node& server, int worker);
// Instead of it: that there is none to come.
void send_no_shard(Node& server, int worker);

// What it sends when every worker pulls and pushes the model `times` times a step, the latter in a codec.
Traffic pull_and_push(const Cluster& cluster, Pace pace, double times,
                      const codec::CodecParams& codec = codec::NoCodecParams{});

}  // namespace ddl::comm
