// A message as bytes of a connection: a head of fixed size, then as many bytes as the message has on the network. These
// begin with its values, and the rest is filler. Values that take more bytes than the message has (a codec's, whose
// encoding is smaller, or those of a model that travels as a smaller one) are handed over in memory, and filler travels
// in their place.
#pragma once

#include <cstdint>

#include "core/node/message.hpp"

namespace ddl::emulate {

struct FrameHead {
  std::uint64_t bytes = 0;  // length of the rest: the message's bytes and the scenario's header for each
  std::uint64_t wire_bytes = 0;
  std::uint64_t values = 0;  // number of values that follow
  std::int64_t step = 0;
  std::uint64_t body_type = 0;
  Body::Bytes body{};
  std::int32_t port = 0, source = 0, target = 0, padding = 0;
};

inline bool fits(const Message& message) {
  return message.values && message.values->size() * sizeof(float) <= message.wire_bytes;
}

inline FrameHead head_of(const Message& message, std::uint64_t header_bytes) {
  FrameHead head;
  head.bytes = message.wire_bytes + header_bytes;
  head.wire_bytes = message.wire_bytes;
  head.values = fits(message) ? message.values->size() : 0;
  head.step = message.step;
  head.body_type = message.body.type();
  head.body = message.body.bytes();
  head.port = message.port;
  head.source = message.source;
  head.target = message.target;
  return head;
}

inline Message message_of(const FrameHead& head, Payload values) {
  Message message;
  message.port = head.port;
  message.step = head.step;
  message.values = std::move(values);
  message.wire_bytes = head.wire_bytes;
  message.body = Body(head.body_type, head.body);
  message.source = head.source;
  message.target = head.target;
  return message;
}

}  // namespace ddl::emulate
