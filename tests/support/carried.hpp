// Messages through a network as a run has it: channels, ways of sharing, changes with time, and the plan's solver.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/network/network.hpp"
#include "sim/run/actors/platform_changes.hpp"
#include "tests/support/transfer.hpp"

namespace ddl {

class NobodyObserves final : public network::Observer {
 public:
  Handle begin_message(int, int, std::int64_t, double) override { return {}; }
  void end_message(const Handle&, int, int, double, network::MessageEnd) override {}
  void queue_changed(int, int, std::size_t) override {}
};

// When each message arrived. Messages of one pair are carried one after the other. In a process of its own. Before
// message i is sent, `before` may do something to the network.
inline std::vector<double> carried(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                                   const std::function<void(network::Network&, std::size_t i)>& before = nullptr) {
  platform::Fabric fabric(scenario);
  network::Quiescence quiescence;
  NobodyObserves observer;
  run::PlatformChanges changes(fabric);
  std::vector<double> times(messages.size(), -1);
  network::Network network(fabric, quiescence, observer, scenario.seed, 0, [&](Message message) {
    times[static_cast<std::size_t>(message.step)] = simgrid::s4u::Engine::get_clock();
  });
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return messages[i].start_s; });
  if (changes.has_links()) {
    simgrid_api::add_actor("changes", fabric.host(0), [&] { changes.play([] {}); })->daemonize();
  }
  simgrid_api::add_actor("sender", fabric.host(0), [&] {
    for (const std::size_t i : order) {
      const Sent& sent = messages[i];
      if (sent.start_s > simgrid::s4u::Engine::get_clock()) simgrid::s4u::this_actor::sleep_until(sent.start_s);
      if (before) before(network, i);
      Message message;
      message.source = sent.source;
      message.target = sent.target;
      message.step = static_cast<std::int64_t>(i);
      message.wire_bytes = static_cast<decltype(message.wire_bytes)>(sent.bytes);
      network.send(std::move(message));
    }
    for (int node = 0; node < fabric.node_count(); ++node) network.wait_until_all_delivered(node);
    network.stop();
  });
  fabric.engine().run();
  return times;
}

}  // namespace ddl
