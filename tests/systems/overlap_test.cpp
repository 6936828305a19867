// All-reduces beside the passes through the layers: the same models as without overlap, in the time given by a
// recurrence.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/comm/buckets.hpp"
#include "core/systems/allreduce.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::overlap_test {
namespace {

constexpr std::size_t layer_count = 4, layer_values = 2, parameters = layer_count * layer_values;
constexpr double step_s = 11;  // 3 layer_count - 1 equal tasks
constexpr std::uint64_t layer_bytes = 4 * layer_values;
constexpr int workers = 2;

std::vector<LayerInfo> equal_layers() {
  std::vector<LayerInfo> layers;
  for (std::size_t i = 0; i < layer_count; ++i) layers.push_back({{i * layer_values, (i + 1) * layer_values}});
  return layers;
}

Cluster cluster_of(std::vector<LayerInfo> layers) {
  return {.workers = workers,
          .parameters = parameters,
          .model_bytes = 4 * parameters,
          .layers = std::move(layers),
          .compute_s = std::vector<double>(workers, step_s)};
}

std::vector<comm::Bucket> quickest(const Cluster& cluster, const std::vector<std::size_t>& layers, bool beside_pass) {
  return comm::quickest_buckets(comm::Collective::ring, cluster, layers, beside_pass);
}

RingAllreduceParams ring(Overlap overlap, int layers_in_bucket = 1) {
  return with<RingAllreduceParams>([&](auto& params) {
    params.overlapped.overlap = overlap;
    params.overlapped.bucket_bytes = Bytes{static_cast<double>(layers_in_bucket * layer_bytes)};
  });
}

struct Outcome {
  std::vector<std::vector<float>> models;
  double seconds = 0;
};

// `slow_s`: additional time of each worker's step.
Outcome run(const System& system, std::int64_t steps, double bytes_per_s, bool by_slices = true, double slow_s = 0) {
  Cluster cluster = cluster_of(equal_layers());
  cluster.steps_by_slices = by_slices;
  cluster.compute_s[1] += slow_s;
  // Halves and integers: sums in any order are exact.
  LocalCluster local({.cluster = cluster,
                      .steps = steps,
                      .gradient =
                          [](const Node& node, std::span<const float> x) {
                            std::vector<float> gradient(x.begin(), x.end());
                            for (std::size_t i = 0; i < x.size(); ++i) {
                              gradient[i] =
                                  0.5f * gradient[i] + static_cast<float>(node.id() * 2) + static_cast<float>(i);
                            }
                            return gradient;
                          },
                      .bytes_per_s = bytes_per_s});
  local.run(programs_of(system));
  Outcome outcome;
  for (int worker = 0; worker < workers; ++worker) {
    const auto model = local.node(worker).weights().read();
    outcome.models.emplace_back(model.begin(), model.end());
    CHECK(local.node(worker).step() == steps);
  }
  outcome.seconds = local.now();
  return outcome;
}

// Sums are made one after the other; a ring of two takes a bucket's bytes over the bandwidth for each.
double recurrence(Overlap overlap, std::int64_t steps, double bytes_per_s, std::size_t layers_in_bucket) {
  const double task_s = step_s / (3 * layer_count - 1);
  double now = 0, network = 0;
  std::vector<double> there(layer_count);  // when a layer's sum is
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t layer = 0; layer < layer_count; ++layer) now = std::max(now, there[layer]) + task_s;
    std::size_t waiting = 0;
    for (std::size_t layer = layer_count; layer-- > 0;) {
      now += (layer > 0 ? 2 : 1) * task_s;
      if (++waiting < layers_in_bucket && layer > 0) continue;
      network = std::max(network, now) + static_cast<double>(waiting * layer_bytes) / bytes_per_s;
      for (; waiting > 0; --waiting) there[layer + waiting - 1] = network;
    }
    if (overlap == Overlap::backward) now = std::max(now, network);
  }
  return std::max(now, network);
}

}  // namespace

TEST_CASE("whatever overlaps, in buckets of any size, the models are those of a step in a block") {
  const Outcome block = run(with<RingAllreduceParams>([](auto&) {}), 5, 1);
  CHECK(block.models[0] == block.models[1]);
  for (const Overlap overlap : {Overlap::backward, Overlap::layers}) {
    for (const int layers_in_bucket : {1, 2, 3, 4}) {
      for (const bool by_slices : {true, false}) {
        for (const double slow_s : {0.0, 5.0}) {
          for (const double bytes_per_s : {0.5, 8.0, 1e9}) {
            CHECK(run(ring(overlap, layers_in_bucket), 5, bytes_per_s, by_slices, slow_s).models == block.models);
          }
        }
      }
    }
  }
}

TEST_CASE("a step takes what the passes and the sums of buckets take, one after the other where they must") {
  for (const Overlap overlap : {Overlap::backward, Overlap::layers}) {
    for (const std::size_t layers_in_bucket : {1u, 2u, 3u, 4u}) {
      for (const double bytes_per_s : {1.0, 2.5, 4.0, 8.0, 16.0, 1000.0}) {
        CHECK(run(ring(overlap, static_cast<int>(layers_in_bucket)), 4, bytes_per_s).seconds ==
              doctest::Approx(recurrence(overlap, 4, bytes_per_s, layers_in_bucket)));
      }
    }
  }
}

