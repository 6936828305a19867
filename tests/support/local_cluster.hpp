// A cluster in memory and in virtual time: runs the programs of a training system in milliseconds, without a network
// model. Every channel carries one message at a time, first in, first out, at a rate, and delivers it after a latency;
// both may be nothing. Deterministic: one actor runs at a time, and the next one follows from the run alone.
//
//   LocalCluster cluster({.cluster = {.workers = 2, .parameters = 1}, .steps = 3, .gradient = ...});
//   cluster.run(programs_of(with<EasgdParams>([](auto& easgd) { easgd.tau = 1; })));
//   CHECK(cluster.node(0).applied == ...);
//
// Once the workers have ended, messages under way still arrive and are handled. If no actor can go on before that,
// run() throws, and names each one's wait.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/graph/shared_graphs.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "core/node/system.hpp"

namespace ddl {

class LocalCluster;

// One host, with public state for tests.
class LocalNode final : public Node {
 public:
  LocalNode(LocalCluster& owner, int id);

  std::vector<Message> sent;
  std::vector<std::vector<float>> applied;  // gradients, as the optimizer gets them
  std::vector<Record> records;
  std::set<int> watched;  // ports

  double now() const override;
  bool run_goes_on() const override;  // until all workers have ended: no count of samples ends a run here
  bool next_step() override;
  void finish_step() override { ++step_; }
  std::int64_t step() const override { return step_; }
  void record(const Record& record) override { records.push_back(record); }
  Weights& weights() override { return weights_; }
  Gradient gradient(const LayerCalls* calls) override;
  using Node::apply;
  void apply(const Update& update) override;
  void compute(double seconds) override;
  void send(int target, Message message) override;
  Message receive(int port, const Reason& reason) override;
  std::optional<Message> receive_for(int port, double seconds, const Reason& reason) override;
  std::optional<Message> poll(int port) override;
  void spawn(const std::string& name, std::function<void()> body) override;
  void wait_until(const std::function<bool()>& holds, const Reason& reason) override;
  void notify() override { ++notified_; }
  Stream rng(const char* purpose) const override;
  SendQueue& queue(int target) override;
  Membership& membership() override { return membership_; }
  ModelParallel* model_parallel() override { return nullptr; }

 private:
  friend class LocalCluster;

  // Hosts neither come nor go; keeps the ports that would hear of it.
  struct Hosts final : Membership {
    explicit Hosts(LocalNode& node) : node_(node) {}
    Presence presence(int) const override { return Presence::up; }
    std::int64_t events() const override { return 0; }
    int workers_up() const override { return node_.cluster().workers; }
    void watch(int port, NodeRange) override { node_.watched.insert(port); }
    void unwatch(int port) override { node_.watched.erase(port); }
    bool starts_afresh() const override { return true; }
    bool needs_model() const override { return false; }
    bool leaves() const override { return false; }
    LocalNode& node_;
  };

  // This node's messages to one target.
  struct Channel final : SendQueue {
    Channel(LocalNode& node, int target) : node_(node), target_(target) {}
    std::size_t length() const override { return waiting.size(); }
    void wait_for_room(std::size_t depth) override;
    void flush() override;
    void start_next();

    LocalNode& node_;
    const int target_;
    std::deque<Message> waiting;  // not yet on the wire
    bool busy = false;
    std::size_t under_way = 0;  // on the wire, or later
  };

  std::string name() const;
  void deliver(Message message);
  std::optional<Message> take(int port);

  LocalCluster& owner_;
  std::int64_t begun_ = 0, step_ = 0, notified_ = 0;
  Weights weights_;
  Hosts membership_{*this};
  std::map<int, Channel> channels_;
  std::map<int, std::deque<std::pair<double, Message>>> inboxes_;  // with the time of arrival
};

class LocalCluster {
 public:
  using Gradients = std::function<std::vector<float>(const Node& node, std::span<const float> weights)>;
  using Programs = std::function<std::unique_ptr<Program>(Node&)>;

  struct Settings {
    Cluster cluster;
    std::int64_t steps = 1;         // each worker's
    Gradients gradient = nullptr;   // none: timing only
    std::vector<float> start = {};  // every worker's model; servers have their shards of it; zeros by default
    double learning_rate = 1;       // in apply(): x -= learning_rate * gradient
    double latency_s = 0;
    double bytes_per_s = std::numeric_limits<double>::infinity();
  };

  explicit LocalCluster(Settings settings);
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // Makes every node's program, or only node `only`'s, and runs them until all workers' have returned and nothing is
  // under way. Throws a program's exception, and std::runtime_error if nothing can go on.
  void run(const Programs& program, std::optional<int> only = std::nullopt);

  LocalNode& node(int id) { return *nodes_.at(static_cast<std::size_t>(id)); }
  const Settings& settings() const { return settings_; }
  double now() const { return now_; }

 private:
  friend class LocalNode;

  struct Actor {
    std::string name;
    std::function<bool()> ready = [] { return true; };
    double until = std::numeric_limits<double>::infinity();
    const Reason* reason = nullptr;  // none: it waits for time alone
    bool service = false, ended = false;
    int turns = 0;  // in this instant
    std::binary_semaphore go{0};
    std::thread thread;
  };
  struct Ending {};  // thrown from where an actor waits, when the run is over

  void start(const std::string& name, bool serves, std::function<void()> body);
  // Suspends the running actor until `ready()` or the time has come.
  void wait(std::function<bool()> ready, double until, const Reason* reason);
  void at(double time_s, std::function<void()> happens);
  void run_actor(Actor& actor);
  bool do_one_thing();
  bool workers_have_ended() const;
  std::string what_is_waited_for() const;
  void end();

  const Settings settings_;
  graph::SharedGraphs graphs_{settings_.cluster.workers, settings_.cluster.seed};
  double now_ = 0;
  std::int64_t order_ = 0;
  std::map<std::pair<double, std::int64_t>, std::function<void()>> events_;
  std::vector<std::unique_ptr<LocalNode>> nodes_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::size_t last_ = 0;   // the actor that ran last
  bool draining_ = false;  // the workers have ended
  Actor* running_ = nullptr;
  std::binary_semaphore back_{0};
  bool ending_ = false;
  std::exception_ptr failure_;
};

// A training system with some settings changed: with<EasgdParams>([](auto& easgd) { easgd.tau = 1; }).
template <class Params, class Set>
Params with(Set set) {
  Params params;
  set(params);
  params.fill_defaults(nullptr);
  return params;
}
// The programs of a training system with these settings.
inline LocalCluster::Programs programs_of(const System& system) {
  const std::shared_ptr<System> filled = system.clone();
  filled->fill_defaults(nullptr);
  return [filled](Node& node) { return filled->program(node); };
}
// Every node runs the same function.
LocalCluster::Programs each(std::function<void(Node&)> body);

}  // namespace ddl
