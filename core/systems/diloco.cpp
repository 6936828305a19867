// DiLoCo (Douillard et al., 2023, algorithm 1), Streaming DiLoCo (2025, algorithm 2) and Eager Updates (Kale et al.,
// 2025), worker i; A is the outer model, of which each worker has a copy, x its own, p a fragment of them:
//
//   1  x = step(x, gradient(x)); t = t + 1             replica "site": by the mean gradient of the workers at the site
//   2  fragment p at its boundary:    D_p = A_p - x_p; begin allreduce_mean(C(D_p))          C: the codec
//   3  when it is due, tau steps on:  wait for D_p;  A_p = outer_step(A_p, D_p);  x_p = alpha x_p + (1 - alpha) A_p
//      eager, at once:                D_p = mean of the round before + (own D_p - own D_p of the round before) g / n,
//                                     while this worker has steps: so its A is ahead of the others' by its own share
//                                     (g: 1, or with replica "site" the workers there)
//   4  a worker whose steps are over contributes nothing, and takes what others contribute, until a round without
//      contributions ends the group
//
// D points against the descent, as a gradient does. Round k = 0, 1, ... has its boundary after step (k + 1) H / P
// (rounded down), of fragment k + 1 mod P in the paper and k mod P in torchft. Sums are made by an actor beside the
// worker's own, so that they travel while it computes; rounds are summed in their order.
#include "core/systems/diloco.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/site_step.hpp"

namespace ddl::systems {
namespace {

comm::Collective collective_of(const DilocoParams& params) {
  const auto by_default = params.replica == Replica::site ? comm::Collective::hierarchical : comm::Collective::ring;
  return params.collective.value_or(by_default);
}

// When round k takes place, and of which fragment.
class Rounds {
 public:
  explicit Rounds(const DilocoParams& params) : params_(params) {}

  std::size_t fragment(std::int64_t k) const {
    return static_cast<std::size_t>((is_paper() ? k + 1 : k) % params_.fragments);
  }
  // Steps after which it is sent, and after which it is applied.
  std::int64_t sent(std::int64_t k) const { return boundary(k) - (is_paper() ? 0 : params_.fragment_sync_delay); }
  std::int64_t applied(std::int64_t k) const { return boundary(k) + (is_paper() ? params_.fragment_sync_delay : 0); }

 private:
  bool is_paper() const { return params_.phase == FragmentPhase::paper; }
  std::int64_t boundary(std::int64_t k) const { return (k + 1) * params_.sync_every / params_.fragments; }

  const DilocoParams& params_;
};

// u and A of one worker; see OuterParams.
class OuterModel {
 public:
  OuterModel(const OuterParams& params, const Payload& start, std::size_t parameters)
      : params_(params),
        model_(start),
        velocity_(start && !std::holds_alternative<OuterSgd>(params) ? parameters : 0) {}

  std::span<const float> read() const { return model_.read(); }
  Payload snapshot() const { return model_.snapshot(); }

  void step(const comm::Partition& fragment, const Payload& moves) {
    comm::scatter(fragment, moves, [&](Slice slice, std::span<const float> move) {
      const std::span<float> model = part_of(model_.write(), slice);
      const std::span<float> velocity = part_of(std::span<float>(velocity_), slice);
      std::visit([&](const auto& kind) { step(kind, model, velocity, move); }, params_);
    });
  }

 private:
  using Values = std::span<float>;
  using Moves = std::span<const float>;

  static void step(const OuterNesterov& params, Values model, Values velocity, Moves move) {
    const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < model.size(); ++i) {
      velocity[i] = mu * velocity[i] + move[i];
      model[i] -= rate * (move[i] + mu * velocity[i]);
    }
  }
  static void step(const OuterHeavyBall& params, Values model, Values velocity, Moves move) {
    const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < model.size(); ++i) {
      velocity[i] = mu * velocity[i] + move[i];
      model[i] -= rate * velocity[i];
    }
  }
  static void step(const OuterSgd& params, Values model, Values /*velocity*/, Moves move) {
    add_scaled(model, move, -static_cast<float>(params.learning_rate));
  }

