// Codecs on top of Node: for training systems that send compressed gradients.
//
// One Compressor per stream of gradients, i.e. per series of vectors over the same slices to the same receivers: a
// parameter server's worker has one per server, Ako one per partition and class of peers. Before sending, call
//
//   compressor.compress(message, gradient);     // in place of message.values = ..., message.wire_bytes = ...
//
// Receivers add message.values as usual. least_share() is the factor on the flows of traffic_of(). For all-reduces see
// AllReduce::coded_sum.
#pragma once

#include <optional>
#include <vector>

#include "core/codec/encoder.hpp"
#include "core/node/message.hpp"
#include "core/node/node.hpp"

namespace ddl::comm {

class Compressor {
 public:
  // For vectors that hold these slices one after the other. Throws InputError as least_share does.
  Compressor(const codec::CodecParams& codec, const Cluster& cluster, std::vector<Slice> slices, Stream random);

  // Sets the message's values (null when timing only) and their size on the wire.
  void compress(Message& message, Payload values);

 private:
  const Cluster& cluster_;
  std::vector<Slice> slices_;
  std::optional<codec::Encoder> encoder_;  // none: values travel as they are
};

// The random stream of a node's `number`-th compressor, the next of `random`. Recorded if the codec draws from it.
Stream codec_stream(Node& node, const codec::CodecParams& codec, Stream& random, std::int64_t number);

// Encoded size of a whole gradient over 4d bytes, or its lower bound. Throws InputError when timing only if it depends
// on the values.
double least_share(const codec::CodecParams& codec, const Cluster& cluster);

}  // namespace ddl::comm
