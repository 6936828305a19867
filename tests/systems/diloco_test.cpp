// DiLoCo by hand: workers whose gradients are constant, so that each outer step is known.
#include "core/systems/diloco/diloco.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/systems/local_sgd.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::diloco_test {
namespace {

using Vector = std::vector<float>;

// The end of a run: each worker's model, and the outer model as the worker knows it.
struct Outcome {
  std::vector<Vector> models, outer;
  std::uint64_t bytes = 0;  // sent by the first worker
  double seconds = 0;
};

Vector copy_of(std::span<const float> values) { return {values.begin(), values.end()}; }

// Every step moves the model of worker i by moves[i], from `start`.
Outcome run(const System& system, std::int64_t steps, const Vector& moves, const Vector& start, double latency_s,
            std::vector<LayerInfo> layers) {
  const int workers = static_cast<int>(moves.size());
  LocalCluster cluster({.cluster = {.workers = workers,
                                    .parameters = start.size(),
                                    .model_bytes = 4 * start.size(),
                                    .layers = std::move(layers),
                                    .compute_s = std::vector<double>(moves.size(), 1)},
                        .steps = steps,
                        .gradient =
                            [&](const Node& node, std::span<const float> x) {
                              return Vector(x.size(), -moves[static_cast<std::size_t>(node.id())]);
                            },
                        .start = start,
                        .latency_s = latency_s});
  std::vector<const Program*> programs;
  const LocalCluster::Programs make = programs_of(system);
  cluster.run([&](Node& node) {
    auto program = make(node);
    programs.push_back(program.get());
    return program;
  });
  Outcome outcome;
  for (int worker = 0; worker < workers; ++worker) {
    outcome.models.push_back(copy_of(cluster.node(worker).weights().read()));
    if (const Payload outer = programs[static_cast<std::size_t>(worker)]->judged_model())
      outcome.outer.push_back(*outer);
  }
  for (const Message& message : cluster.node(0).sent) outcome.bytes += message.wire_bytes;
  outcome.seconds = cluster.now();
  return outcome;
}

// The same layer by layer, a fragment or half of the model each, and in a block: only the time differs.
Outcome run(const System& system, std::int64_t steps, const Vector& moves, const Vector& start, double latency_s = 0) {
  const auto* diloco = dynamic_cast<const DilocoParams*>(&system);
  const int fragments = diloco != nullptr ? diloco->fragments : 1;
  const int count = fragments > 1 ? fragments : std::min(2, static_cast<int>(start.size()));
  std::vector<LayerInfo> layers;
  for (int layer = 0; layer < count; ++layer) layers.push_back({even_part(start.size(), count, layer)});
  const Outcome by_layers = run(system, steps, moves, start, latency_s, layers);
  Outcome outcome = run(system, steps, moves, start, latency_s, {});
  CHECK(by_layers.models == outcome.models);
  CHECK(by_layers.outer == outcome.outer);
  CHECK(by_layers.bytes == outcome.bytes);
  return outcome;
}

DilocoParams plain(int sync_every, const OuterParams& outer = OuterSgd{1}) {
  return with<DilocoParams>([&](auto& params) {
    params.sync_every = sync_every;
    params.outer = outer;
  });
}

// torchft's regression fixtures (torchft/local_sgd_test.py): two fragments of one value, H = 6, from 1 in steps of -2,
// outer SGD of rate 2.
DilocoParams torchft(int delay, double alpha) {
  return with<DilocoParams>([&](auto& params) {
    params.phase = FragmentPhase::torchft;
    params.sync_every = 6;
    params.fragments = 2;
    params.fragment_sync_delay = delay;
    params.fragment_update_alpha = alpha;
    params.outer = OuterSgd{2};
  });
}

}  // namespace

