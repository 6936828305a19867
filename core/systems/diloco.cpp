// DiLoCo (Douillard et al., 2023, algorithm 1), Streaming DiLoCo (2025, algorithm 2) and Eager Updates (Kale et al.,
// 2025), worker i; A is the outer model, of which each worker has a copy, x its own, p a fragment of them:
//
//   1  x = step(x, gradient(x)); t = t + 1             replica "site": by the mean gradient of the workers at the site
//   2  fragment p at its boundary:    D_p = A_p - x_p; begin allreduce_mean(C(D_p))          C: the codec
//                                     replica "site": each replica weighs alike, or by its workers (weight)
//   3  when it is due, tau steps on:  wait for D_p;  A_p = outer_step(A_p, D_p);  x_p = alpha x_p + (1 - alpha) A_p
//      eager, at once:                D_p = mean of the round before + (own D_p - own D_p of the round before) g / n,
//                                     while this worker has steps: so its A is ahead of the others' by its own share
//                                     (g: 1, or with replica "site" the workers there)
//   4  a replica whose steps are over contributes nothing, and takes what others contribute, until a round without
//      contributions ends the group
//
// By layers, 2 takes place bucket by bucket of layers, each when its gradient and so its inner step is known, and 3
// before its next forward pass: each bucket waits for its own D alone.
//
// D points against the descent, as a gradient does. Round k = 0, 1, ... has its boundary after step (k + 1) H / P
// (rounded down), of fragment k + 1 mod P in the paper and k mod P in torchft. Sums are made by an actor beside the
// worker's own, so that they travel while it computes; rounds are summed in their order.
#include "core/systems/diloco.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "core/comm/buckets.hpp"
#include "core/membership/background_sums.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/site_step.hpp"

namespace ddl::systems {
namespace {

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

  // `inner_rate`: of the last step in the moves.
  void step(const comm::Partition& fragment, const Payload& moves, double inner_rate) {
    const float rescaled = rescaling(fragment.front().begin, inner_rate);
    comm::scatter(fragment, moves, [&](Slice slice, std::span<const float> move) {
      const std::span<float> model = part_of(model_.write(), slice);
      const std::span<float> velocity = part_of(std::span<float>(velocity_), slice);
      std::visit([&](const auto& kind) { step(kind, model, velocity, move, rescaled); }, params_);
    });
  }

 private:
  using Values = std::span<float>;
  using Moves = std::span<const float>;

  // The factor of the velocity, in the fragment that begins at this coordinate.
  float rescaling(std::size_t first, double inner_rate) {
    const double last = std::exchange(rates_.try_emplace(first, inner_rate).first->second, inner_rate);
    const bool follows = std::visit(
        [](const auto& kind) {
          if constexpr (requires { kind.velocity; }) return kind.velocity == OuterVelocity::gradients;
          return false;
        },
        params_);
    if (!follows) return 1;
    return last > 0 ? static_cast<float>(inner_rate / last) : 0;
  }

  static void step(const OuterNesterov& params, Values model, Values velocity, Moves move, float rescaled) {
    const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < model.size(); ++i) {
      velocity[i] = mu * rescaled * velocity[i] + move[i];
      model[i] -= rate * (move[i] + mu * velocity[i]);
    }
  }
  static void step(const OuterHeavyBall& params, Values model, Values velocity, Moves move, float rescaled) {
    const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < model.size(); ++i) {
      velocity[i] = mu * rescaled * velocity[i] + move[i];
      model[i] -= rate * velocity[i];
    }
  }
  static void step(const OuterSgd& params, Values model, Values /*velocity*/, Moves move, float /*rescaled*/) {
    add_scaled(model, move, -static_cast<float>(params.learning_rate));
  }

  const OuterParams params_;
  Weights model_;
  std::vector<float> velocity_;
  std::map<std::size_t, double> rates_;  // of the last outer step, by the fragment's first coordinate
};

// A unit of travel: a bucket of layers where rounds overlap with passes through these, otherwise a fragment.
struct Unit {
  std::size_t number = 0;  // among all units
  comm::Partition part;
  std::vector<std::size_t> layers = {};  // of a bucket
};
using Fragment = std::vector<Unit>;  // in the order in which a backward pass knows them

bool is_layered(const DilocoParams& params, const Cluster& cluster) {
  return params.overlap.value() == FragmentOverlap::layers && !cluster.layers.empty();
}