  const OuterParams params_;
  Weights model_;
  std::vector<float> velocity_;
};

class DilocoWorker : public Program {
 public:
  DilocoWorker(const DilocoParams& params, Node& node)
      : node_(node),
        params_(params),
        rounds_(params_),
        fragments_(comm::by_layers(params.fragment_order, params.fragments, node.cluster())),
        outer_(params.outer, node.weights().snapshot(), node.cluster().parameters),
        all_reduce_(node, collective_of(params), 0, OnFailure::wait, "moves of the other workers"),
        sums_(node, all_reduce_, params.codec, fragments_) {
    if (params.replica == Replica::site) site_step_.emplace(node, 1);
  }

  void run() override {
    node_.spawn("sums", [this] { sum_rounds(); });
    bool others_go_on = true;
    while (others_go_on) {
      const bool at_work = node_.next_step();
      take_step(at_work);  // 1
      ++steps_;
      while (rounds_.sent(sent_) == steps_) send(sent_++, at_work);                          // 2
      while (others_go_on && is_due(applied_)) others_go_on = apply(applied_++) || at_work;  // 3, 4
      if (at_work) node_.finish_step();
    }
  }

  Payload judged_model() const override { return outer_.snapshot(); }

 private:
  struct Round {
    comm::Sum own;
    std::optional<comm::Sum> total;
  };

  void take_step(bool at_work) {
    if (site_step_) {
      site_step_->take(at_work);
    } else if (at_work) {
      node_.apply(node_.gradient());
    }
  }

  bool is_due(std::int64_t k) const { return (params_.eager ? rounds_.sent(k) : rounds_.applied(k)) == steps_; }
  const comm::Partition& fragment(std::int64_t k) const { return fragments_[rounds_.fragment(k)]; }

  void send(std::int64_t k, bool contributes) {
    Payload moves = contributes ? comm::gather(outer_.read(), fragment(k)) : nullptr;
    if (moves) {
      std::vector<float> difference = *moves;
      add_scaled(difference, values_of(comm::gather(node_.weights().read(), fragment(k))), -1);
      moves = make_payload(std::move(difference));
    }
    known_[k] = {{std::move(moves), contributes}, std::nullopt};
    node_.notify();
  }

  // False: no worker had anything to contribute.
  bool apply(std::int64_t k) {
    const std::int64_t from = params_.eager ? k - params_.fragments : k;  // eager: the round before of this fragment
    if (from >= 0) wait_for_sum(from);
    const bool any = from < 0 || known_.at(from).total->count > 0;
    const Payload moves = params_.eager ? eager_mean(k, from) : mean_of(from);
    known_.erase(from);
    if (!any || !moves) return any;
    outer_.step(fragment(k), moves);
    const std::span<float> own = node_.weights().write();
    for (const Slice slice : fragment(k)) {
      blend(part_of(own, slice), part_of(outer_.read(), slice), static_cast<float>(params_.fragment_update_alpha));
    }
    return true;
  }

  void wait_for_sum(std::int64_t k) {  // W.
    node_.wait_until([this, k] { return known_.at(k).total.has_value(); }, "moves of the other workers");
  }

  // Null without contributions, or when timing only.
  Payload mean_of(std::int64_t k) const {
    const comm::Sum& total = *known_.at(k).total;
    if (!total.values || total.count == 0) return nullptr;
    std::vector<float> mean(total.values->size());
    add_scaled(mean, values_of(total.values), 1.0f / static_cast<float>(total.count));
    return make_payload(std::move(mean));
  }

