#include "core/split/vertical_pass.hpp"

#include <utility>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "core/node/vectors.hpp"

namespace ddl::split {

VerticalPass::VerticalPass(Node& node, const VerticalPlan& plan)
    : node_(node), parallel_(*node.model_parallel()), plan_(plan), me_(node.id()), messages_(node) {
  if (plan.split()) run_.emplace(plan.split()->tape(me_));
}

void VerticalPass::begin(int samples, const data::Batch* batch, Stream* dropout, std::optional<int> estimate) {
  samples_ = samples;
  if (!run_) return;
  run_->begin(samples_, dropout, estimate);
  run_->use(0, nn::channels_last(*batch, parallel_.model()->layers().front()->input(), inputs_));
  weights_ = node_.weights().snapshot();
}

bool VerticalPass::forward(Port port) {
  for (std::size_t stage = 0; stage < plan_.meetings(); ++stage) {
    Payload own;
    work(plan_.share(me_, stage), [&](const VerticalSplit& split) {
      if (stage > 0) place_pieces(split, stage - 1);
      forward_ops(split, stage);
      const float* const values = run_->value(split.meetings()[stage].own);
      own = make_payload({values, values + split.meetings()[stage].piece(me_) * static_cast<std::size_t>(samples_)});
    });
    if (port == in_serving && stage + 1 == plan_.meetings()) return send_to_first(stage, own);
    if (!exchange(port, stage, stage, false, Pieces(workers(), own))) return false;
  }
  return true;
}

bool VerticalPass::send_to_first(std::size_t meeting, const Payload& own) {
  if (me_ > 0) {
    send(0, {.port = in_serving, .values = own, .body = Piece{static_cast<int>(meeting)}}, meeting, me_);
    return true;
  }
  return collect(in_serving, static_cast<int>(meeting), own);
}

// The way back passes the meetings in reverse order.
bool VerticalPass::exchange_gradients(std::size_t meeting, const Pieces& outgoing) {
  return exchange(in_training, 2 * plan_.meetings() - meeting, meeting, true, outgoing);
}

// W. Each worker gets its entry of `outgoing`; pieces_ then has the entries received from all, and the own entry. Piece
// sizes are the sender's own, or (backwards) the receiver's.
bool VerticalPass::exchange(Port port, std::size_t turn, std::size_t meeting, bool backward, const Pieces& outgoing) {
  const auto entry = [&](int worker) { return outgoing.empty() ? nullptr : outgoing[worker]; };
  for (int ahead = 1; ahead < workers(); ++ahead) {
    const int target = (me_ + ahead) % workers();
    send(target, {.port = port, .values = entry(target), .body = Piece{static_cast<int>(turn)}}, meeting,
         backward ? target : me_);
  }
  return collect(port, static_cast<int>(turn), entry(me_));
}

void VerticalPass::send(int target, Message message, std::size_t meeting, int owner) {
  message.wire_bytes = plan_.piece_bytes(meeting, owner, samples_);
  node_.send(target, std::move(message));
}

bool VerticalPass::collect(Port port, int turn, const Payload& own) {
  pieces_ = Pieces(workers(), own);
  for (int source = 0; source < workers(); ++source) {
    if (source == me_) continue;
    const Message message = receive(port, source);
    if (message.is<Leaving>()) return false;
    check(message.as<Piece>().turn == turn, "pieces in the order of meetings");
    pieces_[source] = message.values;
  }
  return true;
}

Message VerticalPass::receive(Port port, int source) {
  return messages_.receive(port, source,
                           port == in_training ? "pieces of the other workers" : "requests and their pieces");
}

void VerticalPass::send_to_all(const Message& message) {
  for (int ahead = 1; ahead < workers(); ++ahead) node_.send((me_ + ahead) % workers(), message);
}

void VerticalPass::work(double share, const Math& math) {
  const double batch_share = static_cast<double>(samples_) / node_.cluster().batch_size;
  std::function<void()> job;
  if (run_) job = [&] { math(*plan_.split()); };
  parallel_.work(gradient_s_ * share * batch_share, std::move(job));
}

void VerticalPass::forward_ops(const VerticalSplit& split, std::size_t stage) {
  run_->forward(split.first_op(stage), split.last_op(stage), weights_->data());
}

void VerticalPass::backward_ops(const VerticalSplit& split, std::size_t stage, std::vector<float>& gradient) {
  run_->backward(split.first_op(stage), split.last_op(stage), weights_->data(), gradient.data());
}

void VerticalPass::place_pieces(const VerticalSplit& split, std::size_t meeting) {
  float* const whole = run_->room(split.meetings()[meeting].whole);
  for (int worker = 0; worker < workers(); ++worker) {
    split.meetings()[meeting].place(pieces_[worker]->data(), worker, samples_, whole);
  }
}

Payload VerticalPass::contribution(const VerticalSplit& split, std::size_t meeting, int worker) {
  const Meeting& at = split.meetings()[meeting];
  std::vector<float> values(at.piece(worker) * static_cast<std::size_t>(samples_));
  at.take(run_->gradient(at.whole), worker, samples_, values.data());
  return make_payload(std::move(values));
}

VerticalPass::Pieces VerticalPass::contributions_to_all(const VerticalSplit& split, std::size_t meeting) {
  Pieces all;
  for (int worker = 0; worker < workers(); ++worker) all.push_back(contribution(split, meeting, worker));
  return all;
}

void VerticalPass::add_contributions(const VerticalSplit& split, std::size_t meeting,
                                     const std::vector<Payload>& contributions) {
  std::vector<float> sum(contributions.front()->size());
  for (const Payload& values : contributions) add_scaled(sum, values_of(values));
  run_->add_gradient(split.meetings()[meeting].own, sum.data());
}

}  // namespace ddl::split
