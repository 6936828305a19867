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
//   5  a replica that comes late or comes back takes A and its velocity from another, contributes nothing to the round
//      under way, and goes on from x = A after it; one that is away is in no mean (membership/regrouping.hpp)
//
// By layers, 2 takes place bucket by bucket of layers, each when its gradient and so its inner step is known, and 3
// before its next forward pass: each bucket waits for its own D alone.
//
// D points against the descent, as a gradient does. fragment_schedule.hpp says when each fragment has its boundary.
// Sums are made by an actor beside the worker's own, so that they travel while it computes; rounds are summed in their
// order.
#include "core/systems/diloco/diloco.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/codec/encoder.hpp"
#include "core/comm/buckets.hpp"
#include "core/membership/background_sums.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/nn/optimizer.hpp"
#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/diloco/fragment_schedule.hpp"
#include "core/systems/diloco/outer_model.hpp"
#include "core/systems/diloco/site_step.hpp"

namespace ddl::systems {
namespace {

// The weight of each worker's move: those at a site of replicas weigh together what a worker weighs on average over all
// sites.
double weight_of_move(const DilocoParams& params, int worker, const Cluster& cluster) {
  if (params.replica == Replica::worker || params.weight == SiteWeight::workers) return 1;
  const auto beside = static_cast<double>(workers_beside(worker, cluster).size());
  return cluster.workers / (sites_at_work(cluster) * beside);
}

// Null without contributions, or when timing only.
Payload mean_of(const comm::Sum& total) {
  if (!total.values || total.weight == 0) return nullptr;
  std::vector<float> mean(total.values->size());
  add_scaled(mean, values_of(total.values), 1.0f / static_cast<float>(total.weight));
  return make_payload(std::move(mean));
}

// Null when timing only.
Payload moves_between(std::span<const float> outer, std::span<const float> own, const comm::Partition& part,
                      double weight) {
  const Payload from = comm::gather(outer, part);
  if (!from) return nullptr;
  std::vector<float> moves = *from;
  add_scaled(moves, values_of(comm::gather(own, part)), -1);
  if (weight != 1) std::ranges::for_each(moves, [weight](float& move) { move *= static_cast<float>(weight); });
  return make_payload(std::move(moves));
}

class DilocoWorker : public Program {
 public:
  DilocoWorker(const DilocoParams& params, Node& node)
      : node_(node),
        params_(params),
        schedule_(params_, node.cluster()),
        weight_(weight_of_move(params, node.id(), node.cluster())),
        outer_(params.outer, node.weights().snapshot(), node.cluster().parameters),
        all_reduce_(node, {params.collective.value(), params.settings}, 0, params.on_failure, awaited,
                    {[this] { return pack_state(); }, [this](const Payload& state) { unpack_state(state); },
                     outer_.vectors() * node.cluster().model_bytes}),
        compressed_(node, all_reduce_, params.codec, schedule_.parts()),
        sums_(node, compressed_, awaited) {
    if (params.replica == Replica::site) site_step_.emplace(node, 1, params.settings);
    calls_.begin = [this](std::size_t) { apply_next(); };
    calls_.known = [this](std::size_t, const Gradient& gradient) {
      run_share_ = gradient.run_share;
      for (const std::size_t layer : next_sent().unit->layers) step_layer(layer, gradient);
      send_next(true);
    };
  }

  void run() override {
    all_reduce_.take_part([this] {
      if (!std::exchange(has_started_, true)) {
        sums_.start(all_reduce_.round());
        if (!node_.membership().starts_afresh()) enter();  // 5
      }
      take_rounds();
    });
  }

  Payload judged_model() const override { return outer_.snapshot(); }
  std::int64_t steps_unshared() const override {
    std::int64_t shared = shared_;
    sums_.each_total([&](std::int64_t sum, const comm::Sum&) { shared = std::max(shared, shared_by(sum)); });
    return std::max<std::int64_t>(0, steps_ - (is_step_open_ ? 1 : 0) - shared);
  }

