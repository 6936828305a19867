// Collectives whose chunks travel in slices, and butterflies: their times by hand, and the sums of whole chunks.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/scenarios.hpp"

namespace ddl::slices_laws_test {
namespace {

constexpr double MB = 1e6;
constexpr int steps = 3;

std::string in_slices(const std::string& name, double slice_bytes) {
  const std::string slice = slice_bytes > 0 ? fmt::format(R"("{}B")", slice_bytes) : "0";
  return fmt::format(R"({{"name": "{}", "slice_bytes": {}}})", name, slice);
}

// Seconds of a step's sum of a model, at the worker that waits longest.
struct Summed {
  run::RunResult result;
  double seconds = 0;
};
Summed summed(const scenario::Scenario& scenario, int step = steps - 1) {
  Summed sum{run::run(scenario)};
  for (const run::IterationRow& row : sum.result.iterations) {
    if (row.iteration == step) sum.seconds = std::max(sum.seconds, row.wait_s());
  }
  return sum;
}
scenario::Scenario star(const std::string& algorithm, int workers, double latency_s, const char* model = "CM02") {
  auto scenario =
      timing_only(algorithm, workers, 0, fmt::format("{}s", latency_s), fmt::format(R"({{"iterations": {}}})", steps));
  scenario.platform.network.model = model == std::string("CM02")  ? scenario::NetworkModel::CM02
                                    : model == std::string("TCP") ? scenario::NetworkModel::TCP
                                                                  : scenario::NetworkModel::packets;
  return scenario;
}
std::vector<BytesPerSecond>& bandwidth(scenario::Scenario& scenario) {
  return std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).bandwidth;
}

}  // namespace

TEST_CASE(
    "a ring in slices takes (2(n-1) - 1) max(c/W, L + s/W) + L + c/W, with the messages and bytes of whole chunks") {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    for (const int n : {2, 3, 4, 8}) {
      for (const double L : {0.0, 0.001, 0.02, 0.3}) {
        const double chunk_s = 1.0 / n, slice_s = chunk_s / 16;
        CAPTURE(n);
        CAPTURE(L);
        auto scenario = star(in_slices("ring_allreduce", std::ceil(slice_s * MB)), n, L);
        scenario.platform.network.solver = solver;
        const Summed sliced = summed(scenario);
        const double round_s = std::max(chunk_s, L + slice_s);
        CHECK(sliced.seconds == doctest::Approx((2 * (n - 1) - 1) * round_s + L + chunk_s).epsilon(1e-4));
        scenario.algorithm = star(in_slices("ring_allreduce", 0), n, L).algorithm;
        const Summed whole = summed(scenario);
        CHECK(whole.seconds == doctest::Approx(2 * (n - 1) * (L + chunk_s)).epsilon(1e-4));
        CHECK(sliced.result.bytes_sent == whole.result.bytes_sent);
        CHECK(sliced.result.messages_sent == whole.result.messages_sent);
        CHECK(sliced.result.pairs.size() == whole.result.pairs.size());
        CHECK(sliced.result.bounds.step_s < sliced.seconds + 0.1 + 1e-9);
      }
    }
  }
}

// Beside a backward pass and the next forward pass; no division into equal buckets is quicker.
TEST_CASE("layers that travel in slices are in buckets whose steps are quickest") {
  for (const double L : {0.002, 0.02, 0.1, 0.4}) {
    CAPTURE(L);
    const auto step_s = [&](const std::string& more) {
      auto scenario =
          star(R"({"name": "ring_allreduce", "slice_bytes": "20kB", "overlap": "layers")" + more + "}", 4, L);
      scenario.wire.model_bytes = Bytes{12 * MB};
      scenario.compute.layers = 12;
      return run::run(scenario).simulated_s;
    };
    const double chosen_s = step_s("");
    for (const int layers : {1, 2, 3, 4, 6, 12}) {
      CAPTURE(layers);
      CHECK(chosen_s <= step_s(fmt::format(R"(, "bucket_bytes": "{}MB")", layers)) * (1 + 1e-3));
    }
  }
}

TEST_CASE("a slice is by default the larger of 512 KiB and a sixteenth of the chunk") {
  const double L = 0.3, MiB = 1024 * 1024;
  for (const double model_bytes : {1 * MiB, 4 * MiB, 80 * MiB}) {  // chunks of 1/2, 2 and 40 MiB
    const double chunk_s = model_bytes / 2 / MB, slice_s = std::min(chunk_s, std::max(MiB / 2, model_bytes / 32) / MB);
    auto scenario = star(R"("ring_allreduce")", 2, L);
    scenario.wire.model_bytes = Bytes{model_bytes};
    CHECK(summed(scenario).seconds == doctest::Approx(std::max(chunk_s, L + slice_s) + L + chunk_s).epsilon(1e-6));
  }
}

TEST_CASE("over TCP a ring in slices takes little more than its bytes, where whole chunks wait for each latency") {
  for (const auto& [model, beyond] : {std::pair("TCP", 0.1), std::pair("packets", 0.4)}) {
    CAPTURE(beyond);
    for (const int n : {4, 8}) {
      const double L = 0.02, bytes_s = 2 * (n - 1) / (0.936 * n);
      const double sliced = summed(star(in_slices("ring_allreduce", 1e4), n, L, model)).seconds;
      const double whole = summed(star(in_slices("ring_allreduce", 0), n, L, model)).seconds;
      CHECK(sliced > bytes_s);
      CHECK(sliced < bytes_s * (1 + beyond));
      CHECK(whole > sliced + (2 * (n - 1) - 1) * L);
    }
  }
}

