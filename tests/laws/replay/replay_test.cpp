// Replays of a run's learning by runs that take other times (Learned): systems with settings of their own, a
// language model, and a system that should not have said that it learns the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "core/systems/neighbours/gossip.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/support/keeps.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::replay_test {
namespace {

std::string text_with(const std::string& algorithm, const std::string& rest = R"("model": "mlp", "data": {"train": 400,
                                                                                  "test": 100})") {
  return fmt::format(R"({{"name": "law", "platform": {{"topology": "two_sites", "workers": 4, "bandwidth": "50Mbps"}},
                          "wire": {{"model_bytes": "400kB"}}, "compute": {{"seconds_per_batch": "100ms"}}, "training":
                          {{"batch_size": 8, "optimizer": {{"type": "momentum", "learning_rate": 0.05}}}},
                          "algorithm": {}, "stop": {{"iterations": 12}}, {}}})",
                     algorithm, rest);
}

// Merges models in the order in which they come.
struct HastyParams : SystemOf<HastyParams, systems::GossipParams> {
  static constexpr SystemFacts facts{.name = "hasty", .what = "gossip", .timing_independent = true};
};
template <class Visitor>
void fields(Visitor&, HastyParams&) {}

laws::Verdict judged(const laws::Subject& subject) {
  return laws::judge(*std::ranges::find(laws::all(), std::string_view("replay"), &laws::Law::name), subject);
}

}  // namespace

TEST_CASE("a replay is the run, to the byte, whatever the settings of a system") {
  for (const char* algorithm : {
           R"({"name": "ring_allreduce", "overlap": "layers"})",
           R"({"name": "ring_allreduce", "overlap": "backward", "bucket_bytes": "50kB"})",
           R"({"name": "tree_allreduce", "codec": {"type": "qsgd"}})",
           R"({"name": "hierarchical_allreduce", "codec": {"type": "top_k", "fraction": 0.1}})",
           R"({"name": "butterfly_allreduce", "parts": "by_rate"})",
           R"({"name": "partial_allreduce", "partitions": 3, "collective": "tree"})",
           R"({"name": "local_sgd", "local_steps": 3, "local_from": 4, "collective": "hierarchical"})",
           R"({"name": "diloco", "sync_every": 4, "fragments": 2, "fragment_sync_delay": 1})",
           R"({"name": "diloco", "sync_every": 3, "eager": true, "overlap": "none"})",
           R"({"name": "diloco", "sync_every": 4, "codec": {"type": "e3m0"}, "outer": {"type": "sgd"}})",
           R"({"name": "diloco", "sync_every": 4, "replica": "site"})",
           R"({"name": "d_psgd", "overlap": true, "topology": "complete"})",
           R"({"name": "sgp", "topology": "ring"})",
           R"({"name": "choco", "codec": "random_k"})",
       }) {
    CAPTURE(algorithm);
    CHECK(check_keeps("replay", laws::Subject(systems::built_in(), text_with(algorithm), "law.json")) ==
          laws::Outcome::holds);
  }
}

TEST_CASE("a language model is replayed, too, under a schedule and clipped") {
  const data::ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>('a' + (i * i / 7) % 5);
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  const std::string rest = fmt::format(
      R"("model": {{"name": "gpt", "layers": 2, "heads": 2, "width": 16, "context": 8}},
         "data": {{"source": "text", "path": "{}"}}, "training": {{"batch_size": 4, "optimizer": {{"type": "adamw",
         "learning_rate": 0.01, "clip_norm": 1, "warmup_steps": 3, "schedule": {{"type": "cosine", "floor": 0.1}}}}}})",
      folder.file("text"));
  for (const char* algorithm : {R"({"name": "diloco", "sync_every": 5})", R"({"name": "d_psgd"})"}) {
    CAPTURE(algorithm);
    std::string scenario = text_with(algorithm, rest);
    const std::size_t begin = scenario.find(R"("training")");
    scenario.erase(begin, scenario.find(R"("algorithm")") - begin);
    CHECK(check_keeps("replay", laws::Subject(systems::built_in(), scenario, "law.json")) == laws::Outcome::holds);
  }
}

TEST_CASE("codecs whose sizes follow from values, and parts that come late, are never replayed") {
  for (const char* algorithm :
       {R"({"name": "ring_allreduce", "codec": {"type": "mean_threshold"}})", R"({"name": "sgp", "overlap": true})"}) {
    const laws::Subject subject(systems::built_in(), text_with(algorithm), "law.json");
    CHECK(judged(subject).outcome == laws::Outcome::does_not_apply);
  }
}

TEST_CASE("a system that merges what comes first, and says that it learns the same at all times, is found out") {
  Registry systems;
  systems.add<HastyParams>();
  const laws::Verdict verdict = judged(laws::Subject(systems, text_with(R"("hasty")"), "law.json"));
  CHECK(verdict.outcome == laws::Outcome::fails);
  CHECK_MESSAGE(verdict.why == "it learns other things at other times", verdict.why);
}

TEST_CASE("each worker is judged by its model after its own steps, and the rows come when the last has taken them") {
  const auto judged_at = [](const char* slowdown) {
    auto scenario = learning(R"("alone")", 3, 0, R"("data": {"train": 300, "test": 100}, "stop": {"iterations": 12},
                                                    "evaluate": {"every_iterations": 4}, "training": {"batch_size": 5})");
    scenario.compute.jitter = 0.3;
    scenario.compute.slowdown["w1"] = std::stod(slowdown);
    return run::run(scenario);
  };
  const run::RunResult even = judged_at("1"), uneven = judged_at("4");
  REQUIRE(even.curve.size() == uneven.curve.size());
  for (std::size_t i = 0; i < even.curve.size(); ++i) {
    CHECK(even.curve[i].test_loss == uneven.curve[i].test_loss);
    CHECK(even.curve[i].train_loss == uneven.curve[i].train_loss);
    CHECK(uneven.curve[i].iteration == 4 * static_cast<double>(std::min<std::size_t>(i / 5, 3)));
    CHECK(uneven.curve[i].time_s >= even.curve[i].time_s);
  }
  CHECK(uneven.curve[5].time_s == ends_of(uneven, 1)[3]);
}

}  // namespace ddl::replay_test
