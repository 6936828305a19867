// Schedule of DiLoCo's sends and applications, without a run.
#include "core/systems/diloco/fragment_schedule.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace ddl::systems::fragment_schedule_test {
namespace {

DilocoParams settings(int sync_every, int fragments, FragmentPhase phase, int delay) {
  DilocoParams params;
  params.sync_every = sync_every;
  params.fragments = fragments;
  params.phase = phase;
  params.fragment_sync_delay = delay;
  params.fill_defaults(nullptr);
  return params;
}

// Five layers, each a bucket of its own, because their sums take no latencies.
const Cluster layered{.workers = 2,
                      .parameters = 10,
                      .model_bytes = 40,
                      .layers = {{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}, {{8, 10}}},
                      .compute_s = {1, 1},
                      .sum_phases = {{.messages = 1, .bytes_s = 1, .bytes = 40}}};

}  // namespace

TEST_CASE(
    "fragment k + 1 mod P leaves after step (k + 1) H / P and is applied tau steps on, torchft's k mod P before") {
  const FragmentSchedule paper(settings(10, 3, FragmentPhase::paper, 2), {.workers = 2, .parameters = 9});
  const FragmentSchedule torchft(settings(12, 3, FragmentPhase::torchft, 2), {.workers = 2, .parameters = 9});
  for (std::int64_t k = 0; k < 9; ++k) {
    CHECK(paper.sent_after(k) == (k + 1) * 10 / 3);
    CHECK(paper.applied_after(k) == paper.sent_after(k) + 2);
    CHECK(paper.units(k).front().number == static_cast<std::size_t>((k + 1) % 3));
    CHECK(torchft.applied_after(k) == (k + 1) * 4);
    CHECK(torchft.sent_after(k) == torchft.applied_after(k) - 2);
    CHECK(torchft.units(k).front().number == static_cast<std::size_t>(k % 3));
  }
  DilocoParams eager = settings(10, 3, FragmentPhase::paper, 0);
  eager.eager = true;
  CHECK(FragmentSchedule(eager, {.workers = 2, .parameters = 9}).applied_after(4) == 5 * 10 / 3);
}

TEST_CASE("every unit that is sent is applied once, those of a round in the opposite order") {
  for (const int fragments : {1, 2, 3}) {
    const FragmentSchedule schedule(settings(6, fragments, FragmentPhase::paper, 0), layered);
    CHECK(schedule.parts().size() == 5);
    CHECK(schedule.sums_of_a_cycle() == 5);
    std::vector<std::int64_t> applied;  // sums of the round under way
    std::set<std::int64_t> all;
    for (std::int64_t n = 0; n < 20; ++n) {
      const Turn sent = schedule.sent(n), turn = schedule.applied(n);
      CHECK(sent.sum == n);
      CHECK(sent.round == turn.round);
      CHECK(schedule.first_sum(sent.round) <= n);
      CHECK(sent.unit == schedule.sent(n + 5).unit);  // the same part again, a cycle later
      CHECK(turn.unit == schedule.sent(turn.sum).unit);
      applied.push_back(turn.sum);
      CHECK(all.insert(turn.sum).second);
      CHECK(turn.is_last == sent.is_last);
      if (!turn.is_last) continue;
      CHECK(applied.size() == schedule.units(turn.round).size());
      CHECK(std::vector(applied.rbegin(), applied.rend()).front() == schedule.first_sum(turn.round));
      applied.clear();
    }
    CHECK(all.size() == 20);
  }
}

}  // namespace ddl::systems::fragment_schedule_test
