// Buckets: runs of neighbouring layers whose gradients travel together, as in PyTorch's DDP (Li et al., VLDB 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/node/cluster.hpp"
#include "core/node/message.hpp"

namespace ddl::comm {

// Of systems that exchange layer by layer, what they cannot do here; see System::notes.
std::vector<std::string> notes_of_layers(const Cluster& cluster);

struct Bucket {
  std::size_t first_layer = 0;  // the last of its layers whose gradient is known, the first whose weights are needed
  Slice slice;
};

// Throws InputError when the cluster has no layers.
void expect_layers(const Cluster& cluster);

// The last layers come first, for so do their gradients. A bucket takes layers as long as it has at most `most_bytes`
// on the wire, and one at least. Throws as expect_layers().
std::vector<Bucket> make_buckets(const Cluster& cluster, std::uint64_t most_bytes);

}  // namespace ddl::comm
