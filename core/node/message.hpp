// What travels between nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ddl {

// The coordinates [begin, end) of the flat parameter vector.
struct Slice {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const Slice&) const = default;
};

// Immutable once made: senders, receivers and the math threads share it without copying. Null when timing only.
using Payload = std::shared_ptr<const std::vector<float>>;

// Whether a host takes part. away: not yet, or no more; it is not waited for. down: it has crashed, and may come back.
enum class Presence { away, up, down };

struct Message {
  int port = 0;                                 // which of the target's inboxes; each algorithm numbers its own
  int kind = 0;                                 // what it says, in the algorithm's own words
  int part = 0;                                 // which part of the vector travels, if not all
  std::int64_t step = 0;                        // the sender's clock
  std::int64_t since = 0;                       // a sum of gradients: the step of the oldest in it
  Payload values = nullptr;                     // null when there is nothing to say or nothing is computed
  std::uint64_t wire_bytes = 0;                 // its size on the network, without the header every message has
  double loss = -1;                             // for schemes that weigh models by it; negative: not known
  double share = 0;                             // of the target's own model in a mean, as the sender reckons it
  double weight = 1;                            // of the values, in push-sum
  std::optional<Presence> news = std::nullopt;  // no message but a notice of the source's presence; see Node::watch
  int source = -1;                              // filled in by send
  int target = -1;
};

// The parts of [0, count) when cut into `parts` contiguous ranges whose sizes differ by at most one.
inline Slice even_part(std::size_t count, int parts, int part) {
  const auto p = static_cast<std::size_t>(parts), k = static_cast<std::size_t>(part);
  return {count * k / p, count * (k + 1) / p};
}

}  // namespace ddl