// The buckets of each fragment.
std::vector<std::vector<comm::Bucket>> buckets_of(const std::vector<comm::Partition>& parts, const Cluster& cluster) {
  std::vector<std::vector<comm::Bucket>> buckets;
  for (const comm::Partition& part : parts) {
    std::vector<std::size_t> layers = comm::all_layers(cluster);
    std::erase_if(
        layers, [&](std::size_t layer) { return std::ranges::find(part, cluster.layers[layer].slice) == part.end(); });
    buckets.push_back(comm::quickest_buckets(cluster, layers, cluster.steps_by_slices));
  }
  return buckets;
}

std::vector<Fragment> fragments_of(const DilocoParams& params, const Cluster& cluster) {
  std::vector<Fragment> fragments;
  std::size_t number = 0;
  const auto parts = comm::by_layers(params.fragment_order, params.fragments, cluster);
  if (!is_layered(params, cluster)) {
    for (const comm::Partition& part : parts) fragments.push_back({{number++, part}});
    return fragments;
  }
  for (const std::vector<comm::Bucket>& buckets : buckets_of(parts, cluster)) {
    Fragment& fragment = fragments.emplace_back();
    for (const comm::Bucket& bucket : buckets) fragment.push_back({number++, bucket.part, bucket.layers});
  }
  return fragments;
}

// The weight of each worker's move: those at a site of replicas weigh together what a worker weighs on average over all
// sites.
double weight_of_move(const DilocoParams& params, int worker, const Cluster& cluster) {
  if (params.replica == Replica::worker || params.weight == SiteWeight::workers) return 1;
  const auto beside = static_cast<double>(workers_beside(worker, cluster).size());
  return cluster.workers / (sites_at_work(cluster) * beside);
}

std::vector<comm::Partition> parts_of(const std::vector<Fragment>& fragments) {
  std::vector<comm::Partition> parts;
  for (const Fragment& fragment : fragments) {
    for (const Unit& unit : fragment) parts.push_back(unit.part);
  }
  return parts;
}

class DilocoWorker : public Program {
 public:
  DilocoWorker(const DilocoParams& params, Node& node)
      : node_(node),
        params_(params),
        rounds_(params_),
        is_layered_(is_layered(params, node.cluster())),
        weight_(weight_of_move(params, node.id(), node.cluster())),
        fragments_(fragments_of(params, node.cluster())),
        outer_(params.outer, node.weights().snapshot(), node.cluster().parameters),
        all_reduce_(node, params.collective.value(), 0, OnFailure::wait, awaited),
        compressed_(node, all_reduce_, params.codec, parts_of(fragments_)),
        sums_(node, compressed_, awaited) {
    if (params.replica == Replica::site) site_step_.emplace(node, 1);
    calls_.begin = [this](std::size_t) { apply_next(); };
    calls_.known = [this](std::size_t, const Gradient& gradient) {
      run_share_ = gradient.run_share;
      for (const std::size_t layer : fragment(sent_)[units_sent_].layers) step_layer(layer, gradient);
      send_next(true);
    };
  }

  void run() override {
    sums_.start();
    while (true) {
      const bool at_work = node_.next_step();
      if (at_work) {
        take_step();  // 1; by layers also 2 of this step, and before it 3 of the last
      } else {
        complete();
        if (site_step_) site_step_->take(false);
        ++steps_;
      }
      const std::int64_t k = sent_;
      while (rounds_.sent(k) == steps_ && sent_ == k) {  // 2
        send_next(at_work || (site_step_ && site_step_->is_at_work()));
        if (at_work || sums_.wait_for(sum_of(k, 0)).weight > 0) continue;
        while (applied_ < k) apply_next();
        return;  // 4
      }
      is_open_ = at_work;
      if (!is_layered_ || !at_work || !is_due()) complete();  // 3
    }
  }

  Payload judged_model() const override { return outer_.snapshot(); }

 private:
  static constexpr const char* awaited = "moves of the other workers";

  const Fragment& fragment(std::int64_t k) const { return fragments_[rounds_.fragment(k)]; }

  // --- inner steps ---

