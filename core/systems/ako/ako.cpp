// Ako (Watcharapichat, Morales, Fernandez and Pietzuch, SoCC 2016). Worker i in step t, P partitions:
//
//   1  wait until no peer is more than s steps behind              (if there is a staleness bound s; in TF.AKO after 3)
//   2  g = gradient(x);  acc_r += g for each peer r                (for each class of peers if 3 waits)
//   3  to each peer r:  send part (t + r) mod P of acc_r           (broadcast: part t mod P; with overlap "backward"
//      acc_r = 0 in the part sent                                   as soon as this part of g is known)
//   4  x = step(x, (g + inbox) / n);  inbox = 0
//   5  when part p of a peer arrives:  inbox[p] += it              (on_arrival: x[p] = step(x[p], it / n))
//
// Peers, the other workers, are numbered from 0 in the order of their ids; the class of the k-th is k mod P, and peers
// of one class get the same parts. n is the number of workers present, or 1 with gradient_scale "sum". In 4 each of a
// coordinate's gradients has weight 1/n, at the rate of the worker's own step t. A late worker asks a peer for its
// model before line 1 (facts.fetches_model).
//
// A partition goes to a given peer every P steps, and carries the sum since its last message. So every coordinate of
// every gradient reaches every peer exactly once: while no queue is full, at most P-1 steps and the journey late. A
// full queue makes sums accumulate.
#include "core/systems/ako/ako.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/ako/ako_plan.hpp"
#include "core/systems/ako/ako_progress.hpp"
#include "core/systems/ako/ako_sender.hpp"

namespace ddl::systems {
namespace {

class AkoWorker : public Program {
 public:
  AkoWorker(const AkoParams& params, Node& node)
      : node_(node),
        params_(params),
        plan_(params, node.cluster()),
        sender_(node, params_, plan_),
        progress_(node, plan_, params.staleness_bound),
        inbox_(node.cluster().timing_only ? 0 : node.cluster().parameters),
        received_(inbox_.size()) {
    if (keeps_tf_ako_clock(params_, node.cluster())) clock_.emplace(node, params.tf_ako.receive_threads);
    node.membership().watch(0);
    if (params_.overlap == AkoOverlap::backward) send_by_layers();
  }

  void run() override {
    if (node_.cluster().workers > 1) start_receivers();  // 5
    while (node_.next_step()) {
      if (!clock_) progress_.wait();  // 1
      const double since_s = node_.now();
      const Payload gradient = node_.gradient(calls_.told.empty() ? nullptr : &calls_).values;  // 2
      sender_.send(gradient, node_.now() - since_s);                                            // 3
      if (clock_) clock_->wait(node_.step() + 1 - *params_.staleness_bound);                    // 1, in TF.AKO
      apply(gradient);                                                                          // 4
      node_.finish_step();
    }
    progress_.leave();
  }

 private:
  // Layers become known from the last to the first, so a part leaves with its first one.
  void send_by_layers() {
    const std::vector<LayerInfo>& layers = node_.cluster().layers;
    std::set<std::size_t, std::greater<>> firsts;
    for (const comm::Partition& part : plan_.partitions(node_.id())) {
      const auto next = std::ranges::upper_bound(layers, part.front().begin, {},
                                                 [](const LayerInfo& layer) { return layer.slice.begin; });
      firsts.insert(static_cast<std::size_t>(next - layers.begin()) - 1);
    }
    calls_.told.assign(firsts.begin(), firsts.end());
    calls_.known = [this, &layers](std::size_t layer, const Gradient& gradient) {
      sender_.send_known(gradient.values, layers[layer].slice.begin);
    };
  }

  void start_receivers() {
    for (int thread = 0; thread < params_.tf_ako.receive_threads; ++thread) {
      node_.spawn("receive", [this, thread] { receive(thread); });
    }
    if (clock_) clock_->start();
    if (clock_) clock_->received(progress_.steps());  // a late worker may get no more messages
    sender_.start();
  }

  void apply(const Payload& gradient) {
    const float weight = gradient_weight();
    add_and_scale(inbox_, values_of(gradient), weight);
    const std::span<float> coordinate_weights = received_;  // in the same memory
    for (float& of_one : coordinate_weights) of_one = (of_one + 1) * weight;
    node_.record(Staleness{node_.id(), node_.step(), ages_.take_mean()});
    node_.apply({.gradient = inbox_, .coordinate_weights = coordinate_weights});
    fill_zero(std::span<float>(inbox_));
    fill_zero(std::span<float>(received_));
  }

  float gradient_weight() { return node_.cluster().gradient_weight(std::max(1, node_.membership().workers_up())); }

  void receive(int thread) {
    while (true) {
      const Message message = node_.receive(thread, "gradients of the others");
      if (message.is<PartOfSum>()) {
        node_.compute(params_.tf_ako.receive_time.value);
        ages_.add(message.as<PartOfSum>().since, message.step, node_.step());
        add_part(message);
      }
      progress_.note(message);
      if (clock_) clock_->received(progress_.steps());
      node_.notify();
    }
  }

  void add_part(const Message& message) {
    const auto part = message.as<PartOfSum>();
    const auto gradients = static_cast<float>(message.step - part.since + 1);  // number in the sum
    comm::scatter(plan_.cut(message.source, part.part, part.of), message.values,
                  [&](Slice slice, std::span<const float> values) {
                    if (params_.apply == AkoApply::at_step) {
                      add_scaled(part_of(std::span<float>(inbox_), slice), values);
                      for (float& count : part_of(std::span<float>(received_), slice)) count += gradients;
                    } else {
                      apply_slice(slice, values, gradients);
                    }
                  });
  }

  // The rate stays that of the worker's own step.
  void apply_slice(Slice slice, std::span<const float> values, float gradients) {
    const float weight = gradient_weight();
    update_.assign(values.begin(), values.end());
    for (float& value : update_) value *= weight;
    node_.apply({.gradient = update_, .weight = gradients * weight, .gradients = 0, .first = slice.begin});
  }

  Node& node_;
  const AkoParams params_;
  const AkoPlan plan_;
  AkoSender sender_;
  AkoProgress progress_;
  GradientAges ages_;  // ages of the gradients that came in since the last step
  std::optional<TfAkoClock> clock_;
  LayerCalls calls_;  // empty unless parts leave beside the backward pass
  std::vector<float> inbox_;
  std::vector<float> received_;  // per coordinate: number of gradients in the inbox
  std::vector<float> update_;
};

}  // namespace

std::unique_ptr<Program> AkoParams::program(Node& node) const { return std::make_unique<AkoWorker>(*this, node); }

}  // namespace ddl::systems
