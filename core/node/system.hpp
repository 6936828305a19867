// A training system as seen by the code that runs it: its settings, its programs, and facts about it.
//
// A system is a struct of settings, derived from SystemOf, with fields() beside it (see core/base/fields.hpp). It
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

// A system of the literature as settings (a JSON object) of another one.
struct Preset {
  const char* name = "";
  const char* settings = "";
  const char* paper = "";
};

struct SystemFacts {
  const char* name = "";
  const char* what = "";  // one line
  const char* paper = "";
  bool needs_servers = false;  // at least one; otherwise the platform's servers stay idle
  int least_workers = 1;
  bool one_model = false;        // workers share one model and each minibatch: a step is a step of all
  bool chooses_samples = false;  // every worker has the whole training set, and the system chooses the minibatches
  bool one_trains = false;       // only one worker trains, on the whole training set
  bool fetches_model = false;    // a late worker asks a peer for its model before it starts
  bool equal_replicas = false;   // workers end with equal models, to the bit, if the run ends by steps
  bool servers_agree = false;    // several servers decide alike from what each has heard of workers
  // While no host comes or goes, a worker's model after each of its steps follows from its settings and the seed,
  // whatever time steps and messages take. Its random draws and sums have one order then, too.
  bool timing_independent = false;
  std::span<const Preset> presets = {};
  // Settings that change what is sent, or when, and values worth trying beside the defaults: a JSON object each, as of
  // a sweep's "zip", whose lists go in step.
  std::span<const char* const> tuned = {};
  // True if it needs Node::model_parallel().
  constexpr bool is_model_parallel() const { return one_model || chooses_samples; }
};

// An error in the setting `key`.
struct SettingError {
  std::string key;
  std::string what;
};

// Surroundings that settings may have to fit.
struct Surroundings {
  int workers = 0, servers = 0;
  Slices slices = Slices::any;                 // the optimizer's
  std::vector<std::string> worker_names = {};  // empty while the platform is not known
};

// The slices that a system needs steps to be made in.
struct NeededSlices {
  Slices slices = Slices::none;
  std::string why = "";      // such as "each worker has a part of it"
  std::string instead = "";  // a remedy
};

// Memory of a system, summed over all workers.
struct MemoryUse {
  double vectors = 0;             // as long as the model, kept by a worker in addition to its weights
  double parameters = 0;          // held by all workers together
  double training = 0;            // how many of these are trained at the same time
  double values = 0;              // activations per sample, in addition to those of a whole model
  bool all_to_all = false;        // every host talks to every other
  bool spawns_for_peers = false;  // and spawns something for each of them
};

// A whole model of `parameters` values (0 when timing only) at every worker.
inline MemoryUse replicas(std::size_t parameters, int workers) {
  const double held = workers * static_cast<double>(parameters);
  return {.parameters = held, .training = held};
}

class System {
 public:
  virtual ~System() = default;

  // --- facts that SystemOf supplies ---
  virtual const SystemFacts& facts() const = 0;
  virtual std::unique_ptr<System> clone() const = 0;
  virtual void visit_fields(FieldVisitor& visit) = 0;
  virtual bool has_consensus() const = 0;  // true if it overrides consensus()

