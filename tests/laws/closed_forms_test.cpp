// Simulated times and bytes against the textbook: c = 0.1 s of compute, N/B = 1 s per model and link, alpha = latency.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::closed_forms_test {

namespace {

constexpr double c = 0.1, n_over_b = 1.0;

struct Timed {
  std::string system;  // a name, or a name with settings
  int workers, servers, steps;
  double alpha = 0, compute_s = c;
};

std::string with(const std::string& name, const std::string& settings) {
  return fmt::format(R"({{"name": "{}", {}}})", name, settings);
}

// Checks a run's seconds, without the filling and draining of a pipe, and the models' worth that all nodes send.
run::RunResult takes(const Timed& timed, double seconds, double models, double within = 0.01) {
  CAPTURE(timed.system);
  CAPTURE(timed.workers);
  auto scenario = timing_only(timed.system.starts_with('{') ? timed.system : quoted(timed.system), timed.workers,
                              timed.servers, "0ms", fmt::format(R"({{"iterations": {}}})", timed.steps));
  std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).latency = Seconds{timed.alpha};
  scenario.compute.seconds_per_batch = Seconds{timed.compute_s};
  auto result = run::run(scenario);
  CHECK(result.simulated_s == doctest::Approx(seconds).epsilon(within));
  CHECK(result.bytes_sent == doctest::Approx(models * 1e6));
  CHECK(result.bytes_delivered == result.bytes_sent);
  return result;
}

void check_bound(const run::RunResult& result, double step_s) {
  CHECK(result.bounds.step_s == doctest::Approx(step_s));
}

void check_equal_pairs(const run::RunResult& result, std::size_t pairs) {
  CHECK(result.pairs.size() == pairs);
  for (const run::PairRow& pair : result.pairs) {
    CHECK(pair.bytes == result.pairs.front().bytes);
    CHECK(pair.messages == result.pairs.front().messages);
  }
}

}  // namespace

TEST_CASE("servers: a synchronous round takes c + 2nN/B over their number, an asynchronous cycle c + 2N/B + 3 alpha") {
  for (const int n : {1, 4, 8}) {
    check_bound(takes({"ps_sync", n, 1, 5}, 5 * (c + 2 * n * n_over_b), 2.0 * 5 * n),
                std::max(c + 2 * n_over_b, n * n_over_b));  // one worker's cycle, or the server's link
  }
  takes({"ps_sync", 4, 2, 5}, 5 * (c + 2 * 4 * n_over_b / 2), 2.0 * 5 * 4);
  takes({"ps_async", 1, 1, 6, 0.05}, 6 * (c + 2 * n_over_b + 3 * 0.05), 12);  // request, answer, gradient, push
  takes({with("ps_async", R"("update_time": "200ms")"), 1, 1, 5}, 5 * (c + 2 * n_over_b + 0.2), 10, 1e-6);
  // Only gradients are encoded, to a share of 32 bits per value.
  for (const auto& [codec, share] : {std::pair(R"("top_k", "fraction": 0.1)", 0.2),
                                     {R"("random_k", "fraction": 0.1)", 0.1},
                                     {R"("qsgd", "bits": 8, "bucket": 125)", 0.25 + 1.0 / 125},
                                     {R"("sign", "bucket": 125)", 1.0 / 32 + 1.0 / 125}}) {
    const std::string system = with("ps_sync", fmt::format(R"("codec": {{"type": {}}})", codec));
    check_bound(takes({system, 4, 1, 5}, 5 * (c + 4 + 4 * share), 5 * 4 * (1 + share)), 4);
  }
}

TEST_CASE("sites: a cycle is c + N/B from the server's site + the gradient's share of N/B to it + 3 alpha") {
  const auto seconds = [](int steps) {
    return run::run(scenario_from(fmt::format(
                        R"({{"platform": {{
          "sites": [{{"name": "a", "workers": 1, "bandwidth": "4MBps", "latency": "2ms"}},
                    {{"name": "b", "workers": 0, "servers": 1, "bandwidth": "4MBps", "latency": "4ms"}}],
          "links": [{{"from": "a", "to": "b", "up": "0.5MBps", "down": "0.125MBps", "latency": "10ms"}}], {}}},
          "model": "none", "wire": {{"model_bytes": "1MB"}}, "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
          "algorithm": {}, "stop": {{"iterations": {}}}}})",
                        textbook, with("ps_async", R"("codec": {"type": "random_k", "fraction": 0.1})"), steps)))
        .simulated_s;
  };
  const double alpha = 0.002 / 2 + 0.01 + 0.004 / 2, from_server_s = 1 / 0.125, to_server_s = 0.1 / 0.5;
  CHECK(seconds(5) - seconds(2) == doctest::Approx(3 * (c + from_server_s + to_server_s + 3 * alpha)).epsilon(1e-6));
}

