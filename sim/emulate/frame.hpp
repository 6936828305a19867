// A message as bytes of a connection: a head of fixed size, then the body, which has exactly the message's size on the
// network. The body begins with the message's values and is filled up. Values that are larger than the message (those
// of a codec, whose encoding is smaller, or of a model that travels as a smaller one) do not fit and are handed over in
// memory; filler travels for them.
#pragma once

#include <cstdint>

#include "core/node/message.hpp"

namespace ddl::emulate {

struct FrameHead {
  std::uint64_t body_bytes = 0;  // the scenario's header for each message included
  std::uint64_t wire_bytes = 0;
  std::uint64_t values = 0;  // at the body's beginning
  std::int64_t step = 0, since = 0;
  double loss = 0, share = 0, weight = 0;
  std::int32_t port = 0, kind = 0, part = 0, source = 0, target = 0, padding = 0;
};

inline bool fits(const Message& message) {
  return message.values && message.values->size() * sizeof(float) <= message.wire_bytes;
}

inline FrameHead head_of(const Message& message, std::uint64_t header_bytes) {
  FrameHead head;
  head.body_bytes = message.wire_bytes + header_bytes;
  head.wire_bytes = message.wire_bytes;
  head.values = fits(message) ? message.values->size() : 0;
  head.step = message.step;
  head.since = message.since;
  head.loss = message.loss;
  head.share = message.share;
  head.weight = message.weight;
  head.port = message.port;
  head.kind = message.kind;
  head.part = message.part;
  head.source = message.source;
  head.target = message.target;
  return head;
}

inline Message message_of(const FrameHead& head, Payload values) {
  Message message;
  message.port = head.port;
  message.kind = head.kind;
  message.part = head.part;
  message.step = head.step;
  message.since = head.since;
  message.values = std::move(values);
  message.wire_bytes = head.wire_bytes;
  message.loss = head.loss;
  message.share = head.share;
  message.weight = head.weight;
  message.source = head.source;
  message.target = head.target;
  return message;
}

}  // namespace ddl::emulate
