#include "lab/emulate/emulated_node.hpp"

#include <algorithm>
#include <utility>

#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"
#include "lab/emulate/emulation.hpp"
#include "sim/run/cluster.hpp"

namespace ddl::emulate {
namespace {

Payload copy_of(std::span<const float> values) {
  return make_payload(std::vector<float>(values.begin(), values.end()));
}

bool never() { return false; }

}  // namespace

EmulatedNode::EmulatedNode(Emulation& emulation, run::Experiment& experiment, int id, const Payload& start)
    : run::LearningNode(experiment, id,
                        start ? copy_of(part_of(values_of(start), experiment.cluster().slice_of(id))) : nullptr),
      emulation_(emulation),
      membership_(experiment.cluster().workers) {}

double EmulatedNode::now() const { return emulation_.now(); }
const std::string& EmulatedNode::name() const { return emulation_.name(id()); }

// --- steps ---

bool EmulatedNode::next_step() {
  if (!emulation_.may_begin_step(begun_steps())) return false;
  begin_step();
  return true;
}

double EmulatedNode::run_share() const { return emulation_.run_share(); }

bool EmulatedNode::run_goes_on() const { return !emulation_.has_enough_samples(); }

void EmulatedNode::finish_step() {
  last_event_s_ = end_step();
  if (emulation_.count_step(last_event_s_)) count_step();
}

// --- learning ---

Gradient EmulatedNode::gradient(const LayerCalls* calls) {
  run::Trainer* trainer = emulation_.trainer();
  std::unique_ptr<run::Trainer::Gradient> job;
  Payload at;
  const GradientTasks tasks{.seconds = draw_gradient_seconds(),
                            .spend = [this](double seconds) { spend_on_gradient(seconds); },
                            .compute =
                                [&](Payload weights) {
                                  at = std::move(weights);
                                  if (trainer != nullptr) job = trainer->begin_gradient(id(), at);
                                },
                            .result = [&] { return result_of(std::move(job), std::move(at)); }};
  return gradient_by_layers(cluster().layers, weights(), calls != nullptr ? *calls : LayerCalls{}, tasks);
}

void EmulatedNode::spend_on_gradient(double seconds) {
  if (emulation_.computes_for_real()) return;
  const double since_s = computing_begins();
  sleep(
      seconds, [this] { return emulation_.has_enough_samples(); }, "its gradient's end");
  last_event_s_ = now();
  computing_ends(last_event_s_ - since_s);
}

Gradient EmulatedNode::result_of(std::unique_ptr<run::Trainer::Gradient> job, Payload at) {
  if (!job) return {};
  const double since_s = computing_begins();
  monitor_.unlock();
  job->wait_for_math();
  monitor_.lock();
  last_event_s_ = now();
  computing_ends(last_event_s_ - since_s);
  Payload gradient = job->wait();
  if (const char* what = job->not_finite()) {
    emulation_.diverged(id(), row().iteration, what);
    monitor_.wait(never, "the end");
  }
  note_minibatch(job->loss(), job->accuracy());
  return gradient_at(std::move(at), std::move(gradient), job->loss());
}

void EmulatedNode::sleep(double seconds, const std::function<bool()>& cut_short, const char* what) {
  if (seconds <= 0) return;
  const auto deadline = WallClock::now() + wall_duration(seconds);
  if (monitor_.wait(cut_short, what, deadline)) return;
  const double late_s = std::chrono::duration<double>(WallClock::now() - deadline).count();
  ++lateness_.count;
  lateness_.sum_s += late_s;
  lateness_.max_s = std::max(lateness_.max_s, late_s);
}

void EmulatedNode::compute(double seconds) {
  sleep(seconds * run::slowdown_of(emulation_.scenario(), name()), never, "its work's end");
  last_event_s_ = now();
}

Payload EmulatedNode::copy_of_weights() { return cluster().timing_only ? nullptr : copy_of(weights().read()); }

// --- messages ---

void EmulatedNode::send(int target, Message message) {
  message.source = id();
  message.target = target;
  emulation_.channel(id(), target).send(std::move(message));
}

std::size_t EmulatedNode::Queue::length() const { return node_.emulation_.channel(node_.id(), target_).waiting(); }

void EmulatedNode::Queue::wait_for_room(std::size_t depth) {
  const TcpChannel& to = node_.emulation_.channel(node_.id(), target_);
  node_.monitor_.wait([&] { return to.waiting() < depth; }, "room in its queue to " + node_.emulation_.name(target_));
}

void EmulatedNode::Queue::flush() {
  const TcpChannel& to = node_.emulation_.channel(node_.id(), target_);
  node_.monitor_.wait([&] { return to.is_delivered(); }, "its messages to reach " + node_.emulation_.name(target_));
}

void EmulatedNode::deliver(Message message) {
  const std::scoped_lock held(monitor_);
  last_event_s_ = now();
  inboxes_[message.port].push_back(std::move(message));
  monitor_.wake();
}

std::string EmulatedNode::text_of(const Reason& reason) const {
  return reason.text([this](int node) { return emulation_.name(node); });
}

Message EmulatedNode::receive(int port, const Reason& reason) {
  std::deque<Message>& inbox = inboxes_[port];
  monitor_.wait([&] { return !inbox.empty(); }, text_of(reason));
  return take_first(inbox);
}

std::optional<Message> EmulatedNode::receive_for(int port, double seconds, const Reason& reason) {
  std::deque<Message>& inbox = inboxes_[port];
  monitor_.wait([&] { return !inbox.empty(); }, text_of(reason), WallClock::now() + wall_duration(seconds));
  return poll(port);
}

std::optional<Message> EmulatedNode::poll(int port) {
  std::deque<Message>& inbox = inboxes_[port];
  if (inbox.empty()) return std::nullopt;
  return take_first(inbox);
}

Message EmulatedNode::take_first(std::deque<Message>& inbox) {
  Message message = std::move(inbox.front());
  inbox.pop_front();
  return message;
}

// --- actors ---

void EmulatedNode::spawn(const std::string&, std::function<void()> body) {
  emulation_.start_actor(id(), std::move(body));
}

void EmulatedNode::wait_until(const std::function<bool()>& holds, const Reason& reason) {
  monitor_.wait(holds, text_of(reason));
}

}  // namespace ddl::emulate
