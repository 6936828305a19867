// The runs that begin while a budget lasts.
#include "sim/advise/budget.hpp"

#include <doctest/doctest.h>

#include "tests/advise/results_below.hpp"
#include "tests/support/files.hpp"

namespace ddl::advise {
namespace {

// Each run takes as much of the budget, by a clock that counts results.
class CountedBudget {
 public:
  explicit CountedBudget(double share, int at_once = 1) : share_(share), at_once_(at_once) {
    const std::string text = R"({"platform": {"workers": 2, "bandwidth": "1Gbps"}, "model": "softmax",
        "data": {"train": 100, "test": 10}, "compute": {"seconds_per_batch": "1s"}, "algorithm": "alone",
        "stop": {"time": "2s"}})";
    base_ = {text, "f.json", {}, "f", scratch_.path() / "runs"};
  }
  RunGroup group(std::size_t scheme, std::vector<std::uint64_t> seeds, double begin_before = 1, double length = 1,
                 std::vector<scenario::Override> more = {}) {
    RunGroup group{{}, begin_before};
    for (const std::uint64_t seed : seeds) {
      const std::string rate = std::to_string(0.5 + static_cast<double>(scheme));
      group.runs.push_back(
          {{trials_.point(base_, joined({{"training.optimizer.learning_rate", rate}}, more)), seed}, scheme, length});
    }
    return group;
  }
  bool has(const RunGroup& group) {
    for (const BudgetedRun& run : group.runs) {
      if (trials_.known(run.trial) == nullptr) return false;
    }
    return true;
  }
  std::size_t run(const std::vector<RunGroup>& groups) { return budget_.run(trials_, groups, {at_once_}); }
  const Budget& budget() const { return budget_; }

 private:
  double share_;
  int at_once_;
  TemporaryFolder scratch_;
  Base base_;
  Trials trials_{systems::built_in(), Goal{}};
  Budget budget_{[this] { return share_ * static_cast<double>(results_below(scratch_.path())); }, at_once_};
};

}  // namespace

TEST_CASE("a group that would not end in time is not begun, and one that is begun is made whole") {
  CountedBudget counted(0.2);
  const RunGroup one = counted.group(0, {1}), three = counted.group(0, {2, 3, 4}), two = counted.group(0, {5, 6});
  CHECK(counted.budget().cost(0) == 0);
  CHECK(counted.run({one}) == 1);
  CHECK(counted.budget().cost(0) == doctest::Approx(0.2));
  CHECK(counted.budget().cost(0, 0.25) == doctest::Approx(0.05));
  CHECK(counted.budget().cost(three.runs) == doctest::Approx(0.6));
  // 0.2 are spent: three runs end at 0.8, and the last two, which would end at 1.2, are left out.
  CHECK(counted.run({three, two}) == 3);
  CHECK(counted.has(three));
  CHECK_FALSE(counted.has(two));
  CHECK(counted.run({three}) == 0);
}

TEST_CASE("the cost of a partial run predicts that of a whole one, until there was one") {
  CountedBudget counted(0.2);
  counted.run({counted.group(0, {1}, 1, 0.25)});
  CHECK(counted.budget().cost(0) == doctest::Approx(0.8));
  // Then a whole run is expected to take 0.8, and 0.2 are spent; one takes no more than a short one here.
  counted.run({counted.group(0, {2})});
  CHECK(counted.budget().cost(0) == doctest::Approx(0.2));
  // So a run costs only its start, another scheme's too.
  counted.run({counted.group(1, {1}, 1, 0.25)});
  CHECK(counted.budget().cost(1) == doctest::Approx(0.2));
}

TEST_CASE("a run that ended early tells what one as long costs") {
  CountedBudget counted(0.2);
  counted.run(
      {counted.group(0, {1}, 1, 1, {{"stop.iterations", "1"}, {"compute.jitter", "0"}})});  // one of two seconds
  CHECK(counted.budget().cost(0) == doctest::Approx(0.4));
}

TEST_CASE("a group for which it is too late is not begun, and one in time goes on beyond that") {
  CountedBudget counted(0.1);
  const RunGroup early = counted.group(0, {1, 2, 3, 4}, 0.3), late = counted.group(1, {1}, 0.3);
  CHECK(counted.run({early, late}) == 4);
  CHECK(counted.has(early));
  CHECK_FALSE(counted.has(late));
}

TEST_CASE("three equal runs on two cores take as long as two, and are begun only where that fits") {
  CountedBudget counted(0.38, 2);
  counted.run({counted.group(0, {1})});
  const RunGroup three = counted.group(0, {2, 3, 4}), two = counted.group(0, {5, 6});
  CHECK(counted.budget().cost(three.runs) == doctest::Approx(0.76));
  // 0.38 are spent: three would end at 1.14, two side by side end at 0.76.
  CHECK(counted.run({three}) == 0);
  CHECK(counted.run({two}) == 2);
}

TEST_CASE("runs still at work count when a group is begun") {
  CountedBudget counted(0.38, 2);
  counted.run({counted.group(0, {1})});
  // The one takes a core until 0.76. The two could begin on the other at 0.38, and the last of them would end at 1.14.
  const RunGroup one = counted.group(0, {2}), two = counted.group(0, {3, 4});
  CHECK(counted.run({one, two}) == 1);
  CHECK(counted.has(one));
  CHECK_FALSE(counted.has(two));
}

TEST_CASE("a group leaves of the budget what it must leave") {
  CountedBudget counted(0.2);
  counted.run({counted.group(0, {1})});
  // 0.2 are spent, and a run ends at 0.4: less than 0.7 are left then, but more than 0.5.
  RunGroup much = counted.group(0, {2}), little = counted.group(0, {3});
  much.leave = 0.7, little.leave = 0.5;
  CHECK(counted.run({much, little}) == 1);
  CHECK_FALSE(counted.has(much));
  CHECK(counted.has(little));
}

}  // namespace ddl::advise