 private:
  static constexpr const char* awaited = "moves of the other workers";

  void take_rounds() {
    group_began_ = sums_.asked();
    if (!send_due_round(false)) return;  // the rest of a round in which the group before has ended
    while (true) {
      const bool at_work = begin_step();
      if (leaves_ && !at_work && !(site_step_ && site_step_->is_at_work())) break;
      at_work ? take_step() : let_step_pass();  // 1; by layers also 2 of this step, and before it 3 of the last
      if (!send_due_round(at_work)) return;     // 2; 4
      is_step_open_ = at_work;
      if (!schedule_.is_by_layers() || !at_work || !is_due()) complete();  // 3
    }
    while (applied_ < sums_.asked()) apply_next();  // sums that it has begun
    finish_step();
  }

  Turn next_sent() const { return schedule_.sent(sums_.asked()); }
  Turn next_applied() const { return schedule_.applied(applied_); }
  // True if the next round is due now: after the last step, or before a layer's next forward pass.
  bool is_due() const { return schedule_.applied_after(next_applied().round) == steps_; }

  // --- inner steps ---

  // False if it has no more steps. A site that has taken its last step leaves, even if it joins again meanwhile: some
  // of its workers may have gone already.
  bool begin_step() {
    const bool may_work = !site_step_ || site_step_->is_at_work();
    if (may_work && node_.next_step()) return true;
    leaves_ = (leaves_ && !may_work) || node_.membership().leaves();
    return false;
  }

  void take_step() {  // W.
    if (site_step_) {
      run_share_ = site_step_->take(true);
      ++steps_;
      return;
    }
    calls_.held.clear();
    calls_.told.clear();
    if (is_due()) {
      for (const Unit& unit : schedule_.units(next_applied().round) | std::views::reverse) {
        calls_.held.push_back(unit.first_layer());
      }
    }
    const std::int64_t k = next_sent().round;
    if (schedule_.is_by_layers() && node_.cluster().steps_by_slices && schedule_.sent_after(k) == steps_ + 1) {
      for (const Unit& unit : schedule_.units(k)) calls_.told.push_back(unit.first_layer());
    }
    layers_stepped_.assign(calls_.told.empty() ? 0 : node_.cluster().layers.size(), false);
    const bool is_block = calls_.held.empty() && calls_.told.empty();
    const Gradient gradient = node_.gradient(is_block ? nullptr : &calls_);
    ++steps_;
    run_share_ = gradient.run_share;
    if (calls_.told.empty()) return node_.apply(gradient);
    for (std::size_t layer = 0; layer < layers_stepped_.size(); ++layer) {
      if (!layers_stepped_[layer]) step_layer(layer, gradient);
    }
  }

  void let_step_pass() {  // W.
    complete();
    if (site_step_) site_step_->take(false);
    shared_ = ++steps_;
  }

  void step_layer(std::size_t layer, const Gradient& gradient) {
    layers_stepped_[layer] = true;
    if (!gradient.values) return;
    const Slice slice = node_.cluster().layers[layer].slice;
    const bool is_last = std::ranges::count(layers_stepped_, false) == 0;
    node_.apply({.gradient = part_of(values_of(gradient.values), slice),
                 .gradients = is_last ? 1 : 0,
                 .penalised_at = gradient.at,
                 .run_share = gradient.run_share,
                 .first = slice.begin});
  }

  // --- rounds ---

  // W. Sends the round that is due after this step, unless it left during the step. False if no replica contributed to
  // it: then all rounds before it have been applied, and the group is done.
  bool send_due_round(bool at_work) {
    const std::int64_t k = next_sent().round;
    while (schedule_.sent_after(k) == steps_ && next_sent().round == k) {
      send_next(at_work || (site_step_ && site_step_->is_at_work()));
      const std::int64_t first = std::max(schedule_.first_sum(k), group_began_);
      if (at_work || sums_.wait_for(first).weight > 0 || has_newcomer(k)) continue;
      while (next_applied().round < k) apply_next();
      return false;
    }
    return true;
  }

