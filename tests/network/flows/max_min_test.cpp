// The sharing of links against the definition of max-min fairness, while flows come and go.
#include "sim/network/flows/max_min.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/rng.hpp"

using namespace ddl;
using namespace ddl::network;
using namespace ddl::network::flows;

namespace {

struct NullListener : MaxMin::Listener {
  void before_level(int) override {}
  void after_level(int) override {}
  void before_binding(int) override {}
  void after_binding(int) override {}
};

struct Wish {
  std::vector<Use> uses;
  double penalty = 1, bound = MaxMin::never;
};

// Progressive filling, as in the textbook: raise all levels together, and freeze a flow that meets a full link or its
// bound.
std::map<int, double> filled(const std::vector<double>& capacities, const std::map<int, Wish>& flows) {
  std::map<int, double> rates;
  std::vector<double> left = capacities;
  while (rates.size() < flows.size()) {
    std::vector<double> weight(capacities.size());
    double level = MaxMin::never;
    for (const auto& [flow, wish] : flows) {
      if (rates.contains(flow)) continue;
      level = std::min(level, wish.bound * wish.penalty);
      for (const Use& use : wish.uses) weight[static_cast<std::size_t>(use.link)] += use.use / wish.penalty;
    }
    for (std::size_t l = 0; l < left.size(); ++l) {
      if (weight[l] > 0) level = std::min(level, left[l] / weight[l]);
    }
    std::vector<int> stuck;
    for (const auto& [flow, wish] : flows) {
      if (rates.contains(flow)) continue;
      bool is_stuck = wish.bound * wish.penalty <= level * (1 + 1e-12);
      for (const Use& use : wish.uses) {
        const auto l = static_cast<std::size_t>(use.link);
        is_stuck = is_stuck || left[l] / weight[l] <= level * (1 + 1e-12);
      }
      if (is_stuck) stuck.push_back(flow);
    }
    for (const int flow : stuck) {
      const Wish& wish = flows.at(flow);
      rates[flow] = level / wish.penalty;
      for (const Use& use : wish.uses) left[static_cast<std::size_t>(use.link)] -= use.use * rates[flow];
    }
  }
  return rates;
}

void check_against_filling(const std::vector<double>& capacities, const std::map<int, Wish>& flows,
                           const MaxMin& sharing) {
  const auto rates = filled(capacities, flows);
  double worst = 0;
  for (const auto& [flow, rate] : rates) worst = std::max(worst, std::abs(sharing.rate(flow) / rate - 1));
  CHECK(worst < 1e-6);
}

}  // namespace

TEST_CASE("n flows through one link get an nth of it each, however many there are") {
  for (const int n : {1, 4, 3000}) {
    NullListener null_listener;
    MaxMin sharing({12e6}, null_listener);
    for (int i = 0; i < n; ++i) sharing.add({{0, 1}}, 0.02, MaxMin::never);
    sharing.settle();
    for (int i = 0; i < n; ++i) CHECK(sharing.rate(i) == doctest::Approx(12e6 / n).epsilon(1e-9));
  }
}

TEST_CASE("whatever comes and goes on networks of every shape, rates are those of progressive filling") {
  for (std::uint64_t seed = 1; seed <= 420; ++seed) {
    const bool large = seed > 400;
    ddl::Stream random = ddl::stream(seed, "test", "network");
    const auto hosts = static_cast<int>(large ? 20 + random.below(60) : 2 + random.below(12));
    const bool hub = seed % 3 == 0, acknowledge = seed % 2 == 0, equal = seed % 5 == 0;
    std::vector<double> capacities;  // up, down of each host
    for (int link = 0; link < 2 * hosts; ++link) capacities.push_back(equal ? 4 : 1 + 9 * random.uniform());
    if (hub) capacities[0] = capacities[1] = 20;
    NullListener null_listener;
    MaxMin sharing(capacities, null_listener);
    std::map<int, Wish> flows;
    for (int turn = 0; turn < 150; ++turn) {
      for (std::uint64_t change = 0; change <= random.below(large ? 30 : 4); ++change) {
        if (!flows.empty() && random.below(100) < (turn < 100 ? 37 : 70)) {
          auto victim = flows.begin();
          std::advance(victim, static_cast<long>(random.below(flows.size())));
          sharing.remove(victim->first);
          flows.erase(victim);
          continue;
        }
        const int a = hub ? 0 : static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
        const int b = (a + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(hosts - 1)))) % hosts;
        const bool back = hub && random.below(2) == 1;
        const int source = back ? b : a, target = back ? a : b;
        Wish wish{{{2 * source, 1}, {2 * target + 1, 1}}, equal ? 1 : 0.5 + random.uniform(), MaxMin::never};
        if (acknowledge) wish.uses.insert(wish.uses.end(), {{2 * target, 0.05}, {2 * source + 1, 0.05}});
        if (random.below(5) == 0) wish.bound = 0.1 + 3 * random.uniform();
        flows[sharing.add(wish.uses, wish.penalty, wish.bound)] = wish;
      }
      sharing.settle();
      check_against_filling(capacities, flows, sharing);
    }
  }
}

