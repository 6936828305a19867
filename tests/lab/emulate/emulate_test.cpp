// Runs over real TCP against results that must be the same in any runtime.
#include "lab/emulate/emulate.hpp"

#include "lab/runs/run.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/lab/stage_needed.hpp"

namespace ddl::emulate {
TEST_CASE("every node sends as many messages and bytes to every other as in the simulation") {
  if (!stage_is_allowed()) return;
  // Ako's queues that merge send fewer messages where the network is late, so that here they wait.
  for (const char* algorithm :
       {R"("ps_sync")", R"("ring_allreduce")", R"({"name": "ako", "partitions": 2, "overflow": "block"})"}) {
    CAPTURE(algorithm);
    scenario::Scenario scenario = small_star(algorithm, 3, 1, R"("model": "none", "stop": {"iterations": 4})");
    scenario.wire.header_bytes = Bytes{40};
    const run::RunResult measured = emulate(scenario, {}), simulated = run::run(scenario);
    CHECK(measured.bytes_sent == simulated.bytes_sent);
    CHECK(measured.bytes_delivered == simulated.bytes_sent);
    REQUIRE(measured.pairs.size() == simulated.pairs.size());
    for (std::size_t i = 0; i < measured.pairs.size(); ++i) {
      CHECK(measured.pairs[i].messages == simulated.pairs[i].messages);
      CHECK(measured.pairs[i].bytes == simulated.pairs[i].bytes);
    }
    for (std::size_t i = 0; i < measured.traffic.size(); ++i) {
      CHECK(measured.traffic[i].bytes == doctest::Approx(simulated.traffic[i].bytes));
    }
  }
}

TEST_CASE("messages of any size arrive, none is left waiting for bytes that were never sent") {
  if (!stage_is_allowed()) return;
  for (const double size : {1.0, 16383.0, 16385.0, 20e3, 70e3}) {
    CAPTURE(size);
    scenario::Scenario scenario =
        small_star(R"("ring_allreduce")", 4, 0, R"("model": "none", "stop": {"iterations": 20})");
    scenario.wire.model_bytes = Bytes{4 * size};
    scenario.compute.seconds_per_batch = Seconds{0.001};
    EmulateOptions options;
    options.limit_s = 20;
    const run::RunResult result = emulate(scenario, options);
    CHECK(result.steps == std::vector<std::int64_t>(4, 20));
  }
}

TEST_CASE("synchronous systems learn the same to the bit as in the simulation") {
  if (!stage_is_allowed()) return;
  // 500 kB hold the values themselves; 1 kB does not, so they are handed over in memory.
  for (const double size : {500e3, 1e3}) {
    for (const char* algorithm : {R"("ps_sync")", R"("ring_allreduce")", R"("d_psgd")"}) {
      CAPTURE(algorithm);
      CAPTURE(size);
      scenario::Scenario scenario = small_star(algorithm, 3, 1, R"("model": "mlp", "stop": {"iterations": 4})");
      scenario.wire.model_bytes = Bytes{size};
      const run::RunResult measured = emulate(scenario, {}), simulated = run::run(scenario);
      REQUIRE(measured.weights.size() == simulated.weights.size());
      CHECK(measured.weights == simulated.weights);
      CHECK(measured.steps == simulated.steps);
    }
  }
}

TEST_CASE("a language model learns the same to the bit as in the simulation, gradients whole and layer by layer") {
  if (!stage_is_allowed()) return;
  const data::ScratchFolder folder;
  data::FileBytes text(1000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>('a' + i * i % 7);
  folder.write("text", text);
  for (const char* overlap : {"none", "layers"}) {
    CAPTURE(overlap);
    const scenario::Scenario scenario =
        small_star(fmt::format(R"({{"name": "ring_allreduce", "overlap": "{}"}})", overlap), 3, 0,
                   fmt::format(R"("model": {{"name": "gpt", "layers": 2, "heads": 2, "width": 16, "context": 8}},
                       "data": {{"source": "text", "path": "{}"}}, "stop": {{"iterations": 4}})",
                               folder.file("text")));
    CHECK(emulate(scenario, {}).weights == run::run(scenario).weights);
  }
}

TEST_CASE("a run ends at its time, whatever its nodes wait for") {
  if (!stage_is_allowed()) return;
  const scenario::Scenario scenario = small_star(R"("ps_ssp")", 3, 1, R"("model": "none", "stop": {"time": "700ms"})");
  const run::RunResult result = emulate(scenario, {});
  CHECK(result.stopped_by == "time");
  CHECK(result.simulated_s == 0.7);
  CHECK(result.bytes_sent > result.bytes_delivered);  // the server's link is never idle
  for (const run::IterationRow& row : result.iterations) CHECK(row.end_s <= 0.7);
}

TEST_CASE("a run that is not over after its limit fails and says which node waits") {
  if (!stage_is_allowed()) return;
  const scenario::Scenario scenario =
      small_star(R"("ps_sync")", 2, 1, R"("model": "none", "stop": {"iterations": 1000000})");
  EmulateOptions options;
  options.limit_s = 0.5;
  CHECK_THROWS_WITH_AS(emulate(scenario, options), doctest::Contains("after 0.5 s, its limit"), process::RunFailed);
  CHECK_THROWS_WITH_AS(emulate(scenario, options), doctest::Contains("ps0 waits for pulls and pushes of workers"),
                       process::RunFailed);
}

TEST_CASE("only stars are emulated, without traces and faults of hosts") {
  if (!stage_is_allowed()) return;
  const auto refused = [](const std::string& rest, const EmulateOptions& options = {}) {
    try {
      emulate(small_star(R"("gossip")", 2, 0, rest), options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string none = R"("model": "none", "stop": {"time": "1s"})";
  CHECK(refused(none + R"(, "record": {"trace": true})").find("$.record.trace") != std::string::npos);
  const std::string slowed = R"({"type": "host_slowed", "host": "w0", "from": "0s", "until": "1s", "factor": 2})";
  CHECK(refused(none + R"(, "faults": [)" + slowed + "]").find("$.faults[0].type") != std::string::npos);
  EmulateOptions options;
  options.limit_s = 0.5;
  CHECK(refused(none, options).find("$.stop.time") != std::string::npos);
  options.real_compute = true;
  options.limit_s = 60;
  CHECK(refused(none, options).find("$.model") != std::string::npos);
  options.real_compute = false;
  options.congestion_control = "wishful";
  CHECK(refused(none, options).find("--congestion wishful") != std::string::npos);
  scenario::Scenario ring = small_star(R"("gossip")", 4, 0, none);
  std::get<scenario::GeneratedPlatform>(ring.platform.hosts).topology = scenario::Topology::ring;
  CHECK_THROWS_WITH_AS(emulate(ring, {}), doctest::Contains("expected a star"), InputError);
}

}  // namespace ddl::emulate