// After the last step a round of empty messages tells all workers that all are done: the latencies of one more round.
TEST_CASE("all-reduces: 2(n-1)(alpha + N/(nB)) on a ring, 2 ceil(log2 n)(alpha + N/B) in a tree, 2(n-1)N/B + 2 alpha") {
  const double alpha = 0.01;
  for (const int n : {2, 4, 5, 8}) {
    const auto ring = takes({"ring_allreduce", n, 0, 5, alpha},
                            5 * (c + 2 * (n - 1) * (alpha + n_over_b / n)) + 2 * (n - 1) * alpha, 5 * 2.0 * (n - 1));
    check_bound(ring, c + 2 * (n - 1) * n_over_b / n + alpha);  // counts one latency
    check_equal_pairs(ring, static_cast<std::size_t>(n));
    for (const run::PairRow& pair : ring.pairs) CHECK(pair.target == (pair.source + 1) % n);
    CHECK(ring.pairs.front().messages == 6 * 2 * (n - 1));
  }
  for (const int P : {2, 5}) {
    takes({with("partial_allreduce", fmt::format(R"("partitions": {})", P)), 4, 0, 5, alpha},
          5 * (c + 6 * (alpha + n_over_b / 4 / P)) + 6 * alpha, 5 * 2.0 * 3 / P);
  }
  for (const int n : {2, 3, 4, 5, 6, 8, 11}) {
    const int levels = std::bit_width(static_cast<unsigned>(n - 1));
    // A worker served early begins its next step early; only in a full tree does that help no worker.
    const int steps = std::has_single_bit(static_cast<unsigned>(n)) ? 5 : 1;
    takes({"tree_allreduce", n, 0, steps, alpha}, steps * (c + 2 * levels * (alpha + n_over_b)) + 2 * levels * alpha,
          steps * 2.0 * (n - 1));
  }
  for (const int n : {2, 4, 7}) {
    const auto star = takes({"star_allreduce", n, 0, 5, alpha},
                            5 * (c + 2 * (n - 1) * n_over_b + 2 * alpha) + 2 * alpha, 5 * 2.0 * (n - 1));
    for (const run::PairRow& pair : star.pairs) CHECK((pair.source == 0 || pair.target == 0));
  }
  for (const int H : {1, 2, 4}) {  // local steps divide the traffic, and the time of exchanges
    const auto local = takes({with("local_sgd", fmt::format(R"("local_steps": {})", H)), 4, 0, 8},
                             8 * c + 8 / H * 1.5 * n_over_b, 8 / H * 2.0 * 3);
    check_bound(local, c + 1.5 * n_over_b / H);
    check_equal_pairs(local, 4);
  }
}

TEST_CASE(
    "Ako: a message takes latency + size / bandwidth, and computing overlaps with sending unless publication blocks") {
  const double alpha = 0.05;
  takes({with("ako", R"("partitions": 1)"), 2, 0, 1, 0.25}, c + 0.25 + n_over_b, 2, 1e-6);
  for (const int P : {1, 6, 60}) {
    const double step_s = std::max(c, 3 * n_over_b / P);
    const std::string waits = with("ako", fmt::format(R"("partitions": {}, "overflow": "block")", P));
    check_bound(takes({waits, 4, 0, 40}, 40 * step_s, 40 * 12.0 / P, 0.06), step_s);
  }
  // 3 s for an exchange of whole models among four, 0.9 x 0.1 s to hide it in: 34 partitions, so 68 steps send two
  // models to each peer.
  check_equal_pairs(takes({with("ako", R"("partitions": "auto")"), 4, 0, 68}, 68 * c, 24, 0.03), 12);
  // A tenth of each value travels: 0.3 s for whole models, and 4 partitions.
  for (const char* partitions : {"4", R"("auto")"}) {
    const auto codec = R"("partitions": {}, "codec": {{"type": "random_k", "fraction": 0.1}})";
    check_equal_pairs(takes({with("ako", fmt::format(fmt::runtime(codec), partitions)), 4, 0, 8}, 8 * c, 2.4, 0.2), 12);
  }
  const auto publishes = [](const char* how) {
    return with("ako", fmt::format(R"("partitions": 4, "overflow": "block", "tf_ako": {{"publish": "{}"}})", how));
  };
  takes({publishes("blocking"), 2, 0, 10, alpha}, 10 * (c + alpha + n_over_b / 4), 5, 1e-6);
  // Ten messages one behind the other, the first after a gradient.
  takes({publishes("background"), 2, 0, 10, alpha}, c + 10 * (alpha + n_over_b / 4), 5, 1e-6);
  // TF.AKO's clock at bound 0 is lock-step: message, ping, pong; and once more when all have taken their leave.
  for (const int n : {2, 4}) {
    const auto clocked = with("ako", R"("partitions": 1, "staleness_bound": 0, "tf_ako": {"clock": "ping_pong"})");
    takes({clocked, n, 0, 5}, 5 * (c + (n - 1) * n_over_b), 5.0 * n * (n - 1), 1e-4);
    const auto far = takes({clocked, n, 0, 5, alpha}, 5 * (c + (n - 1) * n_over_b + 3 * alpha) + 3 * alpha,
                           5.0 * n * (n - 1));  // pings and pongs weigh nothing
    // Per step and once for the end: a gradient (or the leave) to each peer, n-1 pings, n-1 pongs.
    CHECK(far.messages_sent == (n * (n - 1) + 2 * (n - 1)) * (5 + 1));
  }
}

