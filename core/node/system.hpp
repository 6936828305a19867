// What a training system is to the code that runs it: its settings, its programs, and what else that code must know of
// it.
//
// A system is a struct of settings with fields() beside it (see core/base/fields.hpp), which derives from SystemOf and
// overrides hooks of System. A hook that is misspelt, or has another signature, overrides nothing and does not compile.
//
//   struct PsSyncParams : SystemOf<PsSyncParams> {
//     static constexpr SystemFacts facts{.name = "ps_sync", .what = "...", .paper = "...", .needs_servers = true};
//     int backup_workers = 0;
//
//     void worker(Node& node) const override;
//     void server(Node& node) const override;
//     Traffic traffic(const Cluster& cluster) const override;
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/slices.hpp"
#include "core/graph/mixing.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "core/node/traffic.hpp"

namespace ddl {

namespace nn {
class Model;
}

// A system of the literature that another is with these settings, a JSON object.
struct Preset {
  const char* name = "";
  const char* settings = "";
  const char* paper = "";
};

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
  std::span<const Preset> presets = {};
  bool fixed_group = false;  // no host may come or go: others lack its state
  // True if it needs Node::model_parallel().
  constexpr bool is_model_parallel() const { return one_model || chooses_samples; }
  // True if no host may come or go.
  constexpr bool needs_all_hosts() const { return is_model_parallel() || fixed_group; }
};

// What is wrong with a setting; `key` names it.
struct SettingError {
  std::string key;
  std::string what;
};

// What settings may have to fit.
struct Surroundings {
  int workers = 0, servers = 0;
  Slices slices = Slices::any;                 // the optimizer's
  std::vector<std::string> worker_names = {};  // empty while the platform is not known
};

// In what pieces a system needs steps to be made.
struct NeededSlices {
  Slices slices = Slices::none;
  std::string why = "";      // such as "each worker has a part of it"
  std::string instead = "";  // what would do without
};

// What a system keeps in memory, over all workers.
struct MemoryUse {
  double vectors = 0;             // of a model's length, that a worker keeps in addition to its weights
  double parameters = 0;          // held by all workers together
  double training = 0;            // how many of these are trained at the same time
  double values = 0;              // activations per sample, in addition to those of a whole model
  bool all_to_all = false;        // every host talks to every other
  bool spawns_for_peers = false;  // and spawns something for each of them
};

// A whole model of so many parameters (0 when timing only) at every worker.
inline MemoryUse replicas(std::size_t parameters, int workers) {
  const double held = workers * static_cast<double>(parameters);
  return {.parameters = held, .training = held};
}

class System {
 public:
  virtual ~System() = default;

  // --- what SystemOf says of each ---
  virtual const SystemFacts& facts() const = 0;
  virtual std::unique_ptr<System> clone() const = 0;
  virtual void visit_fields(FieldVisitor& visit) = 0;
  virtual bool has_consensus() const = 0;  // whether it overrides consensus()

  // --- hooks: worker() and with servers server(), or program(); traffic(); and where the default does not do ---
  virtual void worker(Node& /*node*/) const {}
  virtual void server(Node& /*node*/) const {}
  // The program of one node, which keeps a reference to `node` but none to this. Default: worker() or server().
  virtual std::unique_ptr<Program> program(Node& node) const;
  // What a step sends, for lower bounds.
  virtual Traffic traffic(const Cluster& /*cluster*/) const { return {}; }
  virtual std::vector<SettingError> errors(const Surroundings& /*around*/) const { return {}; }
  // An optimizer that grants less is refused. Not what the system can do without, as Cluster::steps_by_slices tells it.
  // Default: slices, once a step, where servers or workers have parts of one model.
  virtual NeededSlices needed_slices(const Surroundings& around) const;
  // Gives settings that were left out the values which take effect. Called once they are read, without a cluster, and
  // must then fill in all that the other hooks read; and for a result, where `cluster` tells the rest.
  virtual void fill_defaults(const Cluster* /*cluster*/) {}
  // Lead over the slowest worker; none: without bound.
  virtual std::optional<int> most_steps_ahead() const { return std::nullopt; }
  virtual MemoryUse memory(std::size_t parameters, int workers) const { return replicas(parameters, workers); }
  // Whether no host may come or go.
  virtual bool needs_all_hosts() const { return facts().needs_all_hosts(); }
  // Steps after which what it exchanges comes round again.
  virtual int period() const { return 1; }
  // Whether it reads Cluster::exchange_s.
  virtual bool needs_exchange_times() const { return false; }
  // The messages of one sum of a whole model, of a system that chooses by Cluster::sum_time which layers travel
  // together. Empty: of any other.
  virtual Phases bucketed_sum(const Cluster& /*cluster*/) const { return {}; }
  // The nodes that hold between them the one model by which every worker is judged: a server its shard of it, a worker
  // all of it or, with facts.one_model, its part. None: each worker is judged by its own weights. Default: the shared
  // model is judged, the servers' or that of the workers of one model.
  virtual std::vector<int> model_holders(const Cluster& cluster) const;
  // How fast models come together, of so few workers that it can be said; none: not known. See consensus_of().
  virtual std::optional<graph::Consensus> consensus(const Cluster& /*cluster*/) const { return std::nullopt; }
  // The settings that do nothing on this cluster, and the system's own choices, a line each.
  virtual std::vector<std::string> notes(const Cluster& /*cluster*/) const { return {}; }
  virtual int requests() const { return 0; }  // predictions after training
  // Steps of the model for one of each worker.
  virtual double steps_per_iteration(const Cluster& /*cluster*/) const { return 1; }
  // Which worker trains, with facts.one_trains.
  virtual int training_worker(const std::vector<std::string>& /*worker_names*/) const { return 0; }

