// An Ako worker's messages, derived from the schedule alone and compared to the bit with integer-valued gradients.
#include "core/systems/ako/ako.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/comm/partitions.hpp"
#include "core/node/vectors.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::ako_test {

namespace {

constexpr std::size_t parameters = 13;

Cluster cluster_of(int workers) {
  Cluster cluster;
  cluster.workers = workers;
  cluster.parameters = parameters;
  cluster.model_bytes = 1000;
  cluster.compute_s.assign(static_cast<std::size_t>(workers), 0.1);
  cluster.exchange_s.assign(static_cast<std::size_t>(workers), 1);
  cluster.layers = {{{0, 3}}, {{3, 4}}, {{4, 9}}, {{9, 13}}};
  return cluster;
}

// One worker's messages and updates in `steps` steps, without hearing from the others. Gradient t is 2^t in every
// coordinate: a sum shows which steps are in it, and whether any is in it twice.
struct OneWorker {
  OneWorker(const AkoParams& params, const Cluster& of, int id, int steps, double bytes_per_s = 1e9)
      : cluster({.cluster = of,
                 .steps = steps,
                 .gradient =
                     [](const Node& worker, std::span<const float>) {
                       return std::vector<float>(parameters, static_cast<float>(1 << worker.step()));
                     },
                 .bytes_per_s = bytes_per_s}),
        node(cluster.node(id)) {
    cluster.run(programs_of(params), id);
  }
  LocalCluster cluster;
  const LocalNode& node;
};

AkoParams with(int partitions, AkoSchedule schedule, AkoOverlap overlap = AkoOverlap::none) {
  AkoParams params;
  params.partitions.form = partitions;
  params.schedule = schedule;
  params.overlap = overlap;
  return params;
}

using Parts = std::vector<std::pair<int, float>>;  // and the first value of each

}  // namespace