// The words of leaving follow the last models and take a latency more.
TEST_CASE("neighbours: c + deg N/B + alpha a round, with overlap the longer of the two, and c + N/B + 2 alpha a pull") {
  const double alpha = 0.05, exchange_s = 2 * n_over_b + 2 * alpha;
  for (const int n : {2, 3, 8}) {
    takes({with("gossip", R"("peer": "ring")"), n, 0, 4, alpha}, 4 * (c + n_over_b + 2 * alpha), 4.0 * n);
  }
  for (const auto& [topology, degree] : {std::pair(R"("ring")", 2),
                                         {R"("torus")", 3},
                                         {R"("complete")", 7},
                                         {R"("exponential")", 3},
                                         {R"("random_regular", "degree": 4)", 4},
                                         {R"("one_peer_exponential")", 1}}) {
    const auto rounds = takes({with("d_psgd", fmt::format(R"("topology": {})", topology)), 8, 0, 5, alpha},
                              5 * (c + degree * n_over_b + alpha) + alpha, 5.0 * 8 * degree, 1e-3);
    CHECK(rounds.bounds.bytes_per_step == doctest::Approx(degree * 1e6));
  }
  takes({"sgp", 8, 0, 6, alpha}, 6 * (c + n_over_b + alpha) + alpha, 6.0 * 8, 1e-3);
  for (const double compute_s : {c, 3.0}) {
    takes({with("d_psgd", R"("overlap": true)"), 6, 0, 5, alpha, compute_s},
          5 * std::max(compute_s, 2 * n_over_b + alpha) + alpha, 5 * 6 * 2, 1e-3);
    // AD-PSGD's model goes one way, then the other: a first gradient before the first exchange, and the last exchange
    // after the last gradient.
    const auto pair = takes({"ad_psgd", 2, 0, 10, alpha, compute_s},
                            compute_s + 9 * std::max(compute_s, exchange_s) + exchange_s, 20, 1e-3);
    CHECK(pair.messages_sent == 20);
  }
  // CHOCO sends the values that it keeps: twice the fraction with indices, the fraction without, all with none.
  for (const auto& [codec, share] : {std::pair(R"({"type": "top_k", "fraction": 0.05})", 0.1),
                                     {R"({"type": "random_k", "fraction": 0.05})", 0.05},
                                     {R"({"type": "top_k", "fraction": 0.8})", 1.0},
                                     {R"("none")", 1.0}}) {
    takes({with("choco", fmt::format(R"("codec": {})", codec)), 5, 0, 4}, 4 * (c + 2 * share * n_over_b),
          4.0 * 5 * 2 * share, 1e-3);
  }
}

TEST_CASE("an overhead is added to every gradient, and neither slowdown nor jitter touches it") {
  auto scenario = timing_only(R"("single")", 1, 0, "0ms", R"({"iterations": 10})");
  scenario.compute.overhead = Seconds{0.02};
  scenario.compute.slowdown = {{"w0", 3}};
  CHECK(run::run(scenario).simulated_s == doctest::Approx(10 * (3 * c + 0.02)).epsilon(1e-9));
  CHECK(run::run(scenario).bounds.step_s == doctest::Approx(3 * c + 0.02));
  scenario.compute.jitter = 0.3;
  const auto jittered = run::run(scenario);
  scenario.compute.overhead = Seconds{0};
  CHECK(jittered.simulated_s == doctest::Approx(run::run(scenario).simulated_s + 10 * 0.02).epsilon(1e-9));
}

