#include "sim/emulate/emulated_node.hpp"

#include <algorithm>
#include <utility>

#include "core/algorithms/vectors.hpp"
#include "sim/emulate/emulation.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl {
namespace {

Cluster own_copy(Cluster cluster) {
  cluster.graphs = std::make_shared<SharedGraphs>();
  return cluster;
}

Payload copy_of(std::span<const float> values) {
  return make_payload(std::vector<float>(values.begin(), values.end()));
}

bool never() { return false; }

}  // namespace

EmulatedNode::EmulatedNode(Emulation& emulation, int id, const Payload& start)
    : emulation_(emulation),
      id_(id),
      cluster_(own_copy(emulation.cluster())),
      shard_(is_worker() ? cluster_.whole() : even_part(cluster_.parameters, cluster_.servers, server_rank())),
      weights_(start ? copy_of(part_of(values_of(start), shard_)) : nullptr),
      jitter_(rng("jitter")) {}

double EmulatedNode::now() const { return emulation_.now(); }
const std::string& EmulatedNode::name() const { return emulation_.name(id_); }

// --- steps ---

bool EmulatedNode::next_step() {
  if (!emulation_.may_begin_step(begun_steps_)) return false;
  ++begun_steps_;
  IterationRow& row = rows_.emplace_back();
  row.worker = id_;
  row.iteration = finished_steps_;
  row.start_s = now();
  return true;
}

bool EmulatedNode::run_goes_on() const { return !emulation_.has_enough_samples(); }

void EmulatedNode::finish_step() {
  check(begun_steps_ == finished_steps_ + 1, "a step begun before it is finished");
  rows_.back().end_s = last_event_s_ = now();
  ++finished_steps_;
  if (emulation_.count_step(last_event_s_)) ++counted_steps_;
}

void EmulatedNode::record_staleness(int worker, std::int64_t step, double staleness) {
  staleness_notes_.push_back({worker, step, staleness});
}

std::vector<IterationRow> EmulatedNode::iterations() const { return {rows_.begin(), rows_.begin() + counted_steps_}; }

// --- learning ---

Payload EmulatedNode::gradient() {
  Trainer* trainer = emulation_.trainer();
  std::unique_ptr<Trainer::Gradient> job;
  if (trainer != nullptr) job = trainer->begin_gradient(id_, weights_.snapshot());
  const ComputeSpec& compute = emulation_.scenario().compute;
  const double mean_s = cluster_.compute_s[static_cast<std::size_t>(id_)] - compute.overhead.value;
  const double seconds = mean_s * jitter_.log_normal_mean_one(compute.jitter) + compute.overhead.value;
  const double begin_s = now();
  gradient_since_s_ = begin_s;
  if (!emulation_.computes_for_real()) {
    sleep(
        seconds, [this] { return emulation_.has_enough_samples(); }, "its gradient's end");
  }
  if (job) {
    monitor_.unlock();
    job->wait_for_math();
    monitor_.lock();
  }
  gradient_since_s_.reset();
  last_event_s_ = now();
  const double spent_s = last_event_s_ - begin_s;
  rows_.back().compute_s += spent_s;
  compute_s_ += spent_s;
  if (!job) return nullptr;
  Payload gradient = job->wait();
  if (const char* what = job->not_finite()) {
    emulation_.diverged(id_, rows_.back().iteration, what);
    monitor_.wait(never, "the end");
  }
  last_loss_ = job->loss();
  rows_.back().train_loss = last_loss_;
  loss_sum_ += last_loss_;
  ++losses_;
  return gradient;
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
  sleep(seconds * slowdown_of(emulation_.scenario(), name()), never, "its work's end");
  last_event_s_ = now();
}

double EmulatedNode::compute_seconds(double end_s) const {
  return compute_s_ + (gradient_since_s_ ? std::max(0.0, end_s - *gradient_since_s_) : 0);
}

std::optional<double> EmulatedNode::take_train_loss() {
  if (losses_ == 0) return std::nullopt;
  return std::exchange(loss_sum_, 0) / static_cast<double>(std::exchange(losses_, 0));
}

Optimizer& EmulatedNode::optimizer() {
  if (!optimizer_) optimizer_.emplace(emulation_.scenario().training.optimizer, weights_.read().size());
  return *optimizer_;
}

void EmulatedNode::apply(std::span<const float> gradient) {
  if (!gradient.empty()) optimizer().step(weights_.write(), gradient);
}

void EmulatedNode::apply_slice(Slice slice, std::span<const float> gradient) {
  if (!gradient.empty()) optimizer().step_slice(part_of(weights_.write(), slice), gradient);
}

Payload EmulatedNode::copy_of_weights() const { return cluster_.timing_only ? nullptr : copy_of(weights_.read()); }

// --- messages ---

void EmulatedNode::send(int target, Message message) {
  message.source = id_;
  message.target = target;
  emulation_.channel(id_, target).send(std::move(message));
}

std::size_t EmulatedNode::waiting(int target) const { return emulation_.channel(id_, target).waiting(); }

bool EmulatedNode::merge_into_waiting(int target, const Message& message) {
  return emulation_.channel(id_, target).merge_into_waiting(message);
}

void EmulatedNode::wait_for_room(int target, std::size_t depth) {
  const TcpChannel& to = emulation_.channel(id_, target);
  monitor_.wait([&] { return to.waiting() < depth; }, "room in its queue to " + emulation_.name(target));
}

void EmulatedNode::wait_until_delivered(int target) {
  const TcpChannel& to = emulation_.channel(id_, target);
  monitor_.wait([&] { return to.is_delivered(); }, "its messages to reach " + emulation_.name(target));
}

void EmulatedNode::deliver(Message message) {
  const std::scoped_lock held(monitor_);
  last_event_s_ = now();
  inboxes_[message.port].push_back(std::move(message));
  monitor_.wake();
}

Message EmulatedNode::receive(int port) {
  std::deque<Message>& inbox = inboxes_[port];
  monitor_.wait([&] { return !inbox.empty(); }, emulation_.program(id_).awaited_at(port));
  return *poll(port);
}

std::optional<Message> EmulatedNode::receive_for(int port, double seconds) {
  std::deque<Message>& inbox = inboxes_[port];
  monitor_.wait([&] { return !inbox.empty(); }, "a message in time", WallClock::now() + wall_duration(seconds));
  return poll(port);
}

std::optional<Message> EmulatedNode::poll(int port) {
  std::deque<Message>& inbox = inboxes_[port];
  if (inbox.empty()) return std::nullopt;
  Message message = std::move(inbox.front());
  inbox.pop_front();
  return message;
}

// --- actors ---

void EmulatedNode::spawn(const std::string&, std::function<void()> body) {
  emulation_.start_actor(id_, std::move(body));
}

void EmulatedNode::wait_until(std::function<bool()> holds, const char* why) { monitor_.wait(holds, why); }

Stream EmulatedNode::rng(const char* purpose) const {
  const std::string role = is_worker() ? "worker " + std::to_string(id_) : "server " + std::to_string(server_rank());
  return stream(emulation_.scenario().seed, role, purpose);
}

}  // namespace ddl
