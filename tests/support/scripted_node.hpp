// A Node without a network: gradients come from a script, what is sent is kept, nothing ever arrives. It shows that a
// training system runs on any implementation of Node, and what exactly it sends.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/node/node.hpp"
#include "core/node/vectors.hpp"

namespace ddl {

class ScriptedNode : public Node, private Membership, private SendQueue {
 public:
  // A worker that takes one step per gradient of the script.
  ScriptedNode(Cluster cluster, int id, std::vector<std::vector<float>> gradients)
      : cluster_(std::move(cluster)), id_(id), gradients_(std::move(gradients)) {}

  std::vector<Message> sent;
  std::vector<std::vector<float>> applied;
  std::set<int> watched;           // ports
  std::size_t always_waiting = 0;  // the length of every queue
  bool merges = false;             // what every queue's merge() says

  int id() const override { return id_; }
  const Cluster& cluster() const override { return cluster_; }
  double now() const override { return 0; }
  bool next_step() override { return static_cast<std::size_t>(steps_) < gradients_.size(); }
  bool run_goes_on() const override { return true; }
  void finish_step() override { ++steps_; }
  std::int64_t step() const override { return steps_; }
  void record(const Record&) override {}
  Weights& weights() override { return weights_; }
  Gradient gradient() override { return {make_payload(gradients_[static_cast<std::size_t>(steps_)]), 1}; }
  void apply(std::span<const float> gradient, std::size_t) override {
    applied.emplace_back(gradient.begin(), gradient.end());
  }
  void compute(double) override {}
  void send(int target, Message message) override {
    message.source = id_;
    message.target = target;
    sent.push_back(std::move(message));
  }
  Message receive(int, const Reason&) override { return {}; }
  std::optional<Message> receive_for(int, double, const Reason&) override { return std::nullopt; }
  std::optional<Message> poll(int) override { return std::nullopt; }
  void spawn(const std::string&, std::function<void()>) override {}
  void wait_until(const std::function<bool()>&, const Reason&) override {}
  void notify() override {}
  Stream rng(const char* purpose) const override { return stream(1, "scripted", purpose); }
  SendQueue& queue(int) override { return *this; }
  Membership& membership() override { return *this; }
  ModelParallel* model_parallel() override { return nullptr; }

 private:
  Presence presence(int) const override { return Presence::up; }
  std::int64_t events() const override { return 0; }
  void watch(int port) override { watched.insert(port); }
  void unwatch(int port) override { watched.erase(port); }
  bool needs_model() const override { return false; }

  std::size_t length() const override { return always_waiting; }
  bool merge(const Message&, const std::function<bool(const Message&)>&) override { return merges; }
  void wait_for_room(std::size_t) override {}
  void flush() override {}

  const Cluster cluster_;
  const int id_;
  const std::vector<std::vector<float>> gradients_;
  std::int64_t steps_ = 0;
  Weights weights_;
};

}  // namespace ddl
