// Ako with a P that follows the network: the content that every message must have, given the messages before it, and
// the P that the rule gives for rates known by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/systems/ako/ako.hpp"
#include "core/systems/ako/ako_plan.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::ako_accumulating_test {
namespace {

constexpr std::size_t parameters = 120;
constexpr double c = 0.1;

struct Run {
  std::vector<Message> sent;  // by worker 0
  double seconds = 0;         // until the last worker has ended; messages under way arrive later
};

// A program that records when it has ended.
class Timed final : public Program {
 public:
  Timed(std::unique_ptr<Program> program, const Node& node, double& ended_s)
      : program_(std::move(program)), node_(node), ended_s_(ended_s) {}
  void run() override {
    program_->run();
    ended_s_ = std::max(ended_s_, node_.now());
  }

 private:
  const std::unique_ptr<Program> program_;
  const Node& node_;
  double& ended_s_;
};

// Every gradient is 1 everywhere, so a sum counts its gradients. A model takes n_over_b seconds; "auto" would believe
// nominal_s.
Run run_of(AkoParams params, int workers, double nominal_s, double n_over_b, double latency_s, std::int64_t steps) {
  Cluster cluster;
  cluster.workers = workers;
  cluster.parameters = parameters;
  cluster.model_bytes = 1200;
  cluster.compute_s.assign(static_cast<std::size_t>(workers), c);
  cluster.exchange_s.assign(static_cast<std::size_t>(workers), nominal_s);
  LocalCluster local({.cluster = cluster,
                      .steps = steps,
                      .gradient = [](const Node&, auto) { return std::vector<float>(parameters, 1); },
                      .start = {},
                      .latency_s = latency_s,
                      .bytes_per_s = 1200 / n_over_b});
  double ended_s = 0;
  local.run([&](Node& node) { return std::make_unique<Timed>(params.program(node), node, ended_s); });
  return {local.node(0).sent, ended_s};
}

AkoParams adaptive(AkoSchedule schedule = AkoSchedule::rotate) {
  AkoParams params;
  params.partitions = {PartitionsFrom::measured};
  params.schedule = schedule;
  return params;
}

int last_partitions(const Run& run) {
  const auto last =
      std::find_if(run.sent.rbegin(), run.sent.rend(), [](const Message& m) { return m.is<PartOfSum>(); });
  return last->as<PartOfSum>().of;
}

}  // namespace

TEST_CASE("P is the exchange over the aimed share of a gradient's time, rounded up, and keeps a little too many") {
  CHECK(adapted_partitions(1, 1.0, 0.1, 0.9, 1e6) == 12);  // 11.1
  CHECK(adapted_partitions(12, 1.0, 0.1, 0.9, 1e6) == 12);
  CHECK(adapted_partitions(12, 0.9, 0.1, 0.9, 1e6) == 12);   // 10.0, more than nine tenths of 11
  CHECK(adapted_partitions(12, 0.88, 0.1, 0.9, 1e6) == 10);  // 9.8
  CHECK(adapted_partitions(12, 1.1, 0.1, 0.9, 1e6) == 13);   // 12.2: too few are never kept
  CHECK(adapted_partitions(3, 0.01, 0.1, 0.9, 1e6) == 1);
  CHECK(adapted_partitions(3, 1.0, 0.0, 0.9, 50) == 50);
  CHECK(adapted_partitions(3, 1e9, 0.1, 0.9, 50) == 50);
}

TEST_CASE("adaptive P comes to what the measured rate asks for, from both sides, whatever the latency") {
  for (const double nominal_s : {0.2, 4.0}) {     // P = 3 and 45 at first
    for (const double latency_s : {0.0, 0.03}) {  // per message
      CAPTURE(nominal_s);
      CAPTURE(latency_s);
      CHECK(last_partitions(run_of(adaptive(), 2, nominal_s, 1.0, latency_s, 90)) == 12);
    }
  }
}

TEST_CASE("every message brings its part up to date, exactly once, whatever P was when") {
  for (const auto schedule : {AkoSchedule::rotate, AkoSchedule::broadcast}) {
    for (const double nominal_s : {0.2, 1.0, 4.0}) {
      const Run run = run_of(adaptive(schedule), 3, nominal_s, 1.0, 0.01, 100);
      struct Delivered {
        std::vector<std::int64_t> upto = std::vector<std::int64_t>(parameters);  // gradients, per coordinate
      };
      std::map<int, Delivered> peers;
      std::map<int, std::vector<int>> counts;
      for (const Message& message : run.sent) {
        if (!message.is<PartOfSum>()) continue;
        const auto part = message.as<PartOfSum>();
        auto& upto = peers[message.target].upto;
        const Slice slice = even_part(parameters, part.of, part.part);
        REQUIRE(message.values->size() == slice.size());
        CHECK(message.wire_bytes == 10 * slice.size());
        std::int64_t oldest = message.step + 1;
        for (std::size_t i = slice.begin; i < slice.end; ++i) {
          oldest = std::min(oldest, upto[i]);
          REQUIRE((*message.values)[i - slice.begin] == static_cast<float>(message.step + 1 - upto[i]));
          upto[i] = message.step + 1;
        }
        CHECK(part.since == oldest);
        auto& of = counts[message.target];
        if (of.empty() || of.back() != part.of) of.push_back(part.of);
      }
      CHECK(peers.size() == 2);
      if (nominal_s != 1.0) CHECK(counts[1].size() >= 2);  // P has changed
      // The bounded delay: the last message is no older than the rounds before and under way take.
      for (const auto& [peer, delivered] : peers) CHECK(*std::ranges::min_element(delivered.upto) >= 100 - 3 * 12);
    }
  }
}

TEST_CASE("computing never waits for the network, however slow it is: what cannot leave accumulates") {
  for (const char* how : {"fixed", "auto", "adaptive", "codec"}) {
    CAPTURE(how);
    AkoParams params;
    if (how == std::string("auto")) params.partitions = {PartitionsFrom::described};
    if (how == std::string("adaptive")) params.partitions = {PartitionsFrom::measured};
    if (how == std::string("codec")) params.codec = codec::SignParams{};
    CHECK(run_of(params, 3, 0.5, 50.0, 0.01, 40).seconds == doctest::Approx(40 * c));
  }
  AkoParams waits;
  waits.overflow = Overflow::block;
  CHECK(run_of(waits, 3, 0.5, 50.0, 0.01, 40).seconds > 1000);
}

TEST_CASE("sums that wait to be encoded keep a staleness bound, and end") {
  AkoParams params;
  params.partitions.form = 3;
  params.codec = codec::SignParams{};
  params.staleness_bound = 2;
  const Run run = run_of(params, 3, 1.0, 30.0, 0.01, 30);
  // 40 signs and a scale are 72 of the model's 3840 bits, 22 bytes: 0.55 s each, five times a gradient.
  CHECK(run.seconds > 2 * 30 * c);
  std::int64_t last = -1;
  for (const Message& message : run.sent) last = std::max(last, message.step);
  CHECK(last >= 29);
}

}  // namespace ddl::systems::ako_accumulating_test