  void take_step() {  // W.
    if (site_step_) {
      run_share_ = site_step_->take(true);
      ++steps_;
      return;
    }
    calls_.held.clear();
    calls_.told.clear();
    if (is_due()) {
      for (const Unit& unit : fragment(applied_) | std::views::reverse) calls_.held.push_back(unit.layers.back());
    }
    std::vector<char> is_sent(node_.cluster().layers.size());
    if (is_layered_ && node_.cluster().steps_by_slices && rounds_.sent(sent_) == steps_ + 1) {
      for (const Unit& unit : fragment(sent_)) {
        calls_.told.push_back(unit.layers.back());
        for (const std::size_t layer : unit.layers) is_sent[layer] = 1;
      }
    }
    const bool is_block = calls_.held.empty() && calls_.told.empty();
    const Gradient gradient = node_.gradient(is_block ? nullptr : &calls_);
    ++steps_;
    run_share_ = gradient.run_share;
    if (calls_.told.empty()) return node_.apply(gradient);
    for (std::size_t layer = 0; layer < is_sent.size(); ++layer) {
      if (is_sent[layer] == 0) step_layer(layer, gradient);
    }
  }

  void step_layer(std::size_t layer, const Gradient& gradient) {
    const std::vector<LayerInfo>& layers = node_.cluster().layers;
    layers_stepped_ = layers_stepped_ % layers.size() + 1;
    if (!gradient.values) return;
    const Slice slice = layers[layer].slice;
    node_.apply({.gradient = part_of(values_of(gradient.values), slice),
                 .gradients = layers_stepped_ == layers.size() ? 1 : 0,
                 .penalised_at = gradient.at,
                 .run_share = gradient.run_share,
                 .first = slice.begin});
  }

  // --- rounds ---

  // Whether a round is to be applied after the last step, or before a layer's next forward pass.
  bool is_due() const { return (params_.eager ? rounds_.sent(applied_) : rounds_.applied(applied_)) == steps_; }

  // Begins the sum of the next unit of round sent_.
  void send_next(bool contributes) {
    if (units_sent_ == 0) first_sum_[sent_] = sums_.asked();
    const Unit& unit = fragment(sent_)[units_sent_];
    Payload moves = contributes ? comm::gather(outer_.read(), unit.part) : nullptr;
    if (moves) {
      std::vector<float> difference = *moves;
      add_scaled(difference, values_of(comm::gather(node_.weights().read(), unit.part)), -1);
      if (weight_ != 1) std::ranges::for_each(difference, [this](float& move) { move *= static_cast<float>(weight_); });
      moves = make_payload(std::move(difference));
    }
    sums_.ask(unit.number, {std::move(moves), contributes ? weight_ : 0, contributes ? run_share_ : 0});
    if (++units_sent_ < fragment(sent_).size()) return;
    units_sent_ = 0;
    ++sent_;
  }

  // Ends the last step: what is due after it is applied.
  void complete() {  // W.
    while (is_due()) apply_next();
    finish_step();
  }

  void finish_step() {
    if (std::exchange(is_open_, false)) node_.finish_step();
  }

  // W. Applies the unit of round applied_ that the next forward pass needs first.
  void apply_next() {
    const std::int64_t k = applied_, from = params_.eager ? k - params_.fragments : k;  // eager: of the round before
    const std::size_t i = fragment(k).size() - ++units_applied_;
    std::optional<comm::Sum> total;
    if (from >= 0) total = sums_.wait_for(sum_of(from, i));
    const double share = params_.eager ? sums_.own(sum_of(k, i)).run_share : total->run_share;
    apply(fragment(k)[i].part, params_.eager ? eager_mean(k, from, i) : mean_of(total),
          node_.cluster().learning_rate(rounds_.sent(k) - 1, share));
    if (from >= 0) sums_.forget(sum_of(from, i));
    if (i > 0) return;
    first_sum_.erase(from);
    units_applied_ = 0;
    ++applied_;
    finish_step();
  }

  std::int64_t sum_of(std::int64_t k, std::size_t unit) const {
    return first_sum_.at(k) + static_cast<std::int64_t>(unit);
  }

  void apply(const comm::Partition& part, const Payload& moves, double inner_rate) {
    if (!moves) return;
    outer_.step(part, moves, inner_rate);
    const std::span<float> own = node_.weights().write();
    for (const Slice slice : part) {
      blend(part_of(own, slice), part_of(outer_.read(), slice), static_cast<float>(params_.fragment_update_alpha));
    }
  }

  // Null without contributions, or when timing only.
  static Payload mean_of(const std::optional<comm::Sum>& total) {
    if (!total || !total->values || total->weight == 0) return nullptr;
    std::vector<float> mean(total->values->size());
    add_scaled(mean, values_of(total->values), 1.0f / static_cast<float>(total->weight));
    return make_payload(std::move(mean));
  }

