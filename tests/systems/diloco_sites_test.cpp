// DiLoCo whose replicas are sites: in memory, by hand and against all-reduce.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/systems/allreduce.hpp"
#include "core/systems/diloco/diloco.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::diloco_sites_test {
namespace {

using Vector = std::vector<float>;
using Sites = std::vector<int>;  // each worker's

constexpr int parameters = 12;
constexpr std::uint64_t model_bytes = 1200;

// Worker w is drawn to w + 1 in the first coordinate, more slowly in the next ones.
Vector drawn(const Node& node, std::span<const float> x) {
  Vector gradient;
  for (std::size_t i = 0; i < x.size(); ++i) {
    gradient.push_back((x[i] - static_cast<float>(node.id() + 1)) / static_cast<float>(i + 2));
  }
  return gradient;
}

LocalCluster::Settings settings(const Sites& sites, std::int64_t steps, LocalCluster::Gradients gradient = drawn) {
  return {.cluster = {.workers = static_cast<int>(sites.size()),
                      .parameters = parameters,
                      .model_bytes = model_bytes,
                      .sites = sites},
          .steps = steps,
          .gradient = std::move(gradient),
          .learning_rate = 0.5};
}

DilocoParams by_sites(int H, double outer_rate = 1) {
  return with<DilocoParams>([&](DilocoParams& diloco) {
    diloco.sync_every = H;
    diloco.replica = Replica::site;
    diloco.outer = OuterSgd{outer_rate};
  });
}

Vector model(LocalCluster& cluster, int worker) {
  const auto values = cluster.node(worker).weights().read();
  return {values.begin(), values.end()};
}

double largest_difference(const Vector& a, const Vector& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max<double>(largest, std::fabs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("with H = 1, an outer rate of 1 and weights by workers sites are one all-reduce, whatever their sizes") {
  for (const Sites& sites : {Sites{0, 0, 1, 1}, {0, 0, 1, 1, 1}, {0, 0, 0, 1}, {0, 1, 2}, {0, 0, 0}}) {
    LocalCluster diloco(settings(sites, 6)), ring(settings(sites, 6));
    DilocoParams params = by_sites(1);
    params.weight = SiteWeight::workers;
    diloco.run(programs_of(params));
    ring.run(programs_of(RingAllreduceParams()));
    for (int worker = 0; worker < ring.settings().cluster.workers; ++worker) {
      CHECK(largest_difference(model(diloco, worker), model(ring, worker)) < 1e-5);
    }
  }
}

TEST_CASE("at one site an outer step of rate 1 every H steps changes nothing of an all-reduce in every step") {
  LocalCluster diloco(settings({0, 0, 0}, 8)), ring(settings({0, 0, 0}, 8));
  diloco.run(programs_of(by_sites(4)));
  ring.run(programs_of(RingAllreduceParams()));
  for (const int worker : {0, 1, 2}) CHECK(largest_difference(model(diloco, worker), model(ring, worker)) < 1e-5);
}

// Gradients of 2 and 4 at one site, of 1, 1 and 10 at the other.
TEST_CASE("moves are of sites, and weigh alike, or by the workers there") {
  const Vector gradients{2, 4, 1, 1, 10};
  // Two steps of 0.5: moves of 3 at the first site and 4 at the second. Their mean is 7 / 2, and by workers 18 / 5.
  for (const SiteWeight weight : {SiteWeight::replicas, SiteWeight::workers}) {
    LocalCluster cluster(settings({0, 0, 1, 1, 1}, 2, [&](const Node& node, std::span<const float> x) {
      return Vector(x.size(), gradients[static_cast<std::size_t>(node.id())]);
    }));
    DilocoParams params = by_sites(2, 0.5);
    params.weight = weight;
    cluster.run(programs_of(params));
    for (const int worker : {0, 1, 2, 3, 4}) {
      const Vector move(parameters, worker < 2 ? 3.0f : 4.0f);
      CHECK(cluster.node(worker).applied == std::vector<Vector>{move, move});
      CHECK(model(cluster, worker)[0] == doctest::Approx(-0.5 * (weight == SiteWeight::replicas ? 3.5 : 3.6)));
    }
  }
}

TEST_CASE("the weight is to the bit the same for sites of one size") {
  DilocoParams params = by_sites(3, 0.7);
  for (const Sites& sites : {Sites{0, 0, 0, 1, 1, 1}, {0, 1, 2}, {0, 0, 0}}) {
    LocalCluster replicas(settings(sites, 6)), workers(settings(sites, 6));
    params.weight = SiteWeight::replicas;
    replicas.run(programs_of(params));
    params.weight = SiteWeight::workers;
    workers.run(programs_of(params));
    CHECK(model(replicas, 1) == model(workers, 1));
  }
}

TEST_CASE("workers at a site begin each step with the same weights, and sites differ between outer steps") {
  for (const bool eager : {false, true}) {
    std::map<std::pair<int, std::int64_t>, Vector> begun;  // by site and step
    const Sites sites{0, 0, 1, 1, 1};
    int compared = 0, unlike = 0;
    LocalCluster cluster(settings(sites, 12, [&](const Node& node, std::span<const float> x) {
      const int site = sites[static_cast<std::size_t>(node.id())];
      const Vector now(x.begin(), x.end());
      const auto [known, is_first] = begun.try_emplace({site, node.step()}, now);
      if (!is_first) CHECK(known->second == now);
      compared += is_first ? 0 : 1;
      const auto other = begun.find({1 - site, node.step()});
      if (other != begun.end() && other->second != now) ++unlike;
      return drawn(node, x);
    }));
    DilocoParams params = by_sites(4, 0.7);
    params.eager = eager;
    params.fragments = 2;
    params.fragment_update_alpha = 0.25;
    cluster.run(programs_of(params));
    CHECK(compared == 12 * 3);
    CHECK(unlike > 12);
  }
}

TEST_CASE("sites of one worker each are replicas as workers are, to the bit") {
  DilocoParams params = by_sites(3, 0.7);
  LocalCluster sites(settings({0, 1, 2, 3}, 7)), workers(settings({0, 1, 2, 3}, 7));
  sites.run(programs_of(params));
  params.replica = Replica::worker;
  workers.run(programs_of(params));
  for (const int worker : {0, 1, 2, 3}) CHECK(model(sites, worker) == model(workers, worker));
}

TEST_CASE("an eager outer step of one site is not behind: the move of the round is all known at once") {
  DilocoParams params = by_sites(2);
  LocalCluster in_time(settings({0, 0, 0}, 6));
  in_time.run(programs_of(params));
  params.eager = true;
  LocalCluster eager(settings({0, 0, 0}, 6));
  eager.run(programs_of(params));
  CHECK(largest_difference(model(eager, 1), model(in_time, 1)) < 1e-5);
}

TEST_CASE("a site of g workers sends 2(g-1) models at home in every step and with each move, 2(S-1)/S away every H") {
  const Sites sites{0, 0, 1, 1, 1};
  constexpr int steps = 8, H = 4;
  LocalCluster cluster(settings(sites, steps));
  cluster.run(programs_of(by_sites(H)));
  std::vector<double> at_home(2), away(2);
  for (int worker = 0; worker < 5; ++worker) {
    const auto site = static_cast<std::size_t>(sites[static_cast<std::size_t>(worker)]);
    for (const Message& message : cluster.node(worker).sent) {
      const auto target = static_cast<std::size_t>(sites[static_cast<std::size_t>(message.target)]);
      (target == site ? at_home : away)[site] += static_cast<double>(message.wire_bytes) / model_bytes;
    }
  }
  CHECK(away == std::vector<double>{steps / H, steps / H});
  CHECK(at_home == std::vector<double>{2 * 1 * (steps + steps / H), 2 * 2 * (steps + steps / H)});
}

}  // namespace ddl::systems::diloco_sites_test
