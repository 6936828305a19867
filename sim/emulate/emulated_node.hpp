// Node over real TCP: one host's actors are threads that its monitor keeps from running at the same time.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/node.hpp"
#include "core/nn/optimizer.hpp"
#include "sim/emulate/monitor.hpp"
#include "sim/record/run_result.hpp"

namespace ddl {

class Emulation;

class EmulatedNode : public Node {
 public:
  EmulatedNode(Emulation& emulation, int id, const Payload& start);

  int id() const override { return id_; }
  const Cluster& cluster() const override { return cluster_; }
  double now() const override;

  bool next_step() override;
  bool run_goes_on() const override;
  void finish_step() override;
  std::int64_t step() const override { return finished_steps_; }
  void record_staleness(int worker, std::int64_t step, double staleness) override;

  Weights& weights() override { return weights_; }
  Slice shard() const override { return shard_; }
  Payload gradient() override;
  double last_loss() const override { return last_loss_; }
  void apply(std::span<const float> gradient) override;
  void apply_slice(Slice slice, std::span<const float> gradient) override;
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
  bool starts_anew() const override { return false; }
  Stream rng(const char* purpose) const override;

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
  Payload copy_of_weights() const;  // shared with nobody; null when timing only
  std::int64_t counted_steps() const { return counted_steps_; }
  double compute_seconds(double end_s) const;
  std::optional<double> take_train_loss();
  std::vector<IterationRow> iterations() const;
  const std::vector<StalenessNote>& staleness_notes() const { return staleness_notes_; }
  const Lateness& lateness() const { return lateness_; }
  double last_event_s() const { return last_event_s_; }  // a step's end, a sleep's, an arrival

  void deliver(Message message);  // takes the monitor itself

 private:
  void sleep(double seconds, const std::function<bool()>& cut_short, const char* what);
  Optimizer& optimizer();
  const std::string& name() const;

  Emulation& emulation_;
  const int id_;
  const Cluster cluster_;  // a copy: the graphs that nodes share are drawn when first asked for
  Monitor monitor_;
  Slice shard_;
  Weights weights_;
  std::optional<Optimizer> optimizer_;
  Stream jitter_;

  std::int64_t begun_steps_ = 0, finished_steps_ = 0, counted_steps_ = 0;
  double compute_s_ = 0;
  std::optional<double> gradient_since_s_;
  double last_loss_ = 0, loss_sum_ = 0;
  std::int64_t losses_ = 0;
  std::vector<IterationRow> rows_;
  double last_event_s_ = 0;
  std::vector<StalenessNote> staleness_notes_;  // of other nodes' steps, which belong to their monitors
  Lateness lateness_;
  std::map<int, std::deque<Message>> inboxes_;  // by port, in order of arrival
};

}  // namespace ddl
