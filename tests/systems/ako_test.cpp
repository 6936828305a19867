// What an Ako worker sends, derived from the schedule alone and compared to the bit with integer-valued gradients.
#include "core/systems/ako/ako.hpp"

#include <doctest/doctest.h>

#include <map>

#include "core/comm/partitions.hpp"
#include "tests/support/scripted_node.hpp"

namespace ddl::systems::ako_test {

namespace {

constexpr std::size_t parameters = 13;

Cluster cluster_of(int workers) {
  Cluster cluster;
  cluster.workers = workers;
  cluster.parameters = parameters;
  cluster.model_bytes = 1000;
  cluster.compute_s.assign(static_cast<std::size_t>(workers), 0.1);
  cluster.exchange_s = [seconds = std::vector(static_cast<std::size_t>(workers), 1.0)]() -> const std::vector<double>& {
    return seconds;
  };
  return cluster;
}

// Gradient t is 2^t in every coordinate: a sum tells which steps are in it, and whether any is in it twice.
std::vector<std::vector<float>> powers_of_two(int steps) {
  std::vector<std::vector<float>> gradients;
  for (int t = 0; t < steps; ++t) gradients.emplace_back(parameters, static_cast<float>(1 << t));
  return gradients;
}

AkoParams with(int partitions, AkoSchedule schedule) {
  AkoParams params;
  params.partitions.counts = {partitions};
  params.schedule = schedule;
  return params;
}

}  // namespace

TEST_CASE("every coordinate of every gradient reaches every peer exactly once, at most P-1 rounds late") {
  const int steps = 20;
  for (const int workers : {2, 3, 4, 6}) {
    for (const int P : {1, 2, 3, 4, 7, 13}) {
      for (const auto schedule : {AkoSchedule::rotate, AkoSchedule::broadcast}) {
        const Cluster cluster = cluster_of(workers);
        const int id = workers / 2;
        ScriptedNode node(cluster, id, powers_of_two(steps));
        with(P, schedule).program(node)->run();

        std::map<int, std::vector<float>> delivered;  // per peer, summed
        const auto partitions = comm::make_partitions(comm::Partitioner::even, P, cluster);
        for (const Message& message : node.sent) {
          auto& sum = delivered[message.target];
          sum.resize(parameters);
          comm::scatter(partitions[static_cast<std::size_t>(message.as<PartOfSum>().part)], message.values,
                        [&](Slice slice, std::span<const float> values) {
                          for (std::size_t i = 0; i < values.size(); ++i) sum[slice.begin + i] += values[i];
                        });
        }
        REQUIRE(delivered.size() == static_cast<std::size_t>(workers - 1));
        CHECK_FALSE(delivered.contains(id));
        for (const auto& [peer, sum] : delivered) {
          const int rank = peer < id ? peer : peer - 1;
          for (int k = 0; k < P; ++k) {
            // Part k last went to this peer at the latest t with (t + rank) mod P == k (rotate) or t mod P == k.
            int last = steps - 1;
            while (((schedule == AkoSchedule::rotate ? last + rank : last) % P) != k) --last;
            CHECK(last >= steps - P);
            const float all_until_then = static_cast<float>((1 << (last + 1)) - 1);
            const Slice slice = even_part(parameters, P, k);
            for (std::size_t i = slice.begin; i < slice.end; ++i) REQUIRE(sum[i] == all_until_then);
          }
        }
      }
    }
  }
}

TEST_CASE("after mP steps each link has carried exactly m models, for both schedules") {
  for (const auto schedule : {AkoSchedule::rotate, AkoSchedule::broadcast}) {
    for (const int P : {1, 3, 4}) {
      const int m = 4;
      ScriptedNode node(cluster_of(3), 0, powers_of_two(m * P));
      with(P, schedule).program(node)->run();
      std::map<int, std::uint64_t> bytes;
      for (const Message& message : node.sent) bytes[message.target] += message.wire_bytes;
      for (const int peer : {1, 2}) CHECK(bytes[peer] == static_cast<std::uint64_t>(m) * 1000);
    }
  }
}

TEST_CASE("in one round rotate sends different parts to different peers, broadcast the same to all") {
  for (const auto schedule : {AkoSchedule::rotate, AkoSchedule::broadcast}) {
    ScriptedNode node(cluster_of(4), 0, powers_of_two(1));
    with(3, schedule).program(node)->run();
    REQUIRE(node.sent.size() == 3);
    std::map<int, int> times;
    for (const Message& message : node.sent) ++times[message.as<PartOfSum>().part];
    CHECK(times.size() == (schedule == AkoSchedule::rotate ? 3 : 1));
  }
}

TEST_CASE("a worker applies its own gradient whole, in its step, at the weight of the gradient scale") {
  for (const auto scale : {GradientScale::mean, GradientScale::sum}) {
    Cluster cluster = cluster_of(4);
    cluster.scale = scale;
    ScriptedNode node(cluster, 1, powers_of_two(3));
    with(2, AkoSchedule::rotate).program(node)->run();
    const float weight = scale == GradientScale::mean ? 0.25f : 1.0f;
    for (std::size_t t = 0; t < 3; ++t) {
      CHECK(node.applied[t] == std::vector<float>(parameters, weight * static_cast<float>(1 << t)));
    }
  }
}

TEST_CASE("alone, a worker sends nothing") {
  ScriptedNode node(cluster_of(1), 0, powers_of_two(3));
  with(4, AkoSchedule::rotate).program(node)->run();
  CHECK(node.sent.empty());
  CHECK(node.applied.size() == 3);
}

TEST_CASE("a message tells the step of the oldest gradient in its sum") {
  ScriptedNode node(cluster_of(2), 0, powers_of_two(7));
  with(3, AkoSchedule::broadcast).program(node)->run();
  for (const Message& message : node.sent) {
    // Part t mod 3 went last three steps before, if it has gone at all.
    CHECK(message.as<PartOfSum>().since == std::max<std::int64_t>(0, message.step - 2));
  }
}

TEST_CASE("auto chooses the least P whose exchange fits in the aimed share of the compute time") {
  // 1 s of exchange, 0.1 s of compute, 0.9 of it: 1 / 0.09 = 11.1, so 12.
  AkoParams params;
  params.partitions = {.automatic = true, .counts = {}};
  ScriptedNode node(cluster_of(2), 0, powers_of_two(12));
  params.program(node)->run();
  int most = 0;
  for (const Message& message : node.sent) most = std::max(most, message.as<PartOfSum>().part);
  CHECK(most + 1 == 12);
}

TEST_CASE("what a full queue has merged is not sent once more") {
  AkoParams params = with(2, AkoSchedule::broadcast);
  params.overflow = Overflow::merge;
  ScriptedNode node(cluster_of(2), 0, powers_of_two(4));
  node.always_waiting = 1;
  node.merges = true;
  params.program(node)->run();
  CHECK(node.sent.empty());  // the queue took all four
}

}  // namespace ddl::systems::ako_test
