// Node over real TCP: one host's actors are threads that its monitor keeps from running at the same time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/emulate/monitor.hpp"
#include "sim/experiment/learning_node.hpp"

namespace ddl::emulate {

class Emulation;

class EmulatedNode : public experiment::LearningNode {
 public:
  // No other node has this cluster: the graphs in it are drawn when first asked for.
  EmulatedNode(Emulation& emulation, const Cluster& own, int id, const Payload& start);

  double now() const override;

  bool next_step() override;
  bool run_goes_on() const override;
  void finish_step() override;
  void record_staleness(int worker, std::int64_t step, double staleness) override;

  Payload gradient() override;
  void compute(double seconds) override;

  void send(int target, Message message) override;
  std::size_t waiting(int target) const override;
  bool merge_into_waiting(int target, const Message& message) override;
  void wait_for_room(int target, std::size_t depth) override;
  void wait_until_delivered(int target) override;
  Message receive(int port) override;
  std::optional<Message> receive_for(int port, double seconds) override;
  std::optional<Message> poll(int port) override;

  void spawn(const std::string& name, std::function<void()> body) override;
  void wait_until(std::function<bool()> holds, const char* why) override;
  void changed() override { monitor_.wake(); }
  // Hosts neither come nor go here.
  Presence presence(int) const override { return Presence::up; }
  void watch(int) override {}
  void unwatch(int) override {}
  std::int64_t presence_events() const override { return 0; }
  bool needs_model() const override { return false; }

  // --- for the emulation, which holds the monitor or has joined all threads ---
  struct StalenessNote {
    int worker;
    std::int64_t step;
    double staleness;
  };
  // How long after their time sleeps ended.
  struct Lateness {
    std::int64_t count = 0;
    double sum_s = 0, max_s = 0;
  };
  Monitor& monitor() { return monitor_; }
  Payload copy_of_weights();  // shared with nobody; null when timing only
  const std::vector<StalenessNote>& staleness_notes() const { return staleness_notes_; }
  const Lateness& lateness() const { return lateness_; }
  double last_event_s() const { return last_event_s_; }  // a step's end, a sleep's, an arrival

  void deliver(Message message);  // takes the monitor itself

 private:
  void sleep(double seconds, const std::function<bool()>& cut_short, const char* what);
  static Message take_first(std::deque<Message>& inbox);
  const std::string& name() const;

  Emulation& emulation_;
  Monitor monitor_;
  double last_event_s_ = 0;
  std::vector<StalenessNote> staleness_notes_;  // of other nodes' steps, which belong to their monitors
  Lateness lateness_;
  std::map<int, std::deque<Message>> inboxes_;  // by port, in order of arrival
};

}  // namespace ddl::emulate
