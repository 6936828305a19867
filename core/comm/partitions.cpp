#include "core/comm/partitions.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "core/base/counted.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

// "conv1" for "conv1.weight": a layer's tensors lie side by side and stay together.
std::string layer_of(const TensorInfo& tensor) { return tensor.name.substr(0, tensor.name.find('.')); }

bool is_cut(const TensorInfo& tensor, Partitioner partitioner, std::size_t partitions, const Cluster& cluster) {
  return partitioner == Partitioner::fine && tensor.count > cluster.parameters / partitions &&
         tensor.rows >= partitions;
}

// The vector's division into units that partitions are made of.
struct Units {
  std::vector<Slice> layers;  // whole ones, in the model's order
  std::vector<Slice> pieces;  // P pieces of each cut tensor, one for each partition
  std::vector<Slice> rest;    // uncut tensors of layers with a cut one
};

Units units_of(const Cluster& cluster, Partitioner partitioner, std::size_t partitions) {
  std::set<std::string> cut_layers;
  for (const TensorInfo& tensor : cluster.tensors) {
    if (is_cut(tensor, partitioner, partitions, cluster)) cut_layers.insert(layer_of(tensor));
  }
  Units units;
  std::string last_layer;
  for (const TensorInfo& tensor : cluster.tensors) {
    const Slice slice{tensor.offset, tensor.offset + tensor.count};
    const std::string layer = layer_of(tensor);
    if (is_cut(tensor, partitioner, partitions, cluster)) {
      const std::size_t row = tensor.count / tensor.rows;
      for (std::size_t part = 0; part < partitions; ++part) {
        const Slice rows = even_part(tensor.rows, static_cast<int>(partitions), static_cast<int>(part));
        units.pieces.push_back({tensor.offset + rows.begin * row, tensor.offset + rows.end * row});
      }
    } else if (cut_layers.contains(layer)) {
      units.rest.push_back(slice);
    } else if (layer == last_layer) {
      units.layers.back().end = slice.end;
    } else {
      units.layers.push_back(slice);
    }
    last_layer = layer;
  }
  return units;
}

void give_to_lightest(std::vector<Partition>& partitions, Slice unit) {
  std::ranges::min_element(partitions, {}, size_of)->push_back(unit);
}

std::vector<Partition> by_tensors(Partitioner partitioner, int partitions, const Cluster& cluster) {
  const auto p = static_cast<std::size_t>(partitions);
  Units units = units_of(cluster, partitioner, p);
  std::vector<Partition> result(p);
  if (partitioner == Partitioner::layer) {
    std::ranges::stable_sort(units.layers, std::greater{}, &Slice::size);
    for (const Slice layer : units.layers) give_to_lightest(result, layer);
    std::ranges::stable_sort(result, {}, size_of);
  } else {
    for (int part = 0; part < partitions; ++part) {
      const Slice group = even_part(units.layers.size(), partitions, part);
      for (std::size_t i = group.begin; i < group.end; ++i) {
        result[static_cast<std::size_t>(part)].push_back(units.layers[i]);
      }
    }
    for (std::size_t i = 0; i < units.pieces.size(); ++i) result[i % p].push_back(units.pieces[i]);
    for (const Slice unit : units.rest) give_to_lightest(result, unit);
  }
  for (Partition& partition : result) std::ranges::sort(partition, {}, &Slice::begin);
  return result;
}

}  // namespace

std::vector<Partition> make_partitions(Partitioner partitioner, int partitions, const Cluster& cluster) {
  const auto refuse = [&](const std::string& why) {
    throw InputError("$.algorithm.partitions: " + std::to_string(partitions) + " partitions, but " + why);
  };
  std::vector<Partition> result;
  if (partitioner == Partitioner::even) {
    for (int part = 0; part < partitions; ++part) result.push_back({even_part(cluster.parameters, partitions, part)});
  } else {
    if (cluster.tensors.empty()) {
      throw InputError("$.algorithm.partitioner: a timing-only model has no layers to go by; expected \"even\"");
    }
    result = by_tensors(partitioner, partitions, cluster);
  }
  if (std::ranges::any_of(result, [](const Partition& partition) { return size_of(partition) == 0; })) {
    refuse("the model does not divide into so many; expected fewer, or another partitioner");
  }
  return result;
}

std::vector<Partition> make_partitions(const std::vector<std::vector<std::string>>& groups, const Cluster& cluster) {
  const auto refuse = [](const std::string& what) { throw InputError("algorithm.partitions: " + what); };
  if (cluster.tensors.empty()) refuse("a timing-only model has no tensors to name; expected a count");
  std::vector<Partition> result(groups.size());
  std::set<std::size_t> placed;  // offsets of tensors
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::string& name : groups[group]) {
      bool found = false;
      for (const TensorInfo& tensor : cluster.tensors) {
        if (tensor.name != name && layer_of(tensor) != name) continue;
        found = true;
        if (!placed.insert(tensor.offset).second) refuse("tensor \"" + tensor.name + "\" is named twice");
        result[group].push_back({tensor.offset, tensor.offset + tensor.count});
      }
      if (!found) {
        refuse("the model has no layer or tensor \"" + name + "\"; expected names such as \"" +
               layer_of(cluster.tensors.front()) + "\"");
      }
    }
    std::ranges::sort(result[group], {}, &Slice::begin);
  }
  for (const TensorInfo& tensor : cluster.tensors) {
    if (!placed.contains(tensor.offset)) refuse("tensor \"" + tensor.name + "\" is in no group");
  }
  for (const Partition& partition : result) {
    if (partition.empty()) refuse("a group is empty; expected at least one name in each");
  }
  return result;
}

std::vector<Partition> by_layers(LayerOrder order, int partitions, const Cluster& cluster) {
  const bool has_layers = !cluster.layers.empty();
  std::vector<Slice> units;
  for (const LayerInfo& layer : cluster.layers) units.push_back(layer.slice);
  for (int part = 0; !has_layers && part < partitions; ++part) {
    units.push_back(even_part(cluster.parameters, partitions, part));
  }
  if (units.size() < static_cast<std::size_t>(partitions) ||
      cluster.parameters < static_cast<std::size_t>(partitions)) {
    throw InputError("$.algorithm.fragments: " + std::to_string(partitions) + ", but the model has " +
                     counted(static_cast<std::int64_t>(has_layers ? units.size() : cluster.parameters),
                             has_layers ? "layer" : "parameter") +
                     (cluster.tensors.empty() ? "" : " with parameters") + "; expected at most as many");
  }
  std::vector<Partition> result(static_cast<std::size_t>(partitions));
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::size_t part = order == LayerOrder::strided ? unit % result.size() : unit * result.size() / units.size();
    result[part].push_back(units[unit]);
  }
  return result;
}

std::size_t size_of(const Partition& partition) {
  return std::accumulate(partition.begin(), partition.end(), std::size_t{0},
                         [](std::size_t sum, Slice slice) { return sum + slice.size(); });
}

std::uint64_t wire_bytes(const Cluster& cluster, const Partition& partition) {
  return std::accumulate(partition.begin(), partition.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, Slice slice) { return sum + cluster.wire_bytes(slice); });
}

Partition part_of(const Partition& partition, Slice positions) {
  Partition result;
  std::size_t first = 0;  // position of a slice
  for (const Slice slice : partition) {
    const std::size_t begin = std::max(first, positions.begin), end = std::min(first + slice.size(), positions.end);
    if (begin < end) result.push_back({slice.begin + begin - first, slice.begin + end - first});
    first += slice.size();
  }
  return result;
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

}  // namespace ddl::comm
