#include "core/comm/buckets.hpp"

#include "core/base/check.hpp"

namespace ddl::comm {

void expect_layers(const Cluster& cluster) {
  if (!cluster.layers.empty()) return;
  throw InputError("$.algorithm.overlap: a timing-only model has no layers; expected compute.layers, or \"none\"");
}

std::vector<std::string> notes_of_layers(const Cluster& cluster) {
  if (cluster.layers.empty()) {
    return {"in blocks, for this model has no layers; compute.layers says into how many a step divides"};
  }
  if (cluster.steps_by_slices) return {};
  return {"clip_norm needs whole gradients: a step is made when those of all layers are known"};
}

std::vector<Bucket> make_buckets(const Cluster& cluster, std::uint64_t most_bytes) {
  expect_layers(cluster);
  std::vector<Bucket> buckets;
  for (std::size_t layer = cluster.layers.size(); layer-- > 0;) {
    const Slice slice = cluster.layers[layer].slice;
    if (!buckets.empty()) {
      const Slice with{slice.begin, buckets.back().slice.end};
      if (cluster.wire_bytes(with) <= most_bytes) {
        buckets.back() = {layer, with};
        continue;
      }
    }
    buckets.push_back({layer, slice});
  }
  return buckets;
}

}  // namespace ddl::comm
