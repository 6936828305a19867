#include "core/comm/buckets.hpp"

#include <algorithm>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/node/layers.hpp"

namespace ddl::comm {
namespace {

constexpr double least_bytes_s = 2;      // a bucket's bytes take at least so many times as long as what they wait for
constexpr double noticeable = 1 - 1e-9;  // a gain must be larger: rounding makes equal times differ
constexpr std::size_t most_told_apart = 16;  // buckets listed one by one

// Adds a layer in front. Neighbours in the vector travel as one slice.
void add(Bucket& bucket, std::size_t layer, const Cluster& cluster) {
  const Slice slice = cluster.layers[layer].slice;
  bucket.layers.push_back(layer);
  if (!bucket.part.empty() && slice.end == bucket.part.front().begin) {
    bucket.part.front().begin = slice.begin;
  } else {
    bucket.part.insert(bucket.part.begin(), slice);
  }
}

}  // namespace

void expect_layers(const Cluster& cluster) {
  if (!cluster.layers.empty()) return;
  throw InputError("$.algorithm.overlap: a timing-only model has no layers; expected compute.layers, or \"none\"");
}

std::vector<std::size_t> all_layers(const Cluster& cluster) {
  expect_layers(cluster);
  std::vector<std::size_t> layers;
  for (std::size_t layer = cluster.layers.size(); layer-- > 0;) layers.push_back(layer);
  return layers;
}

std::vector<Bucket> make_buckets(const Cluster& cluster, std::uint64_t most_bytes) {
  std::vector<Bucket> buckets;
  for (const std::size_t layer : all_layers(cluster)) {
    const std::size_t begin = cluster.layers[layer].slice.begin;
    const bool fits = !buckets.empty() && cluster.wire_bytes({begin, buckets.back().part.front().end}) <= most_bytes;
    if (!fits) buckets.emplace_back();
    add(buckets.back(), layer, cluster);
  }
  return buckets;
}

double seconds_of_sum(const HowToSum& how, const Cluster& cluster, double share) {
  const bool passes =
      !cluster.hosts_change && (how.collective == Collective::ring || how.collective == Collective::hierarchical);
  double seconds = 0;
  for (const SumPhase& phase : cluster.sum_phases) {
    const double bytes = phase.bytes * share, bytes_s = phase.messages > 0 ? phase.bytes_s * share / phase.messages : 0;
    const std::uint64_t slice = passes ? how.first_slice(static_cast<std::uint64_t>(bytes)) : 0;
    const double slice_s = slice > 0 ? bytes_s * static_cast<double>(slice) / bytes : bytes_s;
    seconds += (phase.messages - 1) * std::max(bytes_s, phase.latency_s + slice_s) + phase.latency_s + bytes_s;
  }
  return seconds;
}

// Let known(i) be the time at which the first i layers are known, sum(j, i) the time of the sum of layers j .. i-1, and
// bytes(j, i) of its bytes alone. The sums of the first i layers are then over at
//
//   over(0) = 0,  over(i) = min over j < i of max(over(j), known(i)) + sum(j, i)
//
// where bytes(j, i) >= 2 (sum(j, i) - bytes(j, i)), or the bucket has all layers. Of equal choices the shortest bucket
// wins.
std::vector<Bucket> quickest_buckets(const HowToSum& how, const Cluster& cluster,
                                     const std::vector<std::size_t>& layers, bool beside_pass) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const LayerSchedule schedule(cluster.layers);
  const double pass_s = cluster.compute_s.empty() ? 0 : std::ranges::max(cluster.compute_s);
  double model_s = 0;  // bytes of a whole model
  for (const SumPhase& phase : cluster.sum_phases) model_s += phase.bytes_s;
  const auto share_of = [&](std::size_t layer) {
    const auto bytes = static_cast<double>(cluster.wire_bytes(cluster.layers[layer].slice));
    return bytes / static_cast<double>(cluster.model_bytes);
  };
  std::vector<double> over(layers.size() + 1, never);
  std::vector<std::size_t> begin(layers.size() + 1);  // the best j for each i
  over[0] = 0;
  for (std::size_t i = 1; i <= layers.size(); ++i) {
    const double known_s = beside_pass ? pass_s * schedule.known(layers[i - 1]) : pass_s;
    double share = 0;
    for (std::size_t j = i; j-- > 0;) {
      share += share_of(layers[j]);
      const double sum_s = seconds_of_sum(how, cluster, share), bytes_s = model_s * share;
      if (known_s + sum_s > over[i]) break;
      if (bytes_s < least_bytes_s * (sum_s - bytes_s) && !(j == 0 && i == layers.size())) continue;
      const double over_s = std::max(over[j], known_s) + sum_s;
      if (!(over_s < over[i] * noticeable)) continue;
      over[i] = over_s;
      begin[i] = j;
    }
  }
  std::vector<Bucket> buckets;
  for (std::size_t i = layers.size(); i > 0; i = begin[i]) {
    Bucket& bucket = buckets.emplace_back();
    for (std::size_t j = begin[i]; j < i; ++j) add(bucket, layers[j], cluster);
  }
  std::ranges::reverse(buckets);
  return buckets;
}

std::vector<std::string> notes_of_layers(const Cluster& cluster) {
  if (cluster.layers.empty()) {
    return {"in blocks, for this model has no layers; compute.layers says into how many a step divides"};
  }
  if (cluster.steps_by_slices) return {};
  return {"clip_norm needs whole gradients: a step is made when those of all layers are known"};
}

std::string text_of(const std::vector<std::vector<Bucket>>& buckets) {
  std::string lengths;
  std::size_t count = 0, layers = 0, least = buckets.front().front().layers.size(), most = least;
  for (const std::vector<Bucket>& together : buckets) {
    lengths += lengths.empty() ? "" : "; ";
    for (const Bucket& bucket : together) {
      const std::size_t length = bucket.layers.size();
      lengths += (&bucket == &together.front() ? "" : " + ") + std::to_string(length);
      least = std::min(least, length);
      most = std::max(most, length);
      layers += length;
      ++count;
    }
  }
  const std::string all = counted(static_cast<std::int64_t>(layers), "layer");
  if (most == 1) return all + " travel" + (layers == 1 ? "s" : ", each alone");
  const std::string in_buckets = all + " travel in " + counted(static_cast<std::int64_t>(count), "bucket");
  if (count <= most_told_apart) return in_buckets + ", the last first: " + lengths;
  return in_buckets + " of " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace ddl::comm
