// Node on SimGrid: one host's actors, inboxes, replica and steps.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <simgrid/s4u/Exec.hpp>
#include <string>
#include <vector>

#include "sim/experiment/learning_node.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl::runtime {

class SimNode : public experiment::LearningNode, private Membership, private ModelParallel {
 public:
  SimNode(Simulation& simulation, int id, const Payload& start);

  double now() const override;

  bool next_step() override;
  bool run_goes_on() const override { return !simulation_.has_enough_samples(); }
  void finish_step() override;

  Gradient gradient() override { return gradient_of({}); }
  void compute(double seconds) override;

  void send(int target, Message message) override;
  Message receive(int port, const Reason& reason) override;
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason) override;
  std::optional<Message> poll(int port) override;

  void spawn(const std::string& name, std::function<void()> body) override;
  void wait_until(const std::function<bool()>& holds, const Reason& reason) override;
  void notify() override;

  SendQueue& queue(int target) override { return queues_.try_emplace(target, *this, target).first->second; }
  Membership& membership() override { return *this; }
  ModelParallel* model_parallel() override { return this; }

  // --- for the simulation ---
  void deliver(Message message);
  void cut_step_short();  // the gradient under way is had at once
  // This host's actors, while they live. A waiting verb of an actor whose host has crashed throws this.
  struct Crashed {};
  void actor_starts() { ++actors_; }
  void actor_ends() { --actors_; }
  bool has_actors() const { return actors_ > 0; }
  bool has_main() const { return has_main_; }
  void set_main(bool has_main) { has_main_ = has_main; }
  using experiment::LearningNode::incarnation;
  // From now on its actors are unwound when they have their turn; unwind() wakes those that sleep. Nobody may have been
  // woken and not yet run.
  void crash() { crashed_ = true; }
  void unwind();
  // Forgets what a crashed host forgets, once its actors are gone. True: a step was under way, which is lost.
  bool discard_state();
  // Before a new Program: the weights and the optimizer are kept, or those of the beginning.
  void start(bool without_state, const Payload& first_weights);
  // Takes no steps any more once the one under way is over.
  void take_no_more_steps() {
    leaving_ = true;
    returns_ = false;
  }
  bool is_leaving() const { return leaving_; }
  // It is to join before it is gone, and stays if its program asks for a step once more. Otherwise it returns().
  void take_steps_again() {
    leaving_ = false;
    returns_ = true;
  }
  bool returns() const { return returns_; }
  void notify_presence(int node, Presence presence);
  // "w1 waits for the servers' model" for every actor that does.
  void describe_waiting(std::vector<std::string>& lines) const;

 private:
  class Queue final : public SendQueue {
   public:
    Queue(SimNode& node, int target) : node_(node), target_(target) {}
    std::size_t length() const override;
    bool merge(const Message& message, const std::function<bool(const Message&)>& is_same) override;
    void wait_for_room(std::size_t depth) override;
    void flush() override;

   private:
    SimNode& node_;
    const int target_;
  };

  // Membership
  Presence presence(int node) const override;
  std::int64_t events() const override;
  void watch(int port) override { watching_.insert(port); }
  void unwatch(int port) override;
  bool needs_model() const override { return needs_model_; }

  // ModelParallel
  double gradient_seconds() override { return draw_gradient_seconds(); }
  void work(double seconds, std::function<void()> math) override;
  Minibatch minibatch() override;
  std::size_t sample_count(SampleSet set) const override;
  std::shared_ptr<const data::Batch> samples(SampleSet set, std::span<const std::uint32_t> numbers) const override;
  Gradient gradient_of(std::vector<std::uint32_t> samples) override;
  std::vector<std::uint8_t> correct_predictions() override;
  void record_loss(double loss) override;

  void record_staleness(const Staleness& staleness) override;

  // What a node holds of a model: a worker may have been given its part already.
  static Payload part_held(const Payload& model, const Cluster& cluster, int id);

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

  void spend(double seconds);  // of this host's processor
  static bool wait_for(const simgrid::s4u::ExecPtr& work);
  void spend_on_gradient(double seconds);
  void end_as_diverged(const char* what);
  void wait_for_the_end();          // of a run that is over: nothing more comes of this actor
  void check_not_crashed() const {  // after whatever may have taken simulated time
    if (crashed_) throw Crashed();
  }
  Message take_first(Inbox& inbox);

  Simulation& simulation_;
  simgrid::s4u::ExecPtr computing_;             // a gradient
  std::vector<simgrid::s4u::ExecPtr> working_;  // what else its actors compute
  std::map<int, Inbox> inboxes_;
  std::vector<Waiter> waiters_;
  std::set<int> watching_;  // ports
  std::map<int, Queue> queues_;
  int actors_ = 0;
  bool has_main_ = false;  // its Program runs
  bool crashed_ = false, needs_model_ = false, leaving_ = false, returns_ = false;
};

}  // namespace ddl::runtime
