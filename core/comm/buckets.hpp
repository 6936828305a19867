// Buckets: runs of neighbouring layers whose gradients travel together, as in PyTorch's DDP (Li et al., VLDB 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/comm/allreduce.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/cluster.hpp"
#include "core/node/message.hpp"

namespace ddl::comm {

struct Bucket {
  std::vector<std::size_t> layers;  // the last layer first, at least one
  Partition part;                   // their slices

  // The last layer whose gradient is known, and the first whose weights are needed.
  std::size_t first_layer() const { return layers.back(); }
};

// Throws InputError when the cluster has no layers.
void expect_layers(const Cluster& cluster);

// The last layers come first, as their gradients do. A bucket takes at least one layer, and further ones while it has
// at most `most_bytes` on the wire. Throws as expect_layers().
std::vector<Bucket> make_buckets(const Cluster& cluster, std::uint64_t most_bytes);

// Seconds of the sum of `share` of a model over all workers, alone on the network, by Cluster::sum_phases. A phase of m
// messages of c bytes, which pass in slices of s bytes over links of rate W and latency L, takes
//
//   (m - 1) max(c/W, L + s/W) + L + c/W,  which is m (L + c/W) for messages that travel whole (s = c)
double seconds_of_sum(const HowToSum& how, const Cluster& cluster, double share);

// The buckets whose sums, made one after the other, finish soonest, by their seconds and the slowest worker's backward
// pass: few where latencies count, one per layer without latencies. A sum's bytes take at least twice as long as what
// they wait for, unless all layers are one bucket. `layers`: those that travel, the last first; `beside_pass`: each
// leaves when its gradient is known, else after the backward pass.
std::vector<Bucket> quickest_buckets(const HowToSum& how, const Cluster& cluster,
                                     const std::vector<std::size_t>& layers, bool beside_pass);
std::vector<std::size_t> all_layers(const Cluster& cluster);  // the last first. Throws as expect_layers()

// Limits of layer-by-layer exchange on this cluster; see System::notes.
std::vector<std::string> notes_of_layers(const Cluster& cluster);
// "24 layers travel in 3 buckets, the last first: 12 + 8 + 4"; one list for each time at which some travel.
std::string text_of(const std::vector<std::vector<Bucket>>& buckets);

}  // namespace ddl::comm
