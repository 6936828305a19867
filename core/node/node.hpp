// The words every training system is written in. A Node is one host's view of the cluster; the simulator implements it
// on SimGrid, and nothing here says so.
//
// Between two of these calls a node's code runs alone: no other code of that node interleaves. Every call that can
// wait (marked W) is a suspension point, across which no reference into state shared with the node's other actors may
// be held. When the run ends or the host crashes, a waiting call does not return: it unwinds the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/rng.hpp"
#include "core/graph/shared_graphs.hpp"
#include "core/nn/model.hpp"
#include "core/node/answer.hpp"
#include "core/node/message.hpp"
#include "core/node/weights.hpp"

namespace ddl {

enum class GradientScale { mean, sum };  // each gradient weighs 1/n, or 1
constexpr auto enum_names(GradientScale) {
  return std::to_array<EnumName<GradientScale>>({{GradientScale::mean, "mean"}, {GradientScale::sum, "sum"}});
}

// What every node knows of the run.
struct Cluster {
  int workers = 0;                // nodes 0 .. workers-1
  int servers = 0;                // nodes workers .. workers+servers-1
  std::uint64_t seed = 0;         // of what all nodes must draw alike, such as a random graph
  std::size_t parameters = 0;     // length d of the flat vector; virtual when timing only
  std::uint64_t model_bytes = 0;  // N, a whole model on the wire
  bool timing_only = false;
  int batch_size = 1;
  std::size_t training_samples = 0;   // in all; what an epoch is when timing only
  std::size_t evaluated_samples = 0;  // of the test set; when timing only as many as there would be
  int classes = 0;                    // 0 when timing only
  GradientScale scale = GradientScale::mean;
  std::vector<std::string> worker_names;
  std::vector<nn::Tensor> tensors;   // how the vector divides into layers; empty when timing only
  std::vector<double> compute_s;     // mean seconds of one gradient, per worker
  std::vector<double> exchange_s;    // per worker: least seconds for a whole model to every other worker while all
                                     // others do the same (the most loaded link on its routes)
  const nn::Model* model = nullptr;  // null when timing only
  // Which parameters each worker holds, as places in the vector, when the workers share one model; null: all of them.
  std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> held = nullptr;
  bool hosts_change = false;  // some host crashes, joins or leaves
  std::shared_ptr<graph::SharedGraphs> graphs =
      std::make_shared<graph::SharedGraphs>();             // who exchanges with whom, drawn once
  bool one_model = false;                                  // which all workers share, and so each minibatch
  int sharing() const { return one_model ? workers : 1; }  // workers whose steps are one step together
  float gradient_weight() const { return gradient_weight(workers); }
  // Of each gradient of a sum of so many.
  float gradient_weight(int gradients) const {
    return scale == GradientScale::mean ? 1.0f / static_cast<float>(gradients) : 1.0f;
  }
  Slice whole() const { return {0, parameters}; }
  // What of the vector a node has: a worker all, a server its shard.
  Slice slice_of(int node) const { return node < workers ? whole() : even_part(parameters, servers, node - workers); }
  // A slice's share of N, such that the shares of the slices of a model add up to N exactly.
  std::uint64_t wire_bytes(Slice slice) const;
};

enum class SampleSet { training, test };

// What a step of a model that is split over nodes begins with.
struct Minibatch {
  std::shared_ptr<const data::Batch> batch;  // null when timing only
  std::optional<Stream> dropout;
};

class Node {
 public:
  virtual ~Node() = default;

  // --- who ---
  virtual int id() const = 0;
  virtual const Cluster& cluster() const = 0;
  bool is_worker() const { return id() < cluster().workers; }
  int server_rank() const { return id() - cluster().workers; }
  virtual double now() const = 0;  // simulated seconds

  // --- steps: the life of a worker is `while (next_step()) { ...; finish_step(); }` ---
  // Begins the next step, or says that the stop condition leaves none.
  virtual bool next_step() = 0;
  // False once the run has the samples that it was asked for, at any node.
  virtual bool run_goes_on() const = 0;
  // Ends the step: iteration count, record, evaluations that hang on it. A step that ends after the samples of the run
  // were full counts no more.
  virtual void finish_step() = 0;
  virtual std::int64_t step() const = 0;  // of this worker: 0 in its first
  // The staleness of a worker's step, known here or, at a server, when its gradient arrives.
  virtual void record_staleness(int worker, std::int64_t step, double staleness) = 0;
  // From now on this node goes on without the worker, which it has not heard of for too long, until it does.
  virtual void record_given_up(int worker) = 0;