TEST_CASE("fragments move as torchft's do, with a delay and without, with a share of their own and without") {
  struct Row {
    int delay;
    double alpha;
    float first_local, second_local;        // fragment 0 after 3 steps, fragment 1 after 6
    float first_outer[2], second_outer[2];  // fragment 0 after 3 and 9 steps, fragment 1 after 6 and 12
  };
  for (const Row& row : {Row{0, 0, -11, -23, {-11, -35}, {-23, -47}}, Row{0, 0.5, -8, -17, {-11, -29}, {-23, -35}},
                         Row{1, 0, -7, -19, {-7, -27}, {-19, -39}}, Row{1, 1, -5, -11, {-7, -23}, {-19, -23}}}) {
    CAPTURE(row.delay);
    CAPTURE(row.alpha);
    const auto after = [&](std::int64_t steps) { return run(torchft(row.delay, row.alpha), steps, {-2, -2}, {1, 1}); };
    CHECK(after(3).models[0][0] == row.first_local);
    CHECK(after(6).models[0][1] == row.second_local);
    CHECK(after(3).outer[0][0] == row.first_outer[0]);
    CHECK(after(9).outer[0][0] == row.first_outer[1]);
    CHECK(after(6).outer[1][1] == row.second_outer[0]);
    CHECK(after(12).outer[1][1] == row.second_outer[1]);
  }
}

TEST_CASE("with outer SGD of rate one it is local SGD: the outer model is the mean of the workers'") {
  for (const std::int64_t steps : {1, 4, 8}) {
    const Outcome ours = run(plain(4), steps, {-1, -2, -6}, {8, 0});
    const Outcome local =
        run(with<LocalSgdParams>([](auto& params) { params.local_steps = 4; }), steps / 4 * 4, {-1, -2, -6}, {8, 0});
    for (const Vector& outer : ours.outer) CHECK(outer == (steps < 4 ? Vector{8, 0} : local.models[0]));
  }
}

TEST_CASE("constant moves: the n-th outer step is longer by what momentum has gathered, for both kinds") {
  constexpr double rate = 0.7, mu = 0.9;
  constexpr int H = 5;
  const auto moved = [&](const OuterParams& outer, int rounds) {
    return (run(plain(H, outer), rounds * H, {-1, -1}, {0}).outer[0][0] -
            (rounds > 1 ? run(plain(H, outer), (rounds - 1) * H, {-1, -1}, {0}).outer[0][0] : 0)) /
           -H;
  };
  for (const int n : {1, 2, 5}) {
    CHECK(moved(OuterNesterov{rate, mu}, n) == doctest::Approx(rate * (1 - std::pow(mu, n + 1)) / (1 - mu)));
    CHECK(moved(OuterHeavyBall{rate, mu}, n) == doctest::Approx(rate * (1 - std::pow(mu, n)) / (1 - mu)));
    CHECK(moved(OuterSgd{rate}, n) == doctest::Approx(rate));
  }
}

TEST_CASE("one worker alone is Lookahead: the outer model takes a share of its move, and nothing travels") {
  const Outcome outcome = run(plain(4, OuterSgd{0.5}), 8, {-1}, {0});
  CHECK(outcome.outer[0] == Vector{-4});
  CHECK(outcome.bytes == 0);
}

TEST_CASE("bytes: one all-reduce of the model in H steps, however many fragments, and none of a shorter rest") {
  for (const int fragments : {1, 2, 3}) {
    DilocoParams params = plain(6);
    params.fragments = fragments;
    for (const std::int64_t steps : {5, 6, 12, 15}) {
      std::int64_t sent = 0;  // fragments: round k is sent after step (k + 1) H / P
      while ((sent + 1) * 6 / fragments <= steps) ++sent;
      const std::size_t parameters = 24;  // a ring of four sends 2 (4 - 1) / 4 of the reduced values
      CHECK(run(params, steps, {-1, -1, -1, -1}, Vector(parameters)).bytes ==
            static_cast<std::uint64_t>(sent) * 4 * parameters / static_cast<std::size_t>(fragments) * 3 / 2);
    }
  }
}

TEST_CASE("the steps of a delay are discarded, and with alpha 1 every worker goes its own way") {
  for (const int delay : {0, 1, 2}) {
    DilocoParams params = plain(6);
    params.fragment_sync_delay = delay;
    // The outer model has 6 steps of its first round, and of each later one those after the value came.
    CHECK(run(params, 6 + delay, {-1, -1}, {0}).outer[0][0] == -6);
    CHECK(run(params, 12 + delay, {-1, -1}, {0}).outer[0][0] == -6 - (6 - delay));
    params.fragment_update_alpha = 1;
    const Outcome apart = run(params, 18, {-1, -3}, {0});
    CHECK(apart.models[0] == Vector{-18});
    CHECK(apart.models[1] == Vector{-54});
  }
}

