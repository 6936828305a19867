// Partitions of the parameter vector.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/node/message.hpp"
#include "core/node/node.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {

enum class Partitioner { even, layer, fine };  // equal ranges | whole tensors | large tensors cut by rows
constexpr auto enum_names(Partitioner) { return in_order<Partitioner>("even", "layer", "fine"); }

// Disjoint slices that travel together, in ascending order.
using Partition = std::vector<Slice>;

// Cuts the vector into P partitions that cover it exactly once. even: contiguous ranges of nearly one size. layer:
// whole layers, the largest first, each to the lightest partition. fine: tensors larger than a P-th of the vector are
// cut into P pieces by rows, one for each partition; the other layers follow in P groups of neighbours, and uncut
// tensors of a cut layer go to the lightest partition. Both give TF.AKO's groups for its network, at P = 2 and 4.
// Throws InputError if P is more than the partitioner can make, or if it needs tensors and there are none.
std::vector<Partition> make_partitions(Partitioner partitioner, int partitions, const Cluster& cluster);

// Whole layers: layer l in partition l mod P, or neighbours together; ranges of one size if there are no tensors.
enum class LayerOrder { strided, contiguous };
constexpr auto enum_names(LayerOrder) { return in_order<LayerOrder>("strided", "contiguous"); }
// Throws InputError if there are fewer layers than partitions.
std::vector<Partition> by_layers(LayerOrder order, int partitions, const Cluster& cluster);

// Groups of layers ("conv1") or tensors ("conv1.weight") by name, one for each partition. Throws InputError unless each
// tensor is in exactly one.
std::vector<Partition> make_partitions(const std::vector<std::vector<std::string>>& groups, const Cluster& cluster);

std::size_t size_of(const Partition& partition);  // values in it
std::uint64_t wire_bytes(const Cluster& cluster, const Partition& partition);

// The part at these positions of its slices, counted one after the other.
Partition part_of(const Partition& partition, Slice positions);

// A copy of the partition's values, one slice after the other; null for an empty vector.
Payload gather(std::span<const float> vector, const Partition& partition);
using ddl::fill_zero;
void fill_zero(std::span<float> vector, const Partition& partition);

// Calls visit(slice, its values) for gathered values; not at all for a null payload.
template <class Visit>
void scatter(const Partition& partition, const Payload& values, Visit visit) {
  if (!values) return;
  std::size_t position = 0;
  for (const Slice slice : partition) {
    visit(slice, std::span<const float>(*values).subspan(position, slice.size()));
    position += slice.size();
  }
}

}  // namespace ddl::comm