// The slow link has a chunk's time a round. A chunk is whole beyond it a latency and a slice later each time.
TEST_CASE("a ring in slices runs at its slowest link") {
  const double L = 0.02, chunk_s = 0.25, slow_s = 4 * chunk_s, slice_s = 0.01;
  for (int slow = 0; slow < 4; ++slow) {
    auto scenario = star(in_slices("ring_allreduce", 1e4), 4, L);
    bandwidth(scenario).assign(4, {MB});
    bandwidth(scenario)[static_cast<std::size_t>(slow)] = {MB / 4};
    const double seconds = summed(scenario, 0).seconds;
    CHECK(seconds > 6 * slow_s + L);
    CHECK(seconds < 6 * slow_s + L + 4 * (L + 4 * slice_s));
  }
}

TEST_CASE("slices change when sums are there, and no sum") {
  struct Row {
    const char *algorithm, *codec;
  };
  for (const auto& [algorithm, codec] :
       {Row{R"("name": "ring_allreduce")", ""}, Row{R"("name": "hierarchical_allreduce")", ""},
        Row{R"("name": "ring_allreduce")", R"(, "codec": {"type": "random_k", "fraction": 0.5})"},
        Row{R"("name": "hierarchical_allreduce")", R"(, "codec": {"type": "random_k", "fraction": 0.5})"},
        Row{R"("name": "local_sgd", "local_steps": 3, "collective": "ring")", ""},
        Row{R"("name": "diloco", "sync_every": 3, "collective": "ring")", ""},
        Row{R"("name": "diloco", "sync_every": 3, "replica": "site")", ""},
        Row{R"("name": "partial_allreduce", "partitions": 2)", ""}}) {
    CAPTURE(algorithm);
    CAPTURE(codec);
    const auto with = [&](const char* slices) {
      auto scenario = learning(fmt::format("{{{}{}, \"slice_bytes\": \"{}\"}}", algorithm, codec, slices), 6, 0,
                               R"("data": {"train": 400, "test": 50}, "stop": {"iterations": 12},
                                  "training": {"batch_size": 10})");
      std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).topology = scenario::Topology::two_sites;
      scenario.compute.jitter = 0.1;
      return run::run(scenario);
    };
    const auto whole = with("0B"), sliced = with("200B");
    CHECK(sliced.weights == whole.weights);
    CHECK(sliced.messages_sent == whole.messages_sent);
    CHECK(sliced.bytes_sent == whole.bytes_sent);
    CHECK(sliced.simulated_s < whole.simulated_s);
  }
}

TEST_CASE("chunks travel whole where hosts come and go, where messages are lost, and within a host") {
  const auto ends = [](const std::string& slices, const std::string& rest) {
    const std::string algorithm =
        fmt::format(R"({{"name": "ring_allreduce", "on_failure": "go_on", "slice_bytes": "{}"}})", slices);
    return run::run(learning(algorithm, 4, 0,
                             R"("data": {"train": 400, "test": 50}, "stop": {"iterations": 12},
                                "training": {"batch_size": 10})" +
                                 rest))
        .simulated_s;
  };
  for (const char* faults : {R"(, "faults": [{"type": "host_crash", "host": "w1", "at": "450ms", "restart": "850ms"}])",
                             R"(, "faults": [{"type": "message_loss", "probability": 0.01, "retry_after": "10ms"}])"}) {
    CHECK(ends("200B", faults) == ends("0B", faults));
  }
  CHECK(ends("200B", "") < ends("0B", ""));
}

TEST_CASE("a butterfly takes twice (n-1)/n N/B + alpha, and each worker sends and gets 2(n-1)/n models") {
  const double alpha = 0.01;
  for (const int n : {2, 3, 5, 8}) {
    CAPTURE(n);
    const Summed sum = summed(star(R"("butterfly_allreduce")", n, alpha));
    CHECK(sum.seconds == doctest::Approx(2 * ((n - 1.0) / n + alpha)).epsilon(1e-4));
    CHECK(sum.result.bytes_sent == doctest::Approx(steps * 2.0 * (n - 1) * MB));
    CHECK(sum.result.messages_sent == (steps + 1) * 2 * n * (n - 1));
    CHECK(sum.result.bounds.step_s == doctest::Approx(0.1 + 2 * ((n - 1.0) / n + alpha)));
    for (const run::TrafficRow& row : sum.result.traffic) {
      CHECK(row.bytes == doctest::Approx(steps * 2 * (n - 1.0) / n * MB).epsilon(1e-5));
    }
  }
}

// Links of 2, 1 and 1 MB/s: parts of 1/2, 1/4 and 1/4. The busiest link is w1's: 3/4 up, then 3/4 down.
TEST_CASE("parts by rate are in proportion to the workers' own links") {
  auto scenario = star(R"({"name": "butterfly_allreduce", "parts": "by_rate"})", 3, 0);
  bandwidth(scenario) = {{2 * MB}, {MB}, {MB}};
  const Summed sum = summed(scenario);
  CHECK(sum.seconds == doctest::Approx(0.75 + 0.75).epsilon(1e-4));
  for (const run::PairRow& pair : sum.result.pairs) {
    const double there = pair.target == 0 ? 0.5 : 0.25, back = pair.source == 0 ? 0.5 : 0.25;
    CHECK(pair.bytes == doctest::Approx(steps * (there + back) * MB).epsilon(1e-5));
  }
  const std::string rest = R"("data": {"train": 400, "test": 50}, "stop": {"iterations": 12})";
  const auto learnt = [&](const std::string& algorithm) {
    auto unequal = learning(algorithm, 3, 0, rest);
    bandwidth(unequal) = {{7e6}, {2e6}, {3e6}};
    return run::run(unequal).weights;
  };
  CHECK(learnt(R"({"name": "butterfly_allreduce", "parts": "by_rate"})") == learnt(R"("star_allreduce")"));
}

}  // namespace ddl::slices_laws_test