TEST_CASE("messages that take no longer than the delay cost no time") {
  DilocoParams params = plain(6);
  const double latency_s = 0.9;  // a ring of two is two messages, one after the other
  const double at_once = run(params, 12, {-1, -1}, {0, 0}, latency_s).seconds;
  params.fragment_sync_delay = 2;
  const double hidden = run(params, 12, {-1, -1}, {0, 0}, latency_s).seconds;
  CHECK(at_once >= 12 + 2 * 2 * latency_s);
  CHECK(hidden < at_once - 2 * latency_s + 1e-9);
}

TEST_CASE(
    "eager: after round T a worker has applied the means of the rounds before, and its share of its own last move") {
  DilocoParams params = plain(2);
  params.eager = true;
  params.fragment_update_alpha = 1;  // so that workers' models are those of their own steps
  const double moves[] = {-1, -5};
  double outer[] = {0, 0}, last_move[] = {0, 0}, last_mean = 0, means = 0;
  for (int round = 1; round <= 4; ++round) {
    double move[2];
    for (const int i : {0, 1}) move[i] = outer[i] - round * 2 * moves[i];
    for (const int i : {0, 1}) {
      outer[i] -= last_mean + (move[i] - last_move[i]) / 2;
      CHECK(outer[i] == doctest::Approx(-(means + move[i] / 2)));  // it telescopes
    }
    last_mean = (move[0] + move[1]) / 2;
    means += last_mean;
    std::ranges::copy(move, last_move);
    const auto models = run(params, round * 2, {-1, -5}, {0}).outer;
    for (const int i : {0, 1}) CHECK(models[static_cast<std::size_t>(i)][0] == doctest::Approx(outer[i]));
  }
}

TEST_CASE("one worker alone is the same eager or not, whatever the outer step") {
  for (const OuterParams& outer :
       {OuterParams(OuterNesterov{}), OuterParams(OuterHeavyBall{}), OuterParams(OuterSgd{})}) {
    DilocoParams params = plain(3, outer);
    const Outcome at_once = run(params, 12, {-1}, {0});
    params.eager = true;
    CHECK(run(params, 12, {-1}, {0}).outer[0][0] == doctest::Approx(at_once.outer[0][0]));
  }
}

TEST_CASE("whole layers make fragments, strided or side by side") {
  const Cluster cluster{.parameters = 10, .layers = {{{0, 3}}, {{3, 6}}, {{6, 7}}, {{7, 10}}}};
  using comm::Partition;
  CHECK(comm::by_layers(comm::LayerOrder::strided, 2, cluster) ==
        std::vector<Partition>{{{0, 3}, {6, 7}}, {{3, 6}, {7, 10}}});
  CHECK(comm::by_layers(comm::LayerOrder::contiguous, 2, cluster) ==
        std::vector<Partition>{{{0, 3}, {3, 6}}, {{6, 7}, {7, 10}}});
  CHECK_THROWS_AS(comm::by_layers(comm::LayerOrder::strided, 5, cluster), InputError);
}

TEST_CASE("settings that do not go together are refused") {
  const auto refused = [](auto set) { return !with<DilocoParams>(set).errors({}).empty(); };
  CHECK_FALSE(refused([](auto&) {}));
  CHECK(refused([](auto& p) { p.sync_every = 4, p.fragments = 5; }));
  CHECK(refused([](auto& p) { p.sync_every = 4, p.fragment_sync_delay = 5; }));
  CHECK_FALSE(refused([](auto& p) { p.sync_every = 4, p.fragment_sync_delay = 4; }));
  CHECK(refused([](auto& p) { p.eager = true, p.fragment_sync_delay = 1; }));
  CHECK(refused([](auto& p) { p.phase = FragmentPhase::torchft, p.sync_every = 7, p.fragments = 2; }));
  CHECK(refused(
      [](auto& p) { p.phase = FragmentPhase::torchft, p.sync_every = 6, p.fragments = 2, p.fragment_sync_delay = 3; }));
}

}  // namespace ddl::systems::diloco_test