  // True if a replica entered with this round, or later, so that the next ones may have contributions.
  bool has_newcomer(std::int64_t k) const { return all_reduce_.entered_at() >= schedule_.first_sum(k); }

  // Begins the sum of the next unit.
  void send_next(bool contributes) {
    const Unit& unit = *next_sent().unit;
    if (!contributes) return sums_.ask(unit.number, {});
    sums_.ask(unit.number,
              {moves_between(outer_.read(), node_.weights().read(), unit.part, weight_), weight_, run_share_});
  }

  // Ends the last step: what is due after it is applied.
  void complete() {  // W.
    while (is_due()) apply_next();
    finish_step();
  }

  void finish_step() {
    if (std::exchange(is_step_open_, false)) node_.finish_step();
  }

  // W. Applies the unit that the next forward pass needs first.
  void apply_next() {
    const Turn turn = next_applied();
    ++applied_;
    const std::int64_t sum = params_.eager ? turn.sum - schedule_.sums_of_a_cycle() : turn.sum;
    const comm::Sum total = sum >= 0 ? sums_.wait_for(sum) : comm::Sum{};
    const double share = params_.eager ? sums_.own(turn.sum).run_share : total.run_share;
    const Payload moves = params_.eager ? eager_mean(turn.sum, sum, total) : mean_of(total);
    if (moves) {
      step_outer(outer_, turn, moves, share);
      const std::span<float> own = node_.weights().write();
      for (const Slice slice : turn.unit->part) {
        blend(part_of(own, slice), part_of(outer_.read(), slice), static_cast<float>(params_.fragment_update_alpha));
      }
    }
    shared_ = std::max(shared_, shared_by(turn.sum));
    if (sum >= 0) sums_.forget(sum);
    if (turn.is_last) finish_step();
  }

  // This worker's inner steps whose moves a sum contains.
  std::int64_t shared_by(std::int64_t sum) const {
    return sums_.own(sum).weight > 0 ? schedule_.sent_after(schedule_.sent(sum).round) : 0;
  }

  void step_outer(OuterModel& outer, const Turn& turn, const Payload& moves, double run_share) const {
    if (!moves) return;
    outer.step(turn.unit->part, moves, node_.cluster().learning_rate(schedule_.sent_after(turn.round) - 1, run_share));
  }

  // The mean of the round before, with this worker's own move of this round in place of the one before; its own share
  // alone in the first round. Null once it has no steps, or when timing only.
  Payload eager_mean(std::int64_t sum, std::int64_t before, const comm::Sum& total) const {
    const Payload mean = mean_of(total);
    const Payload now = sums_.own(sum).values;
    const Payload then = before >= 0 ? sums_.own(before).values : nullptr;
    if (!now) return nullptr;
    std::vector<float> moves(now->size());
    const float share =
        static_cast<float>(site_step_ ? site_step_->workers() : 1) / static_cast<float>(node_.cluster().workers);
    if (mean) add_scaled(moves, values_of(mean));
    add_scaled(moves, values_of(now), share);
    if (then) add_scaled(moves, values_of(then), -share);
    return make_payload(std::move(moves));
  }

  // --- replicas that come and go ---

  // W. Takes part in the rest of a round without a contribution.
  void enter() {
    const std::int64_t k = next_sent().round;
    steps_ = shared_ = schedule_.sent_after(k);
    while (next_sent().round == k) {
      const Turn turn = next_sent();
      send_next(false);
      const comm::Sum total = sums_.wait_for(turn.sum);
      step_outer(outer_, turn, mean_of(total), total.run_share);
      sums_.forget(turn.sum);
    }
    applied_ = sums_.asked();
    node_.weights().adopt(outer_.snapshot());
    if (!site_step_ || node_.cluster().timing_only) return;
    nn::Optimizer& inner = node_.weights().optimizer();
    inner = inner.unused();  // one kept by a crash may be a step ahead of another's at this site
  }