  // --- learning ---
  // This node's replica: a worker's whole model, or a server's shard().
  virtual Weights& weights() = 0;
  virtual Slice shard() const = 0;
  // W. One minibatch gradient at the weights as they are now, and the simulated time it costs. Its value is known when
  // that time is over, whatever happened to the weights meanwhile. Null when timing only.
  virtual Payload gradient() = 0;
  // W. The same of these training samples, by their numbers in the whole set, instead of the worker's next minibatch.
  virtual Payload gradient_of(std::vector<std::uint32_t> samples);
  // W. For each sample of the training set whether weights() gives its class (1) or not (0), and the simulated time of
  // a forward pass over them all, a third of that of their gradients. Empty when timing only.
  virtual std::vector<std::uint8_t> correct_predictions();
  virtual double last_loss() const = 0;  // of that minibatch
  // One optimizer step on weights() (or, stateless optimizers, on a slice of them).
  virtual void apply(std::span<const float> gradient) = 0;
  virtual void apply_slice(Slice slice, std::span<const float> gradient) = 0;
  // W. Work other than a gradient.
  virtual void compute(double seconds) = 0;

  // --- learning piece by piece: for systems whose workers share one model. A runtime need not have these, and then
  // refuses with InputError. ---
  // How long one gradient of the whole model would take here, jitter and all; drawn anew at each call.
  virtual double gradient_seconds();
  // W. Takes so many seconds of this host's processor, while `math` runs on a thread of its own; it has run at the end.
  // Not called when timing only.
  virtual void work(double seconds, std::function<void()> math);
  // The next minibatch of this worker's samples.
  virtual Minibatch minibatch();
  // Samples by their numbers; null when timing only.
  virtual std::size_t sample_count(SampleSet set) const;
  virtual std::shared_ptr<const data::Batch> samples(SampleSet set, std::span<const std::uint32_t> numbers) const;
  // W. The loss of the step's minibatch. If it is not finite the run ends here.
  virtual void record_loss(double loss);
  virtual void record_answer(const Answer& answer);

  // --- messages: first in first out to each target, one on the wire to each target at a time ---
  virtual void send(int target, Message message) = 0;
  virtual std::size_t waiting(int target) const = 0;  // queued for target, not yet on the wire
  // Adds the values into a message of the same port, kind and part that waits for the target; false if there is none.
  virtual bool merge_into_waiting(int target, const Message& message) = 0;
  virtual void wait_for_room(int target, std::size_t depth) = 0;  // W. until waiting(target) < depth
  virtual void wait_until_delivered(int target) = 0;              // W. until all that was sent to target is there
  virtual Message receive(int port) = 0;                          // W. in order of arrival, then sender, then sequence
  virtual std::optional<Message> receive_for(int port, double seconds) = 0;  // W. nothing once the time is over
  virtual std::optional<Message> poll(int port) = 0;

  // --- several actors on one node ---
  // Starts a service beside this actor; it serves until the run ends. `body` must not refer to the caller's stack.
  virtual void spawn(const std::string& name, std::function<void()> body) = 0;
  // W. until `holds()`; looked at again after every changed().
  virtual void wait_until(std::function<bool()> holds, const char* why) = 0;
  virtual void changed() = 0;

  // --- hosts that come and go ---
  // A host that crashes loses its actors, its inboxes and what travels from or to it. Who runs on it later is a new
  // Program, whose weights() are what they were, or initial ones (needs_model).
  virtual Presence presence(int node) const = 0;
  bool up(int node) const { return presence(node) == Presence::up; }
  // From now on whatever happens to another host's presence arrives at this port in that instant, as `news` from it
  // with the number of the event, which is the same at all nodes, as step. wait_until looks again, too. What is sent to
  // a host that is not up is lost.
  virtual void watch(int port) = 0;
  // No more: news would wait there for a reader who never comes.
  virtual void unwatch(int port) = 0;
  virtual std::int64_t presence_events() const = 0;  // of all hosts so far
  // Whether this worker has come late or lost its state, so that others may have a model which it has not.
  virtual bool needs_model() const = 0;

  virtual Stream rng(const char* purpose) const = 0;
};

// A model whose answers are votes, and what each weighs.
struct Voter {
  Payload model;
  double weight = 0;
};

// What an actor waits for, in words, and from which nodes; these are empty where any of them will do. Both are empty at
// a service, which holds nobody up by waiting.
struct Awaited {
  const char* what = "";
  std::vector<int> from = {};
};
// Of one who waits for certain nodes, or for nobody.
inline Awaited awaited_from(std::vector<int> nodes, const char* what) {
  return nodes.empty() ? Awaited{} : Awaited{what, std::move(nodes)};
}

// One node's part of a training system. It outlives every actor of the node.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run() = 0;  // a worker's training loop, or a server's service (which need not return)
  // What the actor that waits for a message at this port waits for now.
  virtual Awaited awaited_at(int) const { return {"a message"}; }
  // What the run is judged by, if the program of node 0 says so: an ensemble. Empty: each node's weights().
  virtual std::vector<Voter> ensemble() const { return {}; }
};

}  // namespace ddl
