// The calls every training system is written in. A Node is one host's view of the cluster; runtimes implement it on
// simulated or real hosts, and nothing here depends on which.
//
// A node's code runs alone between two of these calls: no other code of that node interleaves. Every call that can wait
// (marked W) is a suspension point: hold no reference to state shared with the node's other actors across it. A call
// that waits when the run ends or the host crashes does not return: it unwinds the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/base/rng.hpp"
#include "core/node/cluster.hpp"
#include "core/node/gradient.hpp"
#include "core/node/membership.hpp"
#include "core/node/message.hpp"
#include "core/node/queue.hpp"
#include "core/node/reason.hpp"
#include "core/node/record.hpp"
#include "core/node/vectors.hpp"
#include "core/node/weights.hpp"

namespace ddl {

class ModelParallel;
struct LayerCalls;
namespace graph {
class SharedGraphs;
}

class Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  // --- the run ---
  int id() const { return id_; }
  const Cluster& cluster() const { return cluster_; }
  virtual double now() const = 0;  // seconds since the run began
  // False at every node once the run has as many samples as its stop condition asks for.
  virtual bool run_goes_on() const = 0;
  bool is_worker() const { return id() < cluster().workers; }
  int server_rank() const { return id() - cluster().workers; }
  Slice shard() const { return cluster().slice_of(id()); }
  // The exchange graphs, drawn once for all nodes of a run.
  graph::SharedGraphs& graphs() const { return graphs_; }

  // Begins the next step. False if the stop condition leaves none.
  virtual bool next_step() = 0;
  // Ends the step: counts and records it, and makes the evaluations that this count of steps calls for. A step that
  // ends after the run has all its samples is not counted.
  virtual void finish_step() = 0;
  virtual std::int64_t step() const = 0;  // this worker's, 0 in its first
  virtual void record(const Record& record) = 0;

  // --- learning ---
  // This node's replica: a worker's whole model, or a server's shard().
  virtual Weights& weights() = 0;
  // W. One minibatch gradient at the current weights, and its time. The value is known when that time is over, whatever
  // happened to the weights meanwhile. With `calls`, layer by layer: see core/node/layers.hpp.
  virtual Gradient gradient(const LayerCalls* calls = nullptr) = 0;
  // One optimizer step on weights(), or on a slice of them as long as the gradient, if the optimizer takes slices
  // (Cluster::steps_by_slices, System::needed_slices).
  virtual void apply(const Update& update) = 0;
  // A step with this worker's own gradient, at full weight.
  void apply(const Gradient& gradient) {
    apply({.gradient = values_of(gradient.values), .penalised_at = gradient.at, .run_share = gradient.run_share});
  }
  // W. Work other than a gradient.
  virtual void compute(double seconds) = 0;

  // --- messages: first in first out to each target ---
  virtual void send(int target, Message message) = 0;
  virtual Message receive(int port, const Reason& reason) = 0;  // W. in order of arrival, then sender, then sequence
  // W. Nothing once the time is over.
  virtual std::optional<Message> receive_for(int port, double seconds, const Reason& reason) = 0;
  virtual std::optional<Message> poll(int port) = 0;  // a message that has already arrived, if any

  // --- several actors on one node ---
  // Starts a service beside this actor, to run until the run ends. `body` must not refer to the caller's stack.
  virtual void spawn(const std::string& name, std::function<void()> body) = 0;
  // W. until `holds()`, evaluated after every notify().
  virtual void wait_until(const std::function<bool()>& holds, const Reason& reason) = 0;
  virtual void notify() = 0;

  // The random stream of one purpose: the same at every call.
  virtual Stream rng(const char* purpose) const = 0;

  // --- capabilities ---
  virtual SendQueue& queue(int target) = 0;
  virtual Membership& membership() = 0;
  bool up(int node) { return membership().up(node); }
  // Null in a runtime without it; such a runtime refuses systems that need it.
  virtual ModelParallel* model_parallel() = 0;

 protected:
  // `cluster` and `graphs` outlive it.
  Node(int id, const Cluster& cluster, graph::SharedGraphs& graphs) : id_(id), cluster_(cluster), graphs_(graphs) {}

 private:
  const int id_;
  const Cluster& cluster_;
  graph::SharedGraphs& graphs_;
};

}  // namespace ddl