  // The outer model with all sums so far, also those that are not yet due here, its velocity, and the inner steps at
  // the end of the round in which a newcomer enters.
  Payload pack_state() {
    if (node_.cluster().timing_only) return nullptr;
    OuterModel outer = outer_.copy();
    sums_.each_total([&](std::int64_t sum, const comm::Sum& total) {
      step_outer(outer, schedule_.sent(sum), mean_of(total), total.run_share);
    });
    std::vector<float> packed = outer.packed();
    ModelSteps inner = node_.weights().steps();
    if (has_started_) inner.whole += schedule_.sent_after(schedule_.sent(all_reduce_.round()).round) - steps_;
    inner.pack(packed);
    return make_payload(std::move(packed));
  }

  void unpack_state(const Payload& state) {
    if (!state) return;
    const auto steps = state->end() - ModelSteps::packed_values;
    outer_.unpack({state->begin(), steps});
    node_.weights().steps() = ModelSteps::unpack({steps, state->end()});
  }

  Node& node_;
  const DilocoParams params_;
  const FragmentSchedule schedule_;
  const double weight_;  // weight of this worker's moves
  OuterModel outer_;
  membership::Regrouping all_reduce_;
  membership::CompressedSum compressed_;
  membership::BackgroundSums sums_;
  std::optional<SiteStep> site_step_;  // if a replica is a site
  LayerCalls calls_;

  std::int64_t steps_ = 0, applied_ = 0;  // inner steps; units
  std::int64_t shared_ = 0;               // inner steps at its last contribution that is applied
  double run_share_ = 0;                  // the last gradient's
  std::vector<bool> layers_stepped_;      // in the step under way; empty unless layers are told
  bool is_step_open_ = false;             // the last step, which is not finished
  bool has_started_ = false;
  bool leaves_ = false;           // it had no more steps because it leaves
  std::int64_t group_began_ = 0;  // sums before the present group
};

}  // namespace

std::unique_ptr<Program> DilocoParams::program(Node& node) const { return std::make_unique<DilocoWorker>(*this, node); }

Traffic DilocoParams::traffic(const Cluster& cluster) const {
  const double units = static_cast<double>(FragmentSchedule(*this, cluster).parts().size());
  const bool overlapped = fragment_sync_delay > 0 || eager || is_by_layers(*this, cluster);
  Traffic result =
      membership::traffic_of_sums(overlapped ? Pace::overlapped : Pace::lockstep, {collective.value(), settings}, codec,
                                  cluster, 1 / units, units / sync_every);
  if (replica == Replica::site) result.phases.insert(result.phases.begin(), flows_of_site_steps(cluster));
  return result;
}

Phases DilocoParams::bucketed_sum(const Cluster& cluster) const {
  if (!is_by_layers(*this, cluster)) return {};
  return membership::traffic_of_sums(Pace::lockstep, {collective.value(), settings}, codec, cluster, 1, 1).phases;
}

std::optional<System::Parts> DilocoParams::summed_parts(const Cluster& cluster) const {
  return codec::has_fixed_size(codec) ? std::optional(FragmentSchedule(*this, cluster).parts()) : std::nullopt;
}

void DilocoParams::fill_defaults(const Cluster*) {
  const bool sites = replica == Replica::site;
  if (!overlap) overlap = sites ? FragmentOverlap::none : FragmentOverlap::layers;
  if (!collective) collective = sites ? comm::Collective::hierarchical : comm::Collective::ring;
  settings.fill_defaults(*collective);
}

std::vector<SettingError> DilocoParams::errors(const Surroundings&) const {
  std::vector<SettingError> list = errors_in(on_failure);
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
  std::vector<std::string> notes = comm::notes_of({collective.value(), settings}, cluster);
  if (overlap.value() == FragmentOverlap::layers) {
    std::ranges::copy(comm::notes_of_layers(cluster), std::back_inserter(notes));
  }
  if (is_by_layers(*this, cluster)) notes.push_back(buckets_text(*this, cluster));
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