  // Of the first round, the worker's own share of its move. Null once it has no steps, or when timing only.
  Payload eager_mean(std::int64_t k, std::int64_t before) const {
    const Payload mean = before >= 0 ? mean_of(before) : nullptr;
    const Payload now = known_.at(k).own.values, then = before >= 0 ? known_.at(before).own.values : nullptr;
    if (!now) return nullptr;
    std::vector<float> moves(comm::size_of(fragment(k)));
    const float share =
        static_cast<float>(site_step_ ? site_step_->workers() : 1) / static_cast<float>(node_.cluster().workers);
    if (mean) add_scaled(moves, values_of(mean));
    add_scaled(moves, values_of(now), share);
    if (then) add_scaled(moves, values_of(then), -share);
    return make_payload(std::move(moves));
  }

  // --- the actor that sums ---

  void sum_rounds() {
    for (std::int64_t k = 0;; ++k) {
      node_.wait_until([this, k] { return known_.contains(k); }, service);
      const comm::Sum own = known_.at(k).own;
      std::optional<comm::Sum> total = sums_.sum(rounds_.fragment(k), own);
      check(total.has_value(), "a group whose hosts stay");
      known_.at(k).total = std::move(total);
      node_.notify();
    }
  }

  Node& node_;
  const DilocoParams params_;
  const Rounds rounds_;
  const std::vector<comm::Partition> fragments_;
  OuterModel outer_;
  membership::Regrouping all_reduce_;
  membership::CompressedSum sums_;
  std::optional<SiteStep> site_step_;    // if a replica is a site
  std::map<std::int64_t, Round> known_;  // rounds that are sent and not yet done with
  std::int64_t steps_ = 0, sent_ = 0, applied_ = 0;
};

}  // namespace

std::unique_ptr<Program> DilocoParams::program(Node& node) const { return std::make_unique<DilocoWorker>(*this, node); }

Traffic DilocoParams::traffic(const Cluster& cluster) const {
  comm::by_layers(fragment_order, fragments, cluster);  // throws if the model cannot be cut so
  const double rounds_per_step = static_cast<double>(fragments) / sync_every;
  const bool overlapped = fragment_sync_delay > 0 || eager;
  comm::Phases phases =
      membership::phases_of_sums(collective_of(*this), codec, cluster, 1.0 / fragments, rounds_per_step);
  if (replica == Replica::site) phases.insert(phases.begin(), flows_of_site_steps(cluster));
  return {overlapped ? Pace::overlapped : Pace::lockstep, std::move(phases)};
}

std::vector<SettingError> DilocoParams::errors(const Surroundings&) const {
  std::vector<SettingError> list;
  const auto add = [&](const char* key, const std::string& what) { list.push_back({key, what}); };
  const std::string every = "the " + std::to_string(sync_every) + " steps of sync_every";
  if (fragments > sync_every) {
    add("fragments", std::to_string(fragments) + " is more than " + every + "; expected a step for each fragment");
    return list;
  }
  if (eager && fragment_sync_delay > 0) {
    add("fragment_sync_delay", "is given beside \"eager\", which applies at once; expected 0");
  }
  if (phase == FragmentPhase::paper && fragment_sync_delay > sync_every) {
    add("fragment_sync_delay", std::to_string(fragment_sync_delay) + " is more than " + every +
                                   "; expected at most as many, for a fragment travels once at a time");
  }
  if (phase != FragmentPhase::torchft) return list;
  if (eager) add("eager", "is the paper's, not torchft's; expected phase \"paper\"");
  if (sync_every % fragments != 0) {
    add("fragments", std::to_string(fragments) + " do not divide " + every + "; torchft expects a divisor");
  } else if (fragment_sync_delay >= sync_every / fragments) {
    add("fragment_sync_delay", std::to_string(fragment_sync_delay) + " is no less than the " +
                                   std::to_string(sync_every / fragments) +
                                   " steps from one fragment to the next; torchft expects fewer");
  }
  return list;
}

std::vector<std::string> DilocoParams::notes(const Cluster& cluster) const {
  return comm::notes_of(collective_of(*this), cluster);
}

MemoryUse DilocoParams::memory(std::size_t parameters, int workers) const {
  MemoryUse use = replicas(parameters, workers);
  use.vectors = std::holds_alternative<OuterSgd>(outer) ? 1 : 2;
  return use;
}

}  // namespace ddl::systems
