#include <doctest/doctest.h>

#include <limits>

#include "core/systems/ako/ako_progress.hpp"

using namespace ddl;
using namespace ddl::systems;

namespace {

constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

AkoPlan plan_of(int partitions, AkoSchedule schedule) {
  Cluster cluster;
  cluster.workers = 4;
  cluster.parameters = 100;
  AkoParams params;
  params.partitions.form = partitions;
  params.schedule = schedule;
  return {params, cluster};
}

}  // namespace

TEST_CASE("a step counts as heard once it and all before it have come, whichever part comes first") {
  const AkoPlan plan = plan_of(3, AkoSchedule::broadcast);
  ReceivedSteps steps_received(plan, 0, 2);
  CHECK(steps_received.steps() == 0);
  steps_received.note(1, 1);  // overtakes step 0
  CHECK(steps_received.steps() == 0);
  steps_received.note(0, 0);
  CHECK(steps_received.steps() == 2);
  steps_received.note(0, 3);
  CHECK(steps_received.steps() == 2);
  steps_received.note(2, 2);
  CHECK(steps_received.steps() == 4);
}

TEST_CASE("a merged message stands for all its part's steps before it, and for no other part's") {
  const AkoPlan plan = plan_of(2, AkoSchedule::broadcast);
  ReceivedSteps steps_received(plan, 0, 1);
  steps_received.note(0, 4);  // steps 0, 2 and 4 in one
  CHECK(steps_received.steps() == 1);
  steps_received.note(1, 3);  // steps 1 and 3
  CHECK(steps_received.steps() == 5);
}

TEST_CASE("rotation starts elsewhere for each peer") {
  const AkoPlan plan = plan_of(3, AkoSchedule::rotate);
  ReceivedSteps steps_received(plan, 0, 2);  // rank 1: parts 1, 2, 0, 1, ...
  steps_received.note(1, 0);
  steps_received.note(2, 1);
  CHECK(steps_received.steps() == 2);
}

TEST_CASE("nothing more is awaited from a peer that has left, once its last messages have come") {
  const AkoPlan plan = plan_of(2, AkoSchedule::broadcast);
  ReceivedSteps steps_received(plan, 0, 1);
  steps_received.note(0, 0);
  steps_received.note_last(2);  // the leave overtakes step 1
  CHECK(steps_received.steps() == 1);
  steps_received.note(1, 1);
  CHECK(steps_received.steps() == all);
  ReceivedSteps silent(plan, 3, 1);
  silent.note_last(0);
  CHECK(silent.steps() == all);
}
