// Node on SimGrid: one host's actors, inboxes, replica and steps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/actors/channel_queue.hpp"
#include "sim/run/actors/processor.hpp"
#include "sim/run/actors/split_model.hpp"
#include "sim/run/actors/suspension_point.hpp"
#include "sim/run/actors/waiting_actors.hpp"
#include "sim/run/learning/learning_node.hpp"
#include "sim/run/learning/trainer.hpp"
#include "sim/run/simulation.hpp"

namespace ddl::run {

// With what a host starts: its state, none, or none where no other worker has a model.
enum class HostStart { with_state, without_state, afresh };

class SimNode : public LearningNode, private Membership {
 public:
  SimNode(Simulation& simulation, int id, const Payload& start);

  double now() const override { return simulation_.now(); }

  bool next_step() override;
  bool run_goes_on() const override { return !simulation_.has_enough_samples(); }
  void finish_step() override;

  Gradient gradient(const LayerCalls* calls) override;
  void compute(double seconds) override;

  void send(int target, Message message) override;
  Message receive(int port, const Reason& reason) override { return waiting_.receive(port, reason); }
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason) override {
    return waiting_.receive_for(port, seconds, reason);
  }
  std::optional<Message> poll(int port) override { return waiting_.poll(port); }

  void spawn(const std::string& name, std::function<void()> body) override;
  void wait_until(const std::function<bool()>& holds, const Reason& reason) override {
    waiting_.wait_until(holds, reason);
  }
  void notify() override { waiting_.notify(); }

  SendQueue& queue(int target) override;
  Membership& membership() override { return *this; }
  ModelParallel* model_parallel() override { return &split_model_; }

  // --- for the simulation ---
  void deliver(Message message) { waiting_.deliver(std::move(message)); }
  void cut_step_short() { processor_.cut_gradient_short(); }  // the gradient under way is had at once
  // This host's actors, while they live.
  void actor_starts() { ++actors_; }
  void actor_ends() { --actors_; }
  bool has_actors() const { return actors_ > 0; }
  bool has_main() const { return has_main_; }
  void begin_main() { has_main_ = true; }
  void end_main() {  // its join came, but it took no step since: it leaves, and returns
    has_main_ = false;
    leaving_ = leaving_ || returns_;
  }
  using LearningNode::incarnation;
  // From now on its actors are unwound when they have their turn; unwind() wakes those that sleep. No actor may have
  // been woken and not yet run.
  void crash() { point_.crash(); }
  void unwind();
  // Forgets what a crashed host forgets, once its actors are gone. Returns how many steps under way are lost.
  std::int64_t discard_state();
  // Before a new Program: the weights and the optimizer are kept, or those of the beginning.
  void start(HostStart how, const Payload& first_weights);
  // Takes no steps any more once the one under way is over. A return that is due comes first, for other hosts of the
  // site may have returned.
  void take_no_more_steps() {
    leaves_again_ = returns_;
    leaving_ = true;
  }
  bool is_leaving() const { return leaving_; }
  bool leaves_for_good() const { return leaving_ && (!returns_ || leaves_again_); }
  // Its join came before it had left. If its program still runs and asks for another step, it stays; if not, it leaves
  // and returns().
  void take_steps_again() {
    leaving_ = !has_main_;
    returns_ = true;
    leaves_again_ = false;
  }
  bool returns() const { return returns_; }
  bool leaves_again() const { return leaves_again_; }  // as soon as it has returned
  void notify_presence(int node, Presence presence);
  // "w1 waits for the servers' model" for every actor that does.
  void describe_waiting(std::vector<std::string>& lines) const;

 private:
  // Membership
  Presence presence(int node) const override { return simulation_.presence(node); }
  std::int64_t events() const override { return simulation_.hosts().events(); }
  int workers_up() const override { return simulation_.hosts().workers_up(); }
  void watch(int port, NodeRange hosts) override { watching_[port] = hosts; }
  void unwatch(int port) override;
  bool starts_afresh() const override { return start_ == HostStart::afresh; }
  bool needs_model() const override { return start_ == HostStart::without_state; }
  bool leaves() const override { return leaving_; }

  void record_staleness(const Staleness& staleness) override;
  double run_share() const override { return simulation_.run_share(); }

  friend class SplitModel;
  // Gradient on these training samples; with none, on the worker's next minibatch.
  Gradient gradient_of(std::vector<std::uint32_t> samples);
  // Its mathematics; null when timing only.
  std::unique_ptr<Trainer::Gradient> begin_gradient(Payload at, std::vector<std::uint32_t> samples);
  Gradient result_of(std::unique_ptr<Trainer::Gradient> job, Payload at);
  void spend(double seconds);  // processor time of this host
  void spend_on_gradient(double seconds);
  void end_as_diverged(const char* what);
  void wait_for_the_end();  // never returns: the actor has nothing more to do

  Simulation& simulation_;
  SuspensionPoint point_;
  Processor processor_;
  SplitModel split_model_;
  WaitingActors waiting_;
  std::map<int, NodeRange> watching_;  // by port
  std::map<int, ChannelQueue> queues_;
  int actors_ = 0;
  bool has_main_ = false;  // its Program runs
  bool leaving_ = false, returns_ = false, leaves_again_ = false;
  HostStart start_ = HostStart::afresh;  // the last
};

}  // namespace ddl::run
