#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data::partition_test {

namespace {

using Shards = std::vector<std::vector<std::uint32_t>>;

// `count` samples whose labels go round 0, 1, ..., 9, 0, ...
Dataset labelled(std::size_t count) {
  Dataset data;
  data.classes = 10;
  for (std::size_t i = 0; i < count; ++i) data.labels.push_back(static_cast<std::uint8_t>(i % 10));
  return data;
}

DataSpec dealt(PartitionKind kind, double alpha = 0.5) {
  DataSpec spec;
  spec.partition = kind;
  spec.alpha = alpha;
  return spec;
}

Shards partition(const Dataset& data, const DataSpec& spec, int workers, std::uint64_t seed) {
  return data::partition(data, spec, workers, seed, 1);
}

std::vector<std::uint32_t> everything(const Shards& shards) {
  std::vector<std::uint32_t> all;
  for (const auto& shard : shards) all.insert(all.end(), shard.begin(), shard.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::array<int, 10> label_counts(const Dataset& data, const std::vector<std::uint32_t>& shard) {
  std::array<int, 10> counts{};
  for (const auto index : shard) ++counts[data.labels[index]];
  return counts;
}

constexpr PartitionKind every_kind[] = {PartitionKind::iid, PartitionKind::sequential, PartitionKind::dealt,
                                        PartitionKind::by_label, PartitionKind::dirichlet};

}  // namespace

TEST_CASE(
    "every partition gives each sample to one shard, as many to each, but for dirichlet, which leaves none empty") {
  for (const PartitionKind kind : every_kind) {
    for (const int workers : {1, 2, 3, 7, 64}) {
      for (const std::size_t count : {64u, 65u, 1003u}) {
        for (const double alpha : {1e-6, 0.1, 1.0, 1000.0}) {
          CAPTURE(name_of(kind));
          CAPTURE(workers);
          CAPTURE(count);
          CAPTURE(alpha);
          const Shards shards = partition(labelled(count), dealt(kind, alpha), workers, 3);
          REQUIRE(shards.size() == static_cast<std::size_t>(workers));
          std::vector<std::uint32_t> expected(count);
          std::iota(expected.begin(), expected.end(), 0u);
          CHECK(everything(shards) == expected);
          const std::size_t least = kind == PartitionKind::dirichlet ? 1 : count / shards.size();
          const std::size_t most = kind == PartitionKind::dirichlet ? count : least + 1;
          for (const auto& shard : shards) CHECK((shard.size() >= least && shard.size() <= most));
        }
      }
    }
  }
}

TEST_CASE("full gives every worker every sample, each from a place of its own on") {
  const Shards shards = partition(labelled(10), dealt(PartitionKind::full), 3, 1);
  // The places are 0, 10/3 and 20/3, rounded down.
  CHECK(shards ==
        Shards{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 4, 5, 6, 7, 8, 9, 0, 1, 2}, {6, 7, 8, 9, 0, 1, 2, 3, 4, 5}});
  CHECK(partition(labelled(10), dealt(PartitionKind::full), 1, 1) ==
        partition(labelled(10), dealt(PartitionKind::sequential), 1, 1));
}

TEST_CASE("sequential shards are ranges in file order") {
  const Shards shards = partition(labelled(10), dealt(PartitionKind::sequential), 3, 1);
  // The cuts are at 10/3 and 20/3, rounded down.
  CHECK(shards == Shards{{0, 1, 2}, {3, 4, 5}, {6, 7, 8, 9}});
}

TEST_CASE("dealt gives whole minibatches in turn, in file order, and leaves out less than one") {
  const DataSpec spec = dealt(PartitionKind::dealt);
  // Minibatches of two: 0 1 | 2 3 | 4 5 | 6 7 | 8 9, and sample 10 is none.
  CHECK(data::partition(labelled(11), spec, 2, 1, 2) == Shards{{0, 1, 4, 5, 8, 9}, {2, 3, 6, 7}});
  CHECK(data::partition(labelled(11), spec, 3, 1, 2) == Shards{{0, 1, 6, 7}, {2, 3, 8, 9}, {4, 5}});
  CHECK(data::partition(labelled(11), spec, 1, 1, 2) == Shards{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}});
  // TF.AKO: 480 minibatches of 104 of 50,000 images; worker 1 of three has the last but one, from 478 * 104 on.
  const Shards three = data::partition(labelled(50000), spec, 3, 1, 104);
  for (const auto& shard : three) CHECK(shard.size() == 160 * 104);
  CHECK(three[1].front() == 104);
  CHECK(three[1][104] == 4 * 104);
  CHECK(three[1].back() == 479 * 104 - 1);
  CHECK(three[2].back() == 49919);
  const auto refusal = [&](int workers, int batch_size) -> std::string {
    try {
      data::partition(labelled(11), spec, workers, 1, batch_size);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(5, 2) == "");
  CHECK(refusal(6, 2) ==
        "data.partition: \"dealt\" has 5 minibatches of 2 samples for 6 workers; expected at least one for each");
  CHECK(refusal(2, 6) ==
        "data.partition: \"dealt\" has 1 minibatch of 6 samples for 2 workers; expected at least one for each");
}

TEST_CASE("a stream over dealt minibatches that are not shuffled gives them in file order, pass after pass") {
  const Shards shards = data::partition(labelled(11), dealt(PartitionKind::dealt), 2, 1, 2);
  BatchStream batches(shards[1], 2, false, Stream(1));
  for (int pass = 0; pass < 3; ++pass) {
    CHECK(batches.next() == std::vector<std::uint32_t>{2, 3});
    CHECK(batches.next() == std::vector<std::uint32_t>{6, 7});
  }
}

TEST_CASE("by_label gives one worker in ten one class and one in four at most four") {
  const Dataset data = labelled(1000);
  const Shards ten = partition(data, dealt(PartitionKind::by_label), 10, 1);
  for (std::size_t worker = 0; worker < 10; ++worker) CHECK(label_counts(data, ten[worker])[worker] == 100);
  // 1000 samples over 4 workers: 250 each are two whole classes and half of the one shared with the neighbour.
  const Shards four = partition(data, dealt(PartitionKind::by_label), 4, 1);
  CHECK(label_counts(data, four[0]) == std::array<int, 10>{100, 100, 50, 0, 0, 0, 0, 0, 0, 0});
  CHECK(label_counts(data, four[1]) == std::array<int, 10>{0, 0, 50, 100, 100, 0, 0, 0, 0, 0});
  CHECK(label_counts(data, four[2]) == std::array<int, 10>{0, 0, 0, 0, 0, 100, 100, 50, 0, 0});
  CHECK(label_counts(data, four[3]) == std::array<int, 10>{0, 0, 0, 0, 0, 0, 0, 50, 100, 100});
}

TEST_CASE("iid shards mix the classes and depend on the seed") {
  const Dataset data = labelled(10000);
  const Shards shards = partition(data, dealt(PartitionKind::iid), 4, 1);
  // A class's count in a shard is hypergeometric: mean 250, deviation 13; five deviations either way.
  for (const auto& shard : shards) {
    for (const int count : label_counts(data, shard)) {
      CHECK(count > 185);
      CHECK(count < 315);
    }
    CHECK(!std::is_sorted(shard.begin(), shard.end()));
  }
}

TEST_CASE("dirichlet with large alpha deals every class in nearly equal parts") {
  const Dataset data = labelled(10000);
  // Shares of Dir(1e5, ...) over 4 workers have deviation sqrt(3/16 / 400001) < 0.0007: within 5 of 250 samples.
  for (const auto& shard : partition(data, dealt(PartitionKind::dirichlet, 1e5), 4, 1)) {
    for (const int count : label_counts(data, shard)) {
      CHECK(count >= 245);
      CHECK(count <= 255);
    }
  }
}

TEST_CASE("dirichlet with vanishing alpha gives each class to one worker") {
  const Dataset data = labelled(1000);
  const Shards shards = partition(data, dealt(PartitionKind::dirichlet, 1e-6), 2, 1);
  // Ten classes fall on two workers as coins do: fewer than two on one side happens with 2 % of seeds, not with this.
  for (const auto& shard : shards) {
    int whole = 0;
    for (const int count : label_counts(data, shard)) {
      CHECK((count == 0 || count == 100));
      if (count == 100) ++whole;
    }
    CHECK(whole >= 2);
  }
}

TEST_CASE("partitions that are drawn repeat with the seed and change with it") {
  for (const PartitionKind kind : {PartitionKind::iid, PartitionKind::dirichlet}) {
    const auto drawn = [&](std::uint64_t seed) { return partition(labelled(1000), dealt(kind), 4, seed); };
    CHECK(drawn(1) == drawn(1));
    CHECK(drawn(1) != drawn(2));
  }
}

TEST_CASE("fewer samples than workers are an error that names both numbers") {
  for (const PartitionKind kind : every_kind) {
    std::string said;
    try {
      partition(labelled(3), dealt(kind), 4, 1);
    } catch (const InputError& error) {
      said = error.what();
    }
    CHECK(said == "data.train: 3 training samples for 4 workers; expected at least one for each");
  }
  // All of them have all.
  CHECK(partition(labelled(3), dealt(PartitionKind::full), 4, 1) == Shards{{0, 1, 2}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}});
}

}  // namespace ddl::data::partition_test
