// Buckets: runs of neighbouring layers whose gradients travel together, as in PyTorch's DDP (Li et al., VLDB 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/comm/partitions.hpp"
#include "core/node/cluster.hpp"
#include "core/node/message.hpp"

namespace ddl::comm {

struct Bucket {
  std::vector<std::size_t> layers;  // the last first, one at least
  Partition part;                   // of them

  // The last of them whose gradient is known, the first whose weights are needed.
  std::size_t first_layer() const { return layers.back(); }
};

// Throws InputError when the cluster has no layers.
void expect_layers(const Cluster& cluster);

// The last layers come first, for so do their gradients. A bucket takes layers as long as it has at most `most_bytes`
// on the wire, and one at least. Throws as expect_layers().
std::vector<Bucket> make_buckets(const Cluster& cluster, std::uint64_t most_bytes);

// Those whose sums, made one after the other, are over soonest, by Cluster::sum_time and the slowest worker's backward
// pass: few where latencies count, each layer alone where there are none. A sum's bytes take at least twice as long as
// its latencies, unless all layers are one bucket. `layers`: those which travel, the last first; `beside_pass`: each
// leaves when its gradient is known, not after the last one's.
std::vector<Bucket> quickest_buckets(const Cluster& cluster, const std::vector<std::size_t>& layers, bool beside_pass);
std::vector<std::size_t> all_layers(const Cluster& cluster);  // the last first. Throws as expect_layers()

// Whatever systems that exchange layer by layer cannot do here; see System::notes.
std::vector<std::string> notes_of_layers(const Cluster& cluster);
// "24 layers travel in 3 buckets, the last first: 12 + 8 + 4"; one list for each time at which some travel.
std::string text_of(const std::vector<std::vector<Bucket>>& buckets);

}  // namespace ddl::comm
