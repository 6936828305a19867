// Messages that count as several flows, on both transports, against hand calculations.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <simgrid/kernel/Timer.hpp>
#include <vector>

#include "sim/network/transports/flow_transport.hpp"
#include "sim/network/transports/simgrid_transport.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/transfer.hpp"

using namespace ddl;

using nlohmann::json;

namespace {

struct Weighted {
  int source = 0, target = 0;
  double bytes = 0;
  int flows = 1;
};

// When each has ended; all start at once.
json ends(const scenario::Scenario& scenario, const std::vector<Weighted>& messages) {
  return forked([&] {
    platform::Fabric fabric(scenario);
    network::Quiescence quiescence;
    std::vector<network::Transmission> transmissions(messages.size());
    std::vector<double> times(messages.size());
    std::size_t left = messages.size();
    simgrid::s4u::SemaphorePtr all = simgrid::s4u::Semaphore::create(0);
    std::unique_ptr<network::Transport> transport;
    std::function<void()> look = [&] {
      for (const network::Transmission* ended : transport->take_ended()) {
        times[static_cast<std::size_t>(ended - transmissions.data())] = simgrid::s4u::Engine::get_clock();
        if (--left == 0) all->release();
      }
      const double next_s = transport->next_end_s();
      if (next_s < network::Transport::never) simgrid::kernel::timer::Timer::set(next_s, [&] { look(); });
    };
    const auto soon = [&] { simgrid::kernel::timer::Timer::set(simgrid::s4u::Engine::get_clock(), [&] { look(); }); };
    if (fabric.network_plan().carried_by == platform::CarriedBy::accelerator) {
      transport = std::make_unique<network::FlowTransport>(fabric, soon);
    } else {
      transport = std::make_unique<network::SimgridTransport>(fabric, quiescence, soon);
    }
    simgrid::kernel::timer::Timer::set(0, [&] {
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto [source, target, bytes, flows] = messages[i];
        transmissions[i] = {
            .pair = {source, target}, .route = fabric.find_route(source, target), .bytes = bytes, .flows = flows};
        transport->start({&transmissions[i]});
      }
      look();
    });
    simgrid_api::add_actor("waits", fabric.host(0), [&] { all->acquire(); });
    fabric.engine().run();
    return json(times);
  });
}

void check_ends(const scenario::Scenario& scenario, const std::vector<Weighted>& messages,
                const std::vector<double>& expected) {
  for (const auto solver : {scenario::LinkSolver::simgrid, scenario::LinkSolver::accelerator}) {
    CAPTURE(static_cast<int>(solver));
    scenario::Scenario solved = scenario;
    solved.platform.network.solver = solver;
    const json times = ends(solved, messages);
    REQUIRE_MESSAGE(times.is_array(), times.dump());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(times[i].get<double>() == doctest::Approx(expected[i]).epsilon(1e-9));
    }
  }
}

// 10 MB/s at each host.
scenario::Scenario star(double latency_s = 0) {
  return on_platform({.workers = 5, .bandwidth = {{1e7}}, .latency = {latency_s}});
}

}  // namespace

TEST_CASE("a message that counts as three flows has three quarters of a link, one that counts as one a quarter") {
  // 7.5 and 2.5 MB/s; the second has 4 MB through when the first ends, and then the whole link for the other 8.
  check_ends(star(), {{0, 2, 12e6, 3}, {1, 2, 12e6, 1}}, {1.6, 2.4});
  check_ends(star(0.5), {{0, 2, 12e6, 3}, {1, 2, 12e6, 1}}, {2.1, 2.9});
}

TEST_CASE("messages that count as one, two and three flows end when weighted shares say") {
  // Sixths of 10 MB/s: 12 MB at half of it end at 2.4 s, when 4 and 8 MB of the others are through; then thirds: 4 MB
  // at two thirds end 0.6 s later, when 6 MB of the last are through; 6 MB at 10 MB/s take another 0.6 s.
  check_ends(star(), {{0, 4, 12e6, 1}, {1, 4, 12e6, 2}, {2, 4, 12e6, 3}}, {3.6, 3.0, 2.4});
}

TEST_CASE("alone, a message takes as long whatever it counts as") {
  for (int flows = 1; flows <= 4; ++flows) {
    check_ends(star(0.1), {{0, 1, 12e6, flows}}, {1.3});
  }
}

TEST_CASE("a message's flows share its window") {
  // 1 MB per round trip of 0.4 s.
  scenario::Scenario scenario = star(0.2);
  scenario.platform.network.tcp_window = {1e6};
  for (int flows = 1; flows <= 4; ++flows) {
    check_ends(scenario, {{0, 1, 12e6, flows}}, {0.2 + 12e6 / 2.5e6});
  }
}

TEST_CASE("a message that cannot be divided into whole bytes is carried as the next that can") {
  check_ends(star(), {{0, 1, 10, 4}}, {12 / 1e7});
}

TEST_CASE("a fat pipe gives a message as much whatever it counts as") {
  const scenario::Scenario scenario = on_file("fat_pipes.xml");
  // Over fat pipes only; the last also over a wider plain link.
  for (int flows = 1; flows <= 4; ++flows) {
    check_ends(scenario, {{0, 1, 12e6, flows}, {0, 1, 12e6, 1}, {2, 4, 12e6, flows}}, {12.02, 12.02, 24.002});
  }
}
