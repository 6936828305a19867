#include "core/comm/compression.hpp"

#include <algorithm>

#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

bool is_none(const codec::CodecParams& codec) { return std::holds_alternative<codec::NoCodecParams>(codec); }

// Sizes of the pieces of tensors in the slices.
std::vector<std::size_t> sections_of(const Cluster& cluster, const std::vector<Slice>& slices) {
  std::vector<std::size_t> sections;
  for (const Slice slice : slices) {
    if (cluster.tensors.empty()) sections.push_back(slice.size());
    for (const TensorInfo& tensor : cluster.tensors) {
      const std::size_t begin = std::max(slice.begin, tensor.offset);
      const std::size_t end = std::min(slice.end, tensor.offset + tensor.count);
      if (begin < end) sections.push_back(end - begin);
    }
  }
  return sections;
}

void refuse_unknown_size(const codec::CodecParams& codec, const Cluster& cluster) {
  if (!cluster.timing_only || codec::has_fixed_size(codec)) return;
  throw InputError(
      "$.algorithm.codec: how much it sends depends on values, which a timing-only model has not; "
      "expected another codec");
}

}  // namespace

Stream codec_stream(Node& node, const codec::CodecParams& codec, Stream& random, std::int64_t number) {
  const Stream own(random.bits());
  if (codec::is_random(codec)) node.record(Draw{"codec", number, own.seed()});
  return own;
}

Compressor::Compressor(const codec::CodecParams& codec, const Cluster& cluster, std::vector<Slice> slices,
                       Stream random)
    : cluster_(cluster), slices_(std::move(slices)) {
  refuse_unknown_size(codec, cluster);
  if (!is_none(codec)) encoder_.emplace(codec, sections_of(cluster, slices_), random);
}

void Compressor::compress(Message& message, Payload values) {
  message.wire_bytes = 0;
  if (!encoder_) {
    for (const Slice slice : slices_) message.wire_bytes += cluster_.wire_bytes(slice);
    message.values = std::move(values);
    return;
  }
  std::vector<float> decoded(values_of(values).begin(), values_of(values).end());
  __extension__ using Wide = unsigned __int128;
  const Wide bits = encoder_->encode(decoded), whole = 32 * Wide{cluster_.parameters};
  message.wire_bytes = static_cast<std::uint64_t>((bits * cluster_.model_bytes + whole / 2) / whole);
  message.values = values ? make_payload(std::move(decoded)) : nullptr;
}

double least_share(const codec::CodecParams& codec, const Cluster& cluster) {
  refuse_unknown_size(codec, cluster);
  const auto bits = codec::encoded_bits(codec, sections_of(cluster, {cluster.whole()}));
  return static_cast<double>(bits) / (32.0 * static_cast<double>(cluster.parameters));
}

}  // namespace ddl::comm