  // --- instead of traffic() and memory(), where all workers share one model (facts.one_model): by its layers ---
  // `model` is null when timing only.
  virtual Traffic split_traffic(const nn::Model* /*model*/, const Cluster& /*cluster*/) const { return {}; }
  virtual MemoryUse split_memory(const nn::Model* /*model*/, int /*workers*/) const { return {}; }
  // The parameters that each worker holds.
  virtual std::vector<std::vector<std::uint32_t>> split_parts(const nn::Model& /*model*/,
                                                              const Cluster& /*cluster*/) const {
    return {};
  }

 protected:
  System() = default;
  System(const System&) = default;
  System& operator=(const System&) = default;
};

// Of a system of either kind. `model`: the network, of which a system of one model needs the layers; null: there is
// none to look into, for the run is timing only, or the model a program's.
Traffic traffic_of(const System& system, const nn::Model* model, const Cluster& cluster);
MemoryUse memory_use_of(const System& system, const nn::Model* model, std::size_t parameters, int workers);
// None where models are not averaged, or by too many workers to say.
std::optional<graph::Consensus> consensus_of(const System& system, const Cluster& cluster);

// The class whose member a hook is: System unless the hook is overridden.
template <class Class, class Member>
std::type_identity<Class> class_of(Member Class::*);
template <auto hook>
inline constexpr bool is_overridden = !std::is_same_v<decltype(class_of(hook)), std::type_identity<System>>;

// The base of each system: it says of System what follows from the settings `Params`. Systems with hooks in common
// have them in a `Base`.
template <class Params, class Base = System>
class SystemOf : public Base {
 public:
  using Itself = Params;

  const SystemFacts& facts() const override { return Params::facts; }
  std::unique_ptr<System> clone() const override {
    constexpr bool has_program = is_overridden<&Params::program>;
    static_assert(has_program || is_overridden<&Params::worker>, "a system overrides worker() or program()");
    static_assert(has_program || Params::facts.needs_servers == is_overridden<&Params::server>,
                  "a system overrides server() if it needs servers, and only then");
    static_assert(Params::facts.one_trains == is_overridden<&Params::training_worker>,
                  "training_worker() is of systems in which one worker trains");
    constexpr bool one_model = Params::facts.one_model;
    static_assert(one_model != is_overridden<&Params::traffic>, "a system overrides traffic(), or split_traffic()");
    static_assert(one_model == is_overridden<&Params::split_traffic> &&
                      one_model == is_overridden<&Params::split_memory> &&
                      one_model == is_overridden<&Params::split_parts>,
                  "a system of one model overrides all of split_traffic(), split_memory() and split_parts()");
    return std::make_unique<Params>(static_cast<const Params&>(*this));
  }
  void visit_fields(FieldVisitor& visit) override { fields(visit, static_cast<Params&>(*this)); }
  bool has_consensus() const override { return is_overridden<&Params::consensus>; }
};

// A system by its type. A struct that derives from a system without SystemOf is none: its settings would be cut off.
template <class T>
concept IsSystem = std::is_same_v<typename T::Itself, T>;

}  // namespace ddl
