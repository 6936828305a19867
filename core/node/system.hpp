// What a training system is to the code that runs it: its settings, its programs, and what else that
// code must know of it.
//
// A system is a struct of settings with fields() beside it (see core/base/fields.hpp) and these members:
//
//   static constexpr SystemFacts facts{.name = "ps_async", .what = "...", .paper = "...", .needs_servers = true};
//   std::unique_ptr<Program> program(Node& node) const;     // or worker(node) and, of one with servers, server(node)
//   Traffic traffic(const Cluster& cluster) const;          // what a step sends, for lower bounds
//
// and, where the default does not do,
//
//   std::vector<SettingError> errors(const Surroundings& around) const;   // default: none
//   std::optional<int> most_steps_ahead() const;            // lead over the slowest worker; default: without bound
//   MemoryUse memory(const nn::Model* model, int workers) const;          // default: replicas(model, workers)
//   std::vector<std::vector<std::uint32_t>> parts(const Cluster& cluster) const;  // facts.one_model: what each holds
//   std::vector<int> model_holders(const Cluster& cluster) const;         // default: usual_model_holders()
//   std::optional<graph::Consensus> consensus(const Cluster& cluster) const;  // how fast it averages; default: unknown
//   int requests() const;                                   // predictions after training; default: 0
//   double steps_per_iteration(const Cluster& cluster) const;  // of the model, for one of each worker; default: 1
//   int training_worker(const std::vector<std::string>& worker_names) const;  // facts.one_trains: which one
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/graph/mixing.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl {

struct SystemFacts {
  const char* name = "";
  const char* what = "";  // one line
  const char* paper = "";
  bool needs_servers = false;  // at least one; otherwise servers of the platform stay idle
  int least_workers = 1;
  bool one_model = false;        // which all workers share, and so each minibatch: a step is a step of all
  bool chooses_samples = false;  // every worker has the whole training set, and minibatches are the system's choice
  bool one_trains = false;       // only one worker trains, on the whole training set
  bool fetches_model = false;    // a worker that comes late asks a peer for its model before it starts
  bool equal_replicas = false;   // after a run that ends by steps, workers' own models are the same, to the bit
  bool servers_agree = false;    // several servers decide the same from what each has heard of workers
  // Whether it needs Node::model_parallel() and every one of its hosts.
  constexpr bool is_model_parallel() const { return one_model || chooses_samples; }
};

// What is wrong with a setting; `key` names it.
struct SettingError {
  std::string key;
  std::string what;
};

// What settings may have to fit.
struct Surroundings {
  int workers = 0, servers = 0;
  bool stateless_optimizer = true;             // see Optimizer::is_stateless
  std::vector<std::string> worker_names = {};  // empty while the platform is not known
};

// What a system keeps in memory, over all workers.
struct MemoryUse {
  double vectors = 0;       // of a model's length, that a worker keeps in addition to its weights
  double parameters = 0;    // held by all workers together
  double training = 0;      // how many of these are trained at the same time
  double values = 0;        // activations per sample, in addition to those of a whole model
  bool all_to_all = false;  // every host talks to every other
};

// A whole model at every worker. `model` is null when timing only.
inline MemoryUse replicas(const nn::Model* model, int workers) {
  const double parameters = model == nullptr ? 0 : workers * static_cast<double>(model->parameter_count());
  return {.parameters = parameters, .training = parameters};
}

// The nodes that hold between them the one model by which every worker is judged: a server its shard of it, a worker
// all of it or, with facts.one_model, its part. None: each worker is judged by its own weights. Unless a system says
// otherwise, the shared model is judged: the servers', or that of the workers of one model.
inline std::vector<int> usual_model_holders(const SystemFacts& facts, const Cluster& cluster) {
  std::vector<int> holders;
  if (facts.one_model) {
    for (int worker = 0; worker < cluster.workers; ++worker) holders.push_back(worker);
  } else if (facts.needs_servers) {
    for (int server = 0; server < cluster.servers; ++server) holders.push_back(cluster.workers + server);
  }
  return holders;
}

class System {
 public:
  virtual ~System() = default;
  virtual const SystemFacts& facts() const = 0;
  virtual std::unique_ptr<System> clone() const = 0;
  virtual void visit_fields(FieldVisitor& visit) = 0;
  // The program of one node, which keeps a reference to `node` but none to this.
  virtual std::unique_ptr<Program> program(Node& node) const = 0;
  virtual Traffic traffic(const Cluster& cluster) const = 0;
  virtual std::vector<SettingError> errors(const Surroundings& around) const = 0;
  virtual std::optional<int> most_steps_ahead() const = 0;
  virtual MemoryUse memory(const nn::Model* model, int workers) const = 0;
  virtual std::vector<std::vector<std::uint32_t>> parts(const Cluster& cluster) const = 0;
  virtual std::vector<int> model_holders(const Cluster& cluster) const = 0;
  virtual int requests() const = 0;
  virtual double steps_per_iteration(const Cluster& cluster) const = 0;
  // None where models are not averaged, or by too many workers to say; has_consensus(): whether the system averages.
  virtual bool has_consensus() const = 0;
  virtual std::optional<graph::Consensus> consensus(const Cluster& cluster) const = 0;
  virtual int training_worker(const std::vector<std::string>& worker_names) const = 0;
};

// A program whose workers and servers are functions of the settings.
template <class Params>
class FunctionProgram final : public Program {
 public:
  FunctionProgram(const Params& params, Node& node) : params_(params), node_(node) {}
  void run() override {
    if constexpr (requires { params_.server(node_); }) {
      if (!node_.is_worker()) return params_.server(node_);
    }
    params_.worker(node_);
  }

 private:
  const Params params_;
  Node& node_;
};

template <class Params>
class SystemOf final : public System {
 public:
  explicit SystemOf(Params params = {}) : params_(std::move(params)) {}
  const Params& params() const { return params_; }

  const SystemFacts& facts() const override { return Params::facts; }
  std::unique_ptr<System> clone() const override { return std::make_unique<SystemOf>(params_); }
  void visit_fields(FieldVisitor& visit) override { fields(visit, params_); }
  std::unique_ptr<Program> program(Node& node) const override {
    if constexpr (requires { params_.program(node); }) {
      return params_.program(node);
    } else {
      return std::make_unique<FunctionProgram<Params>>(params_, node);
    }
  }
  Traffic traffic(const Cluster& cluster) const override { return params_.traffic(cluster); }
  std::vector<SettingError> errors(const Surroundings& around) const override {
    if constexpr (requires { params_.errors(around); }) return params_.errors(around);
    return {};
  }
  std::optional<int> most_steps_ahead() const override {
    if constexpr (requires { params_.most_steps_ahead(); }) return params_.most_steps_ahead();
    return std::nullopt;
  }
  MemoryUse memory(const nn::Model* model, int workers) const override {
    if constexpr (requires { params_.memory(model, workers); }) return params_.memory(model, workers);
    return replicas(model, workers);
  }
  std::vector<std::vector<std::uint32_t>> parts(const Cluster& cluster) const override {
    if constexpr (requires { params_.parts(cluster); }) return params_.parts(cluster);
    return {};
  }
  std::vector<int> model_holders(const Cluster& cluster) const override {
    if constexpr (requires { params_.model_holders(cluster); }) return params_.model_holders(cluster);
    return usual_model_holders(facts(), cluster);
  }
  int requests() const override {
    if constexpr (requires { params_.requests(); }) return params_.requests();
    return 0;
  }
  double steps_per_iteration(const Cluster& cluster) const override {
    if constexpr (requires { params_.steps_per_iteration(cluster); }) return params_.steps_per_iteration(cluster);
    return 1;
  }
  bool has_consensus() const override {
    return requires(const Cluster& cluster) { params_.consensus(cluster); };
  }
  std::optional<graph::Consensus> consensus(const Cluster& cluster) const override {
    if (cluster.workers < 2 || cluster.workers > graph::most_nodes_of_consensus) return std::nullopt;
    if constexpr (requires { params_.consensus(cluster); }) return params_.consensus(cluster);
    return std::nullopt;
  }
  int training_worker(const std::vector<std::string>& worker_names) const override {
    if constexpr (Params::facts.one_trains) return params_.training_worker(worker_names);
    return 0;
  }

 private:
  Params params_;
};

}  // namespace ddl
