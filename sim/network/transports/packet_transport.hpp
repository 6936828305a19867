// Messages that travel packet by packet: the network model "packets".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "sim/network/packets/packet_network.hpp"
#include "sim/network/packets/turns.hpp"
#include "sim/network/transports/transport.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class PacketTransport : public Transport {
 public:
  // `sooner` is called when next_end_s() may have changed on its own.
  PacketTransport(platform::Fabric& fabric, std::uint64_t seed, std::function<void()> sooner);

  void start(const std::vector<Transmission*>& transmissions) override;
  void expect(const Transmission& transmission, double first_bytes, double rest_bytes) override;
  double cancel(Transmission& transmission) override;
  void forget(int node) override;
  double remaining_bytes(const Transmission& transmission) const override;
  std::vector<Transmission*> take_ended() override;
  double next_end_s() override { return network_.next_end_s(); }
  void stop() override { stopped_ = true; }

 private:
  // The first of a pair's, which are numbered on.
  int connection_of(const Pair& pair) const {
    return (pair.source * fabric_.node_count() + pair.target) * connections_;
  }
  template <class Use>
  void for_each_of(int first, Use use) const {
    for (int i = first; i < first + connections_; ++i) use(i);
  }
  struct Way {
    std::vector<int> there, back;  // lines
  };
  const Way& way(const Transmission& transmission);
  std::vector<int> lines_on(const platform::Route& route);
  int add_line(int link);
  void follow(int link, int line);
  void change(int link);

  platform::Fabric& fabric_;
  const std::uint64_t seed_;
  const int connections_;                   // between two nodes: a message is cut over them
  std::vector<packets::Turns> turns_;       // by node
  mutable packets::PacketNetwork network_;  // processes due events when it is asked
  std::vector<std::vector<int>> lines_;     // by link: one, or of a fat pipe one for each connection that has it
  std::map<int, Way> ways_;                 // by first connection: kept when it is opened again
  struct Carried {
    Transmission* message = nullptr;
    int parts = 0;  // under way
  };
  std::vector<Carried> carried_;  // by pair
  bool stopped_ = false;
};

}  // namespace ddl::network
