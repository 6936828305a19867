// Codecs in the words of Node: what a training system needs to send gradients compressed.
//
// One Compressor per stream of gradients, that is, per series of vectors over the same slices to the same receivers:
// a parameter server's worker has one per server, Ako one per partition and class of peers. Before sending,
//
//   compressor.compress(message, gradient);     // instead of message.values = ..., message.wire_bytes = ...
//
// and receivers add message.values as ever. least_share() is the factor on the flows of traffic_of(). All-reduces:
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
  // Of vectors that hold these slices one after the other. Throws InputError as least_share does.
  Compressor(const codec::CodecParams& codec, const Cluster& cluster, std::vector<Slice> slices, Stream random);

  // Makes `values` (null: timing only) and their size on the wire the message's.
  void compress(Message& message, Payload values);

 private:
  const Cluster& cluster_;
  std::vector<Slice> slices_;
  std::optional<codec::Encoder> encoder_;  // none: values travel as they are
};

// The next of the streams for a node's compressors, this one the `number`-th. If the codec draws from it, that is
// recorded.
Stream codec_stream(Node& node, const codec::CodecParams& codec, Stream& random, std::int64_t number);

// Encoded size of a whole gradient over 4d bytes, or the least it can be. Throws InputError when it depends on values
// and there are none.
double least_share(const codec::CodecParams& codec, const Cluster& cluster);

}  // namespace ddl::comm