TEST_CASE("an optimizer that needs whole gradients makes the next forward pass wait for all of them") {
  for (const double bytes_per_s : {1.0, 4.0, 16.0}) {
    CHECK(run(ring(Overlap::layers), 4, bytes_per_s, false).seconds ==
          doctest::Approx(recurrence(Overlap::backward, 4, bytes_per_s, 1)));
  }
}

// Layers of 1 s of bytes each, known after 6, 8, 10 and 11 s. The divisions by hand, where L are a sum's latencies:
//   L = 0  each alone is over at 7, 9, 11, 12 s; any bucket of two at 13 s or as late
//   L = 1  a bucket needs 2 s of bytes: 2 + 2 are over at max(8 + 3, 11) + 3 = 14 s, all as one at 16 s;
//          after the pass these are 11 + 3 + 3 = 17 s and 16 s
//   L = 3  no division but one bucket of all has 6 s of bytes a bucket
TEST_CASE("layers travel together where latencies count, so that the last sum is over soonest") {
  Cluster cluster = cluster_of(equal_layers());
  const auto lengths = [&](double latency_s, bool beside_pass) {
    cluster.sum_phases = {{.messages = 1, .latency_s = latency_s, .bytes_s = layer_count, .bytes = 4 * parameters}};
    std::vector<std::size_t> result;
    for (const comm::Bucket& bucket : quickest(cluster, comm::all_layers(cluster), beside_pass)) {
      result.push_back(bucket.layers.size());
      CHECK(bucket.part.size() == 1);
    }
    return result;
  };
  CHECK(lengths(0, true) == std::vector<std::size_t>{1, 1, 1, 1});
  CHECK(lengths(0, false) == std::vector<std::size_t>{1, 1, 1, 1});
  CHECK(lengths(1, true) == std::vector<std::size_t>{2, 2});
  CHECK(lengths(1, false) == std::vector<std::size_t>{4});
  CHECK(lengths(3, true) == std::vector<std::size_t>{4});
}

// Two messages of c = k/2 s each for k layers, and slices of 1/4 s. With L = 0.6 s of latency k layers take
//   whole   2 (L + c) = 1.2 + k, of which 1.2 s are no bytes: two layers have less than twice as much, four travel
//   sliced  max(c, L + 1/4) + L + c = 2.6 s for two: of these 0.6 s are no bytes, so that they travel
TEST_CASE("what passes in slices waits for fewer latencies, and so travels in more buckets") {
  Cluster cluster = cluster_of(equal_layers());
  cluster.sum_phases = {{.messages = 2, .latency_s = 0.6, .bytes_s = layer_count, .bytes = 2 * parameters}};
  struct Row {
    comm::Collective collective;
    double slice_bytes;
    bool hosts_change;
    double two_s;
    std::size_t buckets;
  };
  for (const Row& row : {Row{comm::Collective::ring, 2, false, 2.6, 2},
                         {comm::Collective::hierarchical, 2, false, 2.6, 2},
                         {comm::Collective::ring, 0, false, 3.2, 1},
                         {comm::Collective::ring, 2, true, 3.2, 1},
                         {comm::Collective::star, 2, false, 3.2, 1}}) {
    cluster.hosts_change = row.hosts_change;
    const comm::HowToSum how(row.collective, {.slice_bytes = Bytes{row.slice_bytes}, .parts = {}});
    CHECK(comm::seconds_of_sum(how, cluster, 0.5) == doctest::Approx(row.two_s));
    CHECK(comm::quickest_buckets(how, cluster, comm::all_layers(cluster), true).size() == row.buckets);
  }
}

TEST_CASE("a bucket of layers that are no neighbours keeps their slices apart, and all layers are in one bucket each") {
  Cluster cluster = cluster_of(equal_layers());
  cluster.sum_phases = {{.messages = 1, .latency_s = 1, .bytes_s = layer_count, .bytes = 4 * parameters}};
  const std::vector<comm::Bucket> buckets = quickest(cluster, {3, 1}, true);
  REQUIRE(buckets.size() == 1);
  CHECK(buckets[0].layers == std::vector<std::size_t>{3, 1});
  CHECK(buckets[0].first_layer() == 1);
  CHECK(buckets[0].part == comm::Partition{{2, 4}, {6, 8}});
  CHECK(comm::text_of({buckets}) == "2 layers travel in 1 bucket, the last first: 2");
}

TEST_CASE("buckets hold whole layers, the last first, one at least") {
  const Cluster cluster = cluster_of({{{0, 1}}, {{1, 4}}, {{4, 6}}, {{6, 8}}});
  const auto slices = [&](std::uint64_t most_bytes) {
    std::vector<Slice> result;
    for (const comm::Bucket& bucket : comm::make_buckets(cluster, most_bytes)) {
      CHECK(cluster.layers[bucket.first_layer()].slice.begin == bucket.part.front().begin);
      CHECK(bucket.part.size() == 1);
      result.push_back(bucket.part.front());
    }
    return result;
  };
  CHECK(slices(0) == std::vector<Slice>{{6, 8}, {4, 6}, {1, 4}, {0, 1}});
  CHECK(slices(16) == std::vector<Slice>{{4, 8}, {0, 4}});
  CHECK(slices(15) == std::vector<Slice>{{6, 8}, {4, 6}, {1, 4}, {0, 1}});
  CHECK(slices(32) == std::vector<Slice>{{0, 8}});
  CHECK_THROWS_AS(comm::make_buckets({}, 8), InputError);
}

}  // namespace ddl::systems::overlap_test
