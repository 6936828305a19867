// Messages through a network as a run has it: channels, ways of sharing, changes with time, and the plan's solver.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
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

struct Arrivals {
  std::vector<double> whole, first;  // -1: never; the second of messages with slices
};

// When each message arrived. Messages of one pair are carried one after the other. In a process of its own. Before
// message i is sent, `before` may do something to the network.
inline Arrivals carried_in_slices(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                                  const std::function<void(network::Network&, std::size_t i)>& before = nullptr) {
  platform::Fabric fabric(scenario);
  network::Quiescence quiescence;
  NobodyObserves observer;
  run::PlatformChanges changes(fabric);
  Arrivals times{std::vector<double>(messages.size(), -1), std::vector<double>(messages.size(), -1)};
  std::vector<std::shared_ptr<Relay>> relays(messages.size());
  network::Network network(fabric, quiescence, observer, scenario.seed, 0, [&](const Message& message) {
    const auto i = static_cast<std::size_t>(message.step);
    const bool is_whole = !message.relay || message.relay->whole_s < Relay::never;
    (is_whole ? times.whole : times.first)[i] = simgrid::s4u::Engine::get_clock();
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
      if (sent.first_bytes > 0) {
        relays[i] = std::make_shared<Relay>(Relay{static_cast<std::uint64_t>(sent.first_bytes)});
        if (sent.follows >= 0) relays[i]->follows = relays[static_cast<std::size_t>(sent.follows)];
        message.relay = relays[i];
      }
      network.send(std::move(message));
    }
    for (int node = 0; node < fabric.node_count(); ++node) network.wait_until_all_delivered(node);
    network.check_accounts();
    network.stop();
  });
  fabric.engine().run();
  return times;
}

inline std::vector<double> carried(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                                   const std::function<void(network::Network&, std::size_t i)>& before = nullptr) {
  return carried_in_slices(scenario, messages, before).whole;
}

}  // namespace ddl
