// A node's actors that wait for a message at a port or for a condition, and the messages that have arrived.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node/message.hpp"
#include "core/node/reason.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/run/actors/suspension_point.hpp"

namespace ddl::run {

class Simulation;

class WaitingActors {
 public:
  WaitingActors(Simulation& simulation, SuspensionPoint& point) : simulation_(simulation), point_(point) {}

  void deliver(Message message);
  // Suspend the calling actor; one may wait at a port at a time.
  Message receive(int port, const Reason& reason);
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason);
  void wait_until(const std::function<bool()>& holds, const Reason& reason);
  std::optional<Message> poll(int port);
  // Those that wait for a condition look at it again, once the calling actor waits.
  void notify();
  // Messages of membership that have arrived at the port go.
  void discard_events(int port);

  // All sleeping actors, to be woken because their host has crashed.
  std::vector<network::Signal*> take_all();
  void clear();  // once no actor is left
  void describe(std::vector<std::string>& lines, int node) const;

 private:
  struct Arrival {
    double time_s;
    Message message;
  };
  // An actor that is asleep, and why.
  struct Waiter {
    network::Signal* signal = nullptr;
    const Reason* reason = nullptr;
  };
  struct Inbox {
    std::deque<Arrival> arrivals;  // by time, then sender; a sender's in the order sent
    Waiter receiver;               // until something arrives
  };
  static Message take_first(Inbox& inbox);

  Simulation& simulation_;
  SuspensionPoint& point_;
  std::map<int, Inbox> inboxes_;
  std::vector<Waiter> waiters_;  // for conditions
};

}  // namespace ddl::run
