#include "core/comm/partitions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/base/check.hpp"

namespace ddl::comm::partitions_test {

namespace {

// The TF.AKO network, tensor by tensor.
Cluster ako_cnn_cluster() {
  Cluster cluster;
  cluster.workers = 4;
  const std::vector<std::tuple<const char*, std::size_t, std::size_t>> tensors = {
      {"conv1.weight", 2400, 32},  {"conv1.bias", 32, 32}, {"conv2.weight", 18432, 64},   {"conv2.bias", 64, 64},
      {"conv3.weight", 36864, 64}, {"conv3.bias", 64, 64}, {"fc1.weight", 4194304, 1024}, {"fc1.bias", 1024, 1024},
      {"fc2.weight", 10240, 10},   {"fc2.bias", 10, 10}};
  for (const auto& [name, count, rows] : tensors) {
    cluster.tensors.push_back({name, cluster.parameters, count, rows});
    cluster.parameters += count;
  }
  cluster.model_bytes = 4 * cluster.parameters;
  return cluster;
}

std::vector<std::uint64_t> sizes(const Cluster& cluster, Partitioner partitioner, int count) {
  std::vector<std::uint64_t> result;
  for (const auto& partition : make_partitions(partitioner, count, cluster)) {
    result.push_back(wire_bytes(cluster, partition));
  }
  return result;
}

}  // namespace

TEST_CASE("every partitioner covers every coordinate exactly once") {
  const Cluster cluster = ako_cnn_cluster();
  for (const auto partitioner : {Partitioner::even, Partitioner::layer, Partitioner::fine}) {
    for (const int count : {1, 2, 3, 4, 5}) {
      std::vector<Slice> all;
      for (const auto& partition : make_partitions(partitioner, count, cluster)) {
        all.insert(all.end(), partition.begin(), partition.end());
      }
      std::ranges::sort(all, {}, &Slice::begin);
      std::size_t position = 0;
      for (const Slice slice : all) {
        REQUIRE(slice.begin == position);
        position = slice.end;
      }
      CHECK(position == cluster.parameters);
    }
  }
}

TEST_CASE("the shares of a model add up to its wire size exactly, however odd") {
  Cluster cluster = ako_cnn_cluster();
  cluster.model_bytes = 17053737;
  for (const int count : {1, 3, 7, 1000}) {
    std::uint64_t sum = 0;
    for (const auto size : sizes(cluster, Partitioner::even, count)) sum += size;
    CHECK(sum == cluster.model_bytes);
  }
}

TEST_CASE("layer partitions of the TF.AKO network have its published sizes") {
  const Cluster cluster = ako_cnn_cluster();
  CHECK(cluster.parameters == 4263434);
  CHECK(sizes(cluster, Partitioner::layer, 4) == std::vector<std::uint64_t>{50728, 73984, 147712, 16781312});
  CHECK(sizes(cluster, Partitioner::layer, 2) == std::vector<std::uint64_t>{272424, 16781312});
}

TEST_CASE("fine partitions of the TF.AKO network have its published sizes, in its order") {
  const Cluster cluster = ako_cnn_cluster();
  CHECK(sizes(cluster, Partitioner::fine, 4) == std::vector<std::uint64_t>{4208128, 4268288, 4342016, 4235304});
  CHECK(sizes(cluster, Partitioner::fine, 2) == std::vector<std::uint64_t>{8476416, 8577320});
}

TEST_CASE("groups by name are TF.AKO's partition details, of layers or single tensors") {
  const Cluster cluster = ako_cnn_cluster();
  std::vector<std::uint64_t> bytes;
  for (const auto& partition : make_partitions({{"conv1", "fc2"}, {"conv2"}, {"conv3"}, {"fc1"}}, cluster)) {
    bytes.push_back(wire_bytes(cluster, partition));
  }
  CHECK(bytes == std::vector<std::uint64_t>{50728, 73984, 147712, 16781312});
  const auto split = make_partitions({{"fc1.weight"}, {"fc2", "conv3", "fc1.bias", "conv2", "conv1"}}, cluster);
  CHECK(split[0] == Partition{{57856, 4252160}});
  CHECK(split[1].front().begin == 0);  // in the model's order
  CHECK(split[1].back().end == cluster.parameters);
}

TEST_CASE("groups that leave a tensor out, name one twice or none at all are refused") {
  Cluster cluster = ako_cnn_cluster();
  const auto refuses = [&](const std::vector<std::vector<std::string>>& groups, const char* text) {
    CHECK_THROWS_WITH_AS(make_partitions(groups, cluster), doctest::Contains(text), InputError);
  };
  refuses({{"conv1", "conv2", "conv3"}, {"fc1"}}, "tensor \"fc2.weight\" is in no group");
  refuses({{"conv1", "conv2", "conv3", "fc2"}, {"fc1", "conv1.bias"}}, "\"conv1.bias\" is named twice");
  refuses({{"conv1", "conv2", "conv3", "fc2", "fc1"}, {}}, "a group is empty");
  refuses({{"conv9"}}, "no layer or tensor \"conv9\"; expected names such as \"conv1\"");
  cluster.tensors.clear();
  refuses({{"conv1"}}, "a timing-only model has no tensors to name");
}

TEST_CASE("more partitions than can be made are refused") {
  Cluster cluster = ako_cnn_cluster();
  CHECK_THROWS_AS(make_partitions(Partitioner::layer, 6, cluster), InputError);  // it has five layers
  cluster.tensors.clear();
  CHECK_THROWS_AS(make_partitions(Partitioner::layer, 1, cluster), InputError);
  cluster.parameters = 3;
  CHECK_THROWS_AS(make_partitions(Partitioner::even, 4, cluster), InputError);
}

TEST_CASE("gather and scatter are inverse, and fill_zero clears just the partition") {
  std::vector<float> vector = {0, 1, 2, 3, 4, 5, 6};
  const Partition partition = {{1, 3}, {5, 6}};
  const Payload values = gather(vector, partition);
  CHECK(*values == std::vector<float>{1, 2, 5});
  std::vector<float> back(7);
  scatter(partition, values, [&](Slice slice, std::span<const float> part) {
    std::ranges::copy(part, back.begin() + static_cast<std::ptrdiff_t>(slice.begin));
  });
  CHECK(back == std::vector<float>{0, 1, 2, 0, 0, 5, 0});
  fill_zero(std::span<float>(vector), partition);
  CHECK(vector == std::vector<float>{0, 0, 0, 3, 4, 0, 6});
}

}  // namespace ddl::comm::partitions_test