TEST_CASE("every coordinate of every gradient reaches every peer exactly once, at most P-1 rounds late") {
  const int steps = 20;
  for (const int workers : {2, 3, 4, 6}) {
    for (const int P : {1, 2, 3, 4, 7, 13}) {
      for (const AkoParams& params : {with(P, AkoSchedule::rotate), with(P, AkoSchedule::broadcast),
                                      with(P, AkoSchedule::rotate, AkoOverlap::backward),
                                      with(P, AkoSchedule::broadcast, AkoOverlap::backward)}) {
        const AkoSchedule schedule = params.schedule;
        const Cluster cluster = cluster_of(workers);
        const int id = workers / 2;
        const OneWorker one(params, cluster, id, steps);

        std::map<int, std::vector<float>> delivered;  // per peer, summed
        const auto partitions = comm::make_partitions(comm::Partitioner::even, P, cluster);
        for (const Message& message : one.node.sent) {
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

TEST_CASE("in one round rotate sends different parts to different peers, broadcast the same to all") {
  for (const auto schedule : {AkoSchedule::rotate, AkoSchedule::broadcast}) {
    const OneWorker one(with(3, schedule), cluster_of(4), 0, 1);
    REQUIRE(one.node.sent.size() == 3);
    std::map<int, int> times;
    for (const Message& message : one.node.sent) ++times[message.as<PartOfSum>().part];
    CHECK(times.size() == (schedule == AkoSchedule::rotate ? 3 : 1));
  }
}

TEST_CASE("a worker applies its own gradient whole, in its step, at the weight of the gradient scale") {
  for (const auto scale : {GradientScale::mean, GradientScale::sum}) {
    Cluster cluster = cluster_of(4);
    cluster.scale = scale;
    const OneWorker one(with(2, AkoSchedule::rotate), cluster, 1, 3);
    const float weight = scale == GradientScale::mean ? 0.25f : 1.0f;
    for (std::size_t t = 0; t < 3; ++t) {
      CHECK(one.node.applied[t] == std::vector<float>(parameters, weight * static_cast<float>(1 << t)));
    }
  }
}

TEST_CASE("alone, a worker sends nothing") {
  const OneWorker one(with(4, AkoSchedule::rotate), cluster_of(1), 0, 3);
  CHECK(one.node.sent.empty());
  CHECK(one.node.applied.size() == 3);
}

TEST_CASE("a message tells the step of the oldest gradient in its sum") {
  for (const auto overlap : {AkoOverlap::none, AkoOverlap::backward}) {
    const OneWorker one(with(3, AkoSchedule::broadcast, overlap), cluster_of(2), 0, 7);
    REQUIRE(one.node.sent.size() == 7);
    for (const Message& message : one.node.sent) {
      // Part t mod 3 went last three steps before, if it has gone at all.
      CHECK(message.as<PartOfSum>().since == std::max<std::int64_t>(0, message.step - 2));
    }
  }
}

TEST_CASE("gradients that a full queue cannot take accumulate, and arrive once") {
  // The first message is on the wire for longer than the four steps take. The other part waits behind it, fills the
  // queue, and takes all gradients with it. With room for two the first part may go once more.
  AkoParams params = with(2, AkoSchedule::broadcast);
  params.overflow = Overflow::merge;
  const auto arrived = [&](int queue_depth) {
    params.queue_depth = queue_depth;
    OneWorker one(params, cluster_of(2), 0, 4, 100);
    Parts parts;
    while (const auto message = one.cluster.node(1).poll(0)) {
      if (message->is<PartOfSum>()) parts.emplace_back(message->as<PartOfSum>().part, message->values->front());
    }
    return parts;
  };
  for (const auto overlap : {AkoOverlap::none, AkoOverlap::backward}) {
    params.overlap = overlap;
    CHECK(arrived(1) == Parts{{0, 1}, {1, 1 + 2 + 4 + 8}});
    CHECK(arrived(2) == Parts{{0, 1}, {1, 1 + 2 + 4 + 8}, {0, 2 + 4 + 8}});
  }
}

TEST_CASE("a part leaves when the gradients of its layers are known, and the step goes on") {
  // A step has 11 tasks of a second: four layers forward, then two for each layer down to the first, which has one. The
  // second of two even parts has the last two layers, whose gradients are known after 8 s. With bound 0 a step begins
  // when the part of the step before has arrived.
  constexpr double half_bytes = 26;
  for (const double bytes_per_s : {2.6, 13.0, 26.0, 1e9}) {
    Cluster cluster = cluster_of(2);
    cluster.parameters = 16;
    cluster.model_bytes = 2 * static_cast<std::uint64_t>(half_bytes);
    cluster.layers = {{{0, 4}}, {{4, 8}}, {{8, 12}}, {{12, 16}}};
    cluster.timing_only = true;
    cluster.compute_s = {11, 11};
    const auto seconds = [&](AkoOverlap overlap) {
      AkoParams params = with(2, AkoSchedule::broadcast, overlap);
      params.staleness_bound = 0;
      LocalCluster local({.cluster = cluster, .steps = 4, .bytes_per_s = bytes_per_s});
      local.run(programs_of(params));
      return local.now();
    };
    const double message_s = half_bytes / bytes_per_s;
    CHECK(seconds(AkoOverlap::none) == doctest::Approx(4 * (11 + message_s)));
    CHECK(seconds(AkoOverlap::backward) == doctest::Approx(2 * (11 + message_s) + 2 * std::max(11.0, 8 + message_s)));
  }
}

TEST_CASE("a part that leaves in the middle of a backward pass has whole gradients only") {
  // A step has 11 tasks of a second, and a message takes 20 s. Part 0 leaves at 11 s with the gradient of step 0. Part
  // 1 is due from 19 s, when its layers of step 1 are known, and leaves at 31 s, one second after those of step 2 are
  // known, without them. Part 0 is due from 33 s, and leaves at 51 s with everything since.
  Cluster cluster = cluster_of(2);
  cluster.parameters = 16;
  cluster.model_bytes = 32;
  cluster.layers = {{{0, 4}}, {{4, 8}}, {{8, 12}}, {{12, 16}}};
  cluster.compute_s = {11, 11};
  LocalCluster local(
      {.cluster = cluster,
       .steps = 4,
       .gradient = [](const Node& node,
                      std::span<const float>) { return std::vector<float>(16, static_cast<float>(1 << node.step())); },
       .bytes_per_s = 0.8});
  local.run(programs_of(with(2, AkoSchedule::broadcast, AkoOverlap::backward)), 0);
  Parts parts;
  for (const Message& message : local.node(0).sent) {
    if (message.is<PartOfSum>()) parts.emplace_back(message.as<PartOfSum>().part, message.values->front());
  }
  CHECK(parts == Parts{{0, 1}, {1, 1 + 2}, {0, 2 + 4 + 8}});
}

TEST_CASE("two workers with the same gradients apply all of each other's, each once") {
  // One step takes 0.1 s and messages no time, so that a step's part arrives before the next step applies it.
  LocalCluster cluster({.cluster = cluster_of(2), .steps = 6, .gradient = [](const Node& node, std::span<const float>) {
                          return std::vector<float>(parameters, static_cast<float>(1 << node.step()));
                        }});
  cluster.run(programs_of(with(1, AkoSchedule::broadcast)));
  for (const int worker : {0, 1}) {
    std::vector<float> sum(parameters);
    for (const auto& applied : cluster.node(worker).applied) add_scaled(sum, applied, 1);
    // All six of its own at 1/2, and at least those of the peer before the last step.
    CHECK(sum[0] >= (63 + 31) / 2.0f);
    CHECK(sum[0] <= 63);
    CHECK(sum == std::vector<float>(parameters, sum[0]));
  }
}

}  // namespace ddl::systems::ako_test