// Every change moves the level of every link, and most of them not far.
TEST_CASE("where all send to all and flows come and go one by one, rates are those of progressive filling") {
  constexpr int hosts = 24;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    ddl::Stream random = ddl::stream(seed, "test", "all to all");
    const bool equal_links = seed % 2 == 0, equal_flows = seed % 3 == 0, acknowledge = seed % 4 < 2, bounded = seed > 6;
    std::vector<double> capacities;  // up, down of each host, and one that only some take
    for (int link = 0; link < 2 * hosts; ++link) capacities.push_back(equal_links ? 4 : 1 + 3 * random.uniform());
    capacities.push_back(seed % 5 == 0 ? 20 : 1e3);
    NullListener null_listener;
    MaxMin sharing(capacities, null_listener);
    std::map<int, Wish> flows;
    const auto wish_between = [&](int source, int target) {
      const double penalty = equal_flows ? 1 : 1.0 / static_cast<double>(1 + random.below(4));
      Wish wish{{{2 * source, 1}, {2 * target + 1, 1}}, penalty, MaxMin::never};
      if (acknowledge) wish.uses.insert(wish.uses.end(), {{2 * target, 0.05}, {2 * source + 1, 0.05}});
      if ((source < hosts / 2) != (target < hosts / 2)) wish.uses.push_back({2 * hosts, 1});
      if (source == 0 && target == 1) wish.uses.resize(1);
      if (bounded && random.below(4) == 0) wish.bound = 0.05 + 0.3 * random.uniform();
      return wish;
    };
    const auto add = [&](const Wish& wish) { flows[sharing.add(wish.uses, wish.penalty, wish.bound)] = wish; };
    for (int source = 0; source < hosts; ++source) {
      for (int target = 0; target < hosts; ++target) {
        if (source != target) add(wish_between(source, target));
      }
    }
    for (int turn = 0; !flows.empty(); ++turn) {
      sharing.settle();
      if (turn % 16 == 0) check_against_filling(capacities, flows, sharing);
      const auto victim = std::next(flows.begin(), static_cast<long>(random.below(flows.size())));
      const Wish gone = victim->second;
      sharing.remove(victim->first);
      flows.erase(victim);
      if (random.below(3) == 0) add(gone);
      if (turn % 50 == 49) {
        const std::size_t link = random.below(capacities.size());
        capacities[link] *= 0.5 + random.uniform();
        sharing.set_capacity(static_cast<int>(link), capacities[link]);
      }
    }
  }
}

TEST_CASE("a change that moves all levels looks at each flow a few times, however many there are") {
  for (const int hosts : {20, 80}) {
    CAPTURE(hosts);
    ddl::Stream random = ddl::stream(1, "test", "visits");
    NullListener null_listener;
    MaxMin sharing(std::vector<double>(static_cast<std::size_t>(2 * hosts), 4), null_listener);
    std::vector<int> flows;
    for (int source = 0; source < hosts; ++source) {
      for (int target = 0; target < hosts; ++target) {
        if (source == target) continue;
        const double penalty = 1.0 / static_cast<double>(1 + random.below(4));
        flows.push_back(sharing.add({{2 * source, 1}, {2 * target + 1, 1}}, penalty, MaxMin::never));
      }
    }
    sharing.settle();
    const std::int64_t before = sharing.visits();
    constexpr int changes = 200;
    for (int change = 0; change < changes; ++change) {
      const std::size_t victim = random.below(flows.size());
      sharing.remove(flows[victim]);
      flows.erase(flows.begin() + static_cast<long>(victim));
      sharing.settle();
    }
    const auto visits = static_cast<double>(sharing.visits() - before) / changes;
    CHECK(visits < 5.0 * hosts * (hosts - 1));
  }
}
