#include "core/algorithms/partitions.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

std::size_t size_of(const Partition& partition) {
  return std::accumulate(partition.begin(), partition.end(), std::size_t{0},
                         [](std::size_t sum, Slice slice) { return sum + slice.size(); });
}

// "conv1" of "conv1.weight": a layer's tensors lie side by side and stay together.
std::string layer_of(const Tensor& tensor) { return tensor.name.substr(0, tensor.name.find('.')); }

// What may not be cut further: whole layers, or (fine) a layer's tensors that are not cut by rows.
struct Units {
  std::vector<Slice> whole;
  std::vector<Slice> dealt;  // pieces of cut tensors, P of each, one for each partition
};

Units units_of(const Cluster& cluster, Partitioner partitioner, int partitions) {
  Units units;
  std::string last_layer;
  for (const Tensor& tensor : cluster.tensors) {
    const Slice slice{tensor.offset, tensor.offset + tensor.count};
    const auto p = static_cast<std::size_t>(partitions);
    if (partitioner == Partitioner::fine && tensor.count > cluster.parameters / p && tensor.rows >= p) {
      const std::size_t row = tensor.count / tensor.rows;
      for (int part = 0; part < partitions; ++part) {
        const Slice rows = even_part(tensor.rows, partitions, part);
        units.dealt.push_back({tensor.offset + rows.begin * row, tensor.offset + rows.end * row});
      }
      last_layer.clear();
    } else if (!last_layer.empty() && layer_of(tensor) == last_layer) {
      units.whole.back().end = slice.end;
    } else {
      units.whole.push_back(slice);
      last_layer = layer_of(tensor);
    }
  }
  return units;
}

std::vector<Partition> by_tensors(Partitioner partitioner, int partitions, const Cluster& cluster) {
  const auto p = static_cast<std::size_t>(partitions);
  Units units = units_of(cluster, partitioner, partitions);
  std::vector<Partition> result(p);
  for (std::size_t i = 0; i < units.dealt.size(); ++i) result[i % p].push_back(units.dealt[i]);
  std::ranges::stable_sort(units.whole, std::greater{}, &Slice::size);
  for (const Slice unit : units.whole) std::ranges::min_element(result, {}, size_of)->push_back(unit);
  for (Partition& partition : result) std::ranges::sort(partition, {}, &Slice::begin);
  std::ranges::stable_sort(result, {}, size_of);
  return result;
}

}  // namespace

std::vector<Partition> make_partitions(Partitioner partitioner, int partitions, const Cluster& cluster) {
  const auto refuse = [&](const std::string& why) {
    throw InputError("algorithm.partitions: " + std::to_string(partitions) + " partitions, but " + why);
  };
  std::vector<Partition> result;
  if (partitioner == Partitioner::even) {
    for (int part = 0; part < partitions; ++part) result.push_back({even_part(cluster.parameters, partitions, part)});
  } else {
    if (cluster.tensors.empty()) {
      throw InputError("algorithm.partitioner: a timing-only model has no layers to go by; expected \"even\"");
    }
    result = by_tensors(partitioner, partitions, cluster);
  }
  if (std::ranges::any_of(result, [](const Partition& partition) { return size_of(partition) == 0; })) {
    refuse("the model does not divide into so many; expected fewer, or another partitioner");
  }
  return result;
}

std::uint64_t wire_bytes(const Cluster& cluster, const Partition& partition) {
  return std::accumulate(partition.begin(), partition.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, Slice slice) { return sum + cluster.wire_bytes(slice); });
}

Payload gather(std::span<const float> vector, const Partition& partition) {
  if (vector.empty()) return nullptr;
  std::vector<float> values;
  values.reserve(size_of(partition));
  for (const Slice slice : partition) {
    const auto part = part_of(vector, slice);
    values.insert(values.end(), part.begin(), part.end());
  }
  return make_payload(std::move(values));
}

void fill_zero(std::span<float> vector, const Partition& partition) {
  for (const Slice slice : partition) fill_zero(part_of(vector, slice));
}

}  // namespace ddl