TEST_CASE("a saturated asynchronous server serves B/N updates a second") {
  // Jitter breaks the lock-step of equal workers: uploads and downloads then overlap on the full-duplex link.
  auto scenario = timing_only(R"("ps_async")", 8, 1, "0ms", R"({"time": "400s"})");
  scenario.compute.jitter = 0.3;
  const auto result = run::run(scenario);
  const double updates = static_cast<double>(result.iterations.size());
  CHECK(updates <= 400 / n_over_b + 8);
  CHECK(updates >= 0.5 * 400 / n_over_b);  // never below both directions taking turns
}

TEST_CASE("Ako moves exactly m models over every pair in mP steps, for any P and both schedules") {
  for (const char* schedule : {"rotate", "broadcast"}) {
    for (const int P : {1, 3, 4}) {
      const int m = 3;
      const auto result = run::run(timing_only(
          fmt::format(R"({{"name": "ako", "partitions": {}, "schedule": "{}", "overflow": "block"}})", P, schedule), 4,
          0, "1ms", fmt::format(R"({{"iterations": {}}})", m * P)));
      REQUIRE(result.pairs.size() == 12);
      for (const run::PairRow& pair : result.pairs) {
        CHECK(pair.bytes == m * 1e6);
        CHECK(pair.messages == m * P);
      }
    }
  }
}

TEST_CASE("no simulated run beats its analytic bound") {
  std::vector<std::string> algorithms = {R"({"name": "ako", "partitions": 2, "overflow": "block"})",
                                         R"({"name": "ako", "partitions": 2, "overflow": "merge"})",
                                         R"({"name": "gossip", "mode": "pair", "peer": "ring"})",
                                         R"({"name": "gossip", "order": "overlap", "peer": "ring"})",
                                         R"({"name": "partial_allreduce", "partitions": 3})",
                                         R"({"name": "local_sgd", "local_steps": 3})",
                                         R"({"name": "fedavg", "local_steps": 3})"};
  for (const std::string& name : names_of_systems(5, 1)) {
    // With its default diloco sends nothing for 30 steps.
    algorithms.push_back(name == "diloco" ? R"({"name": "diloco", "sync_every": 4})" : quoted(name));
  }
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    const auto result = run::run(timing_only(algorithm, 5, 1, "10ms", R"({"iterations": 20})"));
    CHECK(result.bounds.step_s > 0);
    CHECK(result.simulated_s >= 0.999 * 20 * result.bounds.step_s);
  }
}

TEST_CASE("bytes sent are bytes delivered plus what is on the wire, and links carry what pairs sent") {
  const auto result = run::run(
      timing_only(R"({"name": "ako", "partitions": 1, "overflow": "block"})", 4, 0, "1ms", R"({"time": "7.3s"})"));
  CHECK(result.simulated_s == 7.3);
  CHECK(result.stopped_by == "time");
  CHECK(result.bytes_delivered < result.bytes_sent);
  double up = 0, sent = 0;
  for (const run::TrafficRow& link : result.traffic) {
    CHECK(link.utilisation <= 1.0 + 1e-9);
    if (link.direction == "up") up += link.bytes;
  }
  for (const run::PairRow& pair : result.pairs) sent += pair.bytes;
  CHECK(sent == result.bytes_sent);
  CHECK(up <= result.bytes_sent);
  CHECK(up >= result.bytes_delivered);
}

TEST_CASE("a slowed worker holds up a synchronous server, not an asynchronous one") {
  auto sync = timing_only(R"("ps_sync")", 2, 1, "0ms", R"({"iterations": 4})");
  sync.compute.slowdown = {{"w1", 50}};
  // Two pulls share the server's link, then 5 s of w1's gradient, during which w0 pushes, then w1's push alone.
  CHECK(run::run(sync).simulated_s == doctest::Approx(4 * (2 * n_over_b + 5.0 + n_over_b)).epsilon(0.01));
  auto async = timing_only(R"("ps_async")", 2, 1, "0ms", R"({"time": "60s"})");
  async.compute.slowdown = {{"w1", 50}};
  const auto result = run::run(async);
  CHECK(result.steps[0] >= 2 * result.steps[1]);
}

}  // namespace ddl::closed_forms_test
