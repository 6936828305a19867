// Node over real TCP: one host's actors are threads that its monitor keeps from running at the same time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/emulate/monitor.hpp"
#include "sim/run/learning/learning_node.hpp"
#include "sim/run/learning/trainer.hpp"

namespace ddl::emulate {

class Emulation;

class EmulatedNode : public run::LearningNode {
 public:
  EmulatedNode(Emulation& emulation, run::Experiment& experiment, int id, const Payload& start);

  double now() const override;

  bool next_step() override;
  bool run_goes_on() const override;
  void finish_step() override;

  Gradient gradient(const LayerCalls* calls) override;
  void compute(double seconds) override;

  void send(int target, Message message) override;
  Message receive(int port, const Reason& reason) override;
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason) override;
  std::optional<Message> poll(int port) override;

  void spawn(const std::string& name, std::function<void()> body) override;
  void wait_until(const std::function<bool()>& holds, const Reason& reason) override;
  void notify() override { monitor_.wake(); }

  SendQueue& queue(int target) override { return queues_.try_emplace(target, *this, target).first->second; }
  Membership& membership() override { return membership_; }
  ModelParallel* model_parallel() override { return nullptr; }

  // --- for the emulation, which holds the monitor or has joined all threads ---
  // Delay of sleeps' ends after their time.
  struct Lateness {
    std::int64_t count = 0;
    double sum_s = 0, max_s = 0;
  };
  Monitor& monitor() { return monitor_; }
  Payload copy_of_weights();  // not shared; null when timing only
  const std::vector<Staleness>& staleness_notes() const { return staleness_notes_; }
  const Lateness& lateness() const { return lateness_; }
  double last_event_s() const { return last_event_s_; }  // a step's end, a sleep's, an arrival

  void deliver(Message message);  // takes the monitor itself

 private:
  class Queue final : public SendQueue {
   public:
    Queue(EmulatedNode& node, int target) : node_(node), target_(target) {}
    std::size_t length() const override;
    void wait_for_room(std::size_t depth) override;
    void flush() override;

   private:
    EmulatedNode& node_;
    const int target_;
  };

  void record_staleness(const Staleness& staleness) override { staleness_notes_.push_back(staleness); }
  double run_share() const override;
  void spend_on_gradient(double seconds);
  Gradient result_of(std::unique_ptr<run::Trainer::Gradient> job, Payload at);
  std::string text_of(const Reason& reason) const;
  void sleep(double seconds, const std::function<bool()>& cut_short, const char* what);
  static Message take_first(std::deque<Message>& inbox);
  const std::string& name() const;

  Emulation& emulation_;
  Monitor monitor_;
  double last_event_s_ = 0;
  std::vector<Staleness> staleness_notes_;  // for other nodes' steps, which their monitors guard
  Lateness lateness_;
  std::map<int, std::deque<Message>> inboxes_;  // by port, in order of arrival
  std::map<int, Queue> queues_;                 // by target
  FixedMembership membership_;
};

}  // namespace ddl::emulate