  // --- hooks: worker() and, with servers, server(), or program(); traffic(); others where the default does not do ---
  virtual void worker(Node& /*node*/) const {}
  virtual void server(Node& /*node*/) const {}
  // The program of one node. It keeps a reference to `node`, and none to this. Default: worker() or server().
  virtual std::unique_ptr<Program> program(Node& node) const;
  // Messages of a step, for lower bounds.
  virtual Traffic traffic(const Cluster& /*cluster*/) const { return {}; }
  virtual std::vector<SettingError> errors(const Surroundings& /*around*/) const { return {}; }
  // Slices that the system cannot do without; an optimizer that grants less is refused. What it can do without it
  // learns from Cluster::steps_by_slices. Default: slices, once a step, where servers or workers hold parts of one
  // model.
  virtual NeededSlices needed_slices(const Surroundings& around) const;
  // Fills in settings that were left out with the values that take effect. Called after reading without a cluster, when
  // it must set all that other hooks read; and for a result with `cluster`, to set the rest.
  virtual void fill_defaults(const Cluster* /*cluster*/) {}
  // Lead over the slowest worker; none: without bound.
  virtual std::optional<int> most_steps_ahead() const { return std::nullopt; }
  virtual MemoryUse memory(std::size_t parameters, int workers) const { return replicas(parameters, workers); }
  // The setting with which no host may come or go, such as "local_from"; "": there is none.
  virtual std::string all_hosts_for() const { return ""; }
  // Likewise the setting with which only whole sites may.
  virtual std::string whole_sites_for() const { return ""; }
  bool needs_all_hosts() const { return facts().is_model_parallel() || !all_hosts_for().empty(); }
  // Steps after which its pattern of exchange repeats.
  virtual int period() const { return 1; }
  // True if it reads Cluster::exchange_s.
  virtual bool needs_exchange_times() const { return false; }
  virtual bool needs_rates() const { return false; }
  // The messages of one sum of a whole model, if the system uses Cluster::sum_phases to choose which layers travel
  // together. Otherwise empty.
  virtual Phases bucketed_sum(const Cluster& /*cluster*/) const { return {}; }
  // With facts.timing_independent: the parts of the vector that are summed each by itself, if the network may decide
  // how it is divided; sums of other parts are rounded differently. None: with these settings sizes of messages follow
  // from values, or what is learned from times.
  using Parts = std::vector<std::vector<Slice>>;
  virtual std::optional<Parts> summed_parts(const Cluster& /*cluster*/) const { return Parts(); }
  // The nodes that together hold the one model by which every worker is judged: a server its shard, a worker all of it
  // or, with facts.one_model, its part. None: each worker is judged by its own weights. Default: the shared model, of
  // the servers or of facts.one_model's workers.
  virtual std::vector<int> model_holders(const Cluster& cluster) const;
  // Speed at which models converge to their mean; none: unknown, or too many workers to compute. See consensus_of().
  virtual std::optional<graph::Consensus> consensus(const Cluster& /*cluster*/) const { return std::nullopt; }
  // Settings without effect on this cluster, and the system's own choices, a line each.
  virtual std::vector<std::string> notes(const Cluster& /*cluster*/) const { return {}; }
  virtual int requests() const { return 0; }  // predictions after training
  // Steps of the model while each worker makes one.
  virtual double steps_per_iteration(const Cluster& /*cluster*/) const { return 1; }
  // The worker that trains, with facts.one_trains.
  virtual int training_worker(const std::vector<std::string>& /*worker_names*/) const { return 0; }

  // --- in place of traffic() and memory(), by layers, where all workers share one model (facts.one_model) ---
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

// Traffic and memory of either kind of system. `model`: the network, whose layers a system of one model needs; null
// when timing only, or if the model is a program's.
Traffic traffic_of(const System& system, const nn::Model* model, const Cluster& cluster);
MemoryUse memory_use_of(const System& system, const nn::Model* model, std::size_t parameters, int workers);
// None where models are not averaged, or too many workers to compute.
std::optional<graph::Consensus> consensus_of(const System& system, const Cluster& cluster);

// The class whose member a hook is: System unless the hook is overridden.
template <class Class, class Member>
std::type_identity<Class> class_of(Member Class::*);
template <auto hook>
inline constexpr bool is_overridden = !std::is_same_v<decltype(class_of(hook)), std::type_identity<System>>;

// Base of every system: implements System's facts and settings from the struct `Params`. Systems that share hooks have
// them in a `Base`.
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
    static_assert(!Params::facts.timing_independent || (!Params::facts.needs_servers && !Params::facts.one_model),
                  "a model of servers, or of several workers together, has no step of one worker to be judged after");
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

// A system by its type. Excludes a struct that derives from another system without SystemOf: its settings would be
// sliced off.
template <class T>
concept IsSystem = std::is_same_v<typename T::Itself, T>;

}  // namespace ddl