  // Of the first round, the worker's own share of its move. Null once it has no steps, or when timing only.
  Payload eager_mean(std::int64_t k, std::int64_t before, std::size_t i) const {
    const bool has_before = before >= 0;
    const Payload mean = has_before ? mean_of(sums_.total(sum_of(before, i))) : nullptr;
    const Payload now = sums_.own(sum_of(k, i)).values;
    const Payload then = has_before ? sums_.own(sum_of(before, i)).values : nullptr;
    if (!now) return nullptr;
    std::vector<float> moves(now->size());
    const float share =
        static_cast<float>(site_step_ ? site_step_->workers() : 1) / static_cast<float>(node_.cluster().workers);
    if (mean) add_scaled(moves, values_of(mean));
    add_scaled(moves, values_of(now), share);
    if (then) add_scaled(moves, values_of(then), -share);
    return make_payload(std::move(moves));
  }

  Node& node_;
  const DilocoParams params_;
  const Rounds rounds_;
  const bool is_layered_;
  const double weight_;  // of a move
  const std::vector<Fragment> fragments_;
  OuterModel outer_;
  membership::Regrouping all_reduce_;
  membership::CompressedSum compressed_;
  membership::BackgroundSums sums_;
  std::optional<SiteStep> site_step_;  // if a replica is a site
  LayerCalls calls_;

  std::int64_t steps_ = 0;
  double run_share_ = 0;                            // of the last gradient
  std::size_t layers_stepped_ = 0;                  // of the step under way
  std::int64_t sent_ = 0, applied_ = 0;             // rounds that are
  std::size_t units_sent_ = 0;                      // of round sent_
  std::size_t units_applied_ = 0;                   // of round applied_
  std::map<std::int64_t, std::int64_t> first_sum_;  // by round that is sent and not yet done with: number of its first
  bool is_open_ = false;                            // the last step, which is not finished
};

}  // namespace

std::unique_ptr<Program> DilocoParams::program(Node& node) const { return std::make_unique<DilocoWorker>(*this, node); }

Traffic DilocoParams::traffic(const Cluster& cluster) const {
  const double units = static_cast<double>(parts_of(fragments_of(*this, cluster)).size());
  const bool overlapped = fragment_sync_delay > 0 || eager || is_layered(*this, cluster);
  Phases phases = membership::phases_of_sums(collective.value(), codec, cluster, 1 / units, units / sync_every);
  if (replica == Replica::site) phases.insert(phases.begin(), flows_of_site_steps(cluster));
  return {overlapped ? Pace::overlapped : Pace::lockstep, std::move(phases)};
}

Phases DilocoParams::bucketed_sum(const Cluster& cluster) const {
  if (!is_layered(*this, cluster)) return {};
  return membership::phases_of_sums(collective.value(), codec, cluster, 1, 1);
}

void DilocoParams::fill_defaults(const Cluster*) {
  const bool sites = replica == Replica::site;
  if (!overlap) overlap = sites ? FragmentOverlap::none : FragmentOverlap::layers;
  if (!collective) collective = sites ? comm::Collective::hierarchical : comm::Collective::ring;
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
  if (replica == Replica::site && overlap == FragmentOverlap::layers) {
    add("overlap",
        "is \"layers\" beside replica \"site\", whose gradients are summed after the backward pass; expected \"none\"");
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
  std::vector<std::string> notes = comm::notes_of(collective.value(), cluster);
  if (overlap.value() == FragmentOverlap::layers) {
    std::ranges::copy(comm::notes_of_layers(cluster), std::back_inserter(notes));
  }
  if (is_layered(*this, cluster)) {
    notes.push_back(comm::text_of(buckets_of(comm::by_layers(fragment_order, fragments, cluster), cluster)));
  }
  if (replica == Replica::site && workers_beside(0, cluster).size() == static_cast<std::size_t>(cluster.workers)) {
    notes.emplace_back("all workers are at one site, and so one replica: no other has moves");
  }
  return notes;
}

MemoryUse DilocoParams::memory(std::size_t parameters, int workers) const {
  MemoryUse use = replicas(parameters, workers);
  use.vectors = std::holds_alternative<OuterSgd>(outer) ? 1 : 2;
  return use;
}

}  // namespace ddl::systems
