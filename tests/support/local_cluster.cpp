#include "tests/support/local_cluster.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/check.hpp"
#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"

namespace ddl {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_turns_in_an_instant = 200;  // per actor; each wakes a thread and waits for it

// A program that is one function of the node.
class FunctionOf final : public Program {
 public:
  FunctionOf(Node& node, std::function<void(Node&)> body) : node_(node), body_(std::move(body)) {}
  void run() override { body_(node_); }

 private:
  Node& node_;
  const std::function<void(Node&)> body_;
};

}  // namespace

// --- a node ---

LocalNode::LocalNode(LocalCluster& owner, int id) : Node(id, owner.settings().cluster, owner.graphs_), owner_(owner) {
  if (!owner.settings().gradient) return;
  std::vector<float> start = owner.settings().start;
  start.resize(cluster().parameters);
  const Slice slice = cluster().slice_of(id);
  const auto at = [&](std::size_t i) { return start.begin() + static_cast<std::ptrdiff_t>(i); };
  weights_ = Weights(std::make_shared<const std::vector<float>>(at(slice.begin), at(slice.end)));
}

double LocalNode::now() const { return owner_.now(); }
bool LocalNode::run_goes_on() const { return !owner_.draining_; }
std::string LocalNode::name() const {
  return is_worker() ? "w" + std::to_string(id()) : "ps" + std::to_string(server_rank());
}
Stream LocalNode::rng(const char* purpose) const { return stream(cluster().seed, name(), purpose); }

bool LocalNode::next_step() {
  if (begun_ >= owner_.settings().steps) return false;
  ++begun_;
  return true;
}

Gradient LocalNode::gradient(const LayerCalls* calls) {
  const auto worker = static_cast<std::size_t>(id());
  Gradient result{nullptr, 1.0};
  const GradientTasks tasks{
      .seconds = worker < cluster().compute_s.size() ? cluster().compute_s[worker] : 0,
      .spend = [this](double seconds) { compute(seconds); },
      .compute =
          [&](const Payload& weights) {
            if (!owner_.settings().gradient) return;
            result.values = std::make_shared<const std::vector<float>>(owner_.settings().gradient(*this, *weights));
          },
      .result = [&] { return result; }};
  return gradient_by_layers(cluster().layers, weights_, calls != nullptr ? *calls : LayerCalls{}, tasks);
}

void LocalNode::apply(const Update& update) {
  const std::span<const float> gradient = update.gradient;
  if (gradient.empty()) return;
  applied.emplace_back(gradient.begin(), gradient.end());
  const std::span<float> weights = weights_.write();
  check(update.first + gradient.size() <= weights.size(), "a gradient of these weights");
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    weights[update.first + i] -= static_cast<float>(owner_.settings().learning_rate) * gradient[i];
  }
}

void LocalNode::compute(double seconds) {
  owner_.wait([] { return false; }, now() + seconds, nullptr);
}

void LocalNode::send(int target, Message message) {
  check(target >= 0 && target < cluster().workers + cluster().servers && target != id(), "another node");
  message.source = id();
  message.target = target;
  message.relay.reset();
  sent.push_back(message);
  Channel& channel = channels_.try_emplace(target, *this, target).first->second;
  channel.waiting.push_back(std::move(message));
  ++channel.under_way;
  if (!channel.busy) channel.start_next();
}

void LocalNode::Channel::start_next() {
  busy = !waiting.empty();
  if (!busy) return;
  LocalCluster& cluster = node_.owner_;
  Message message = std::move(waiting.front());
  waiting.pop_front();
  const double sent_s = cluster.now() + static_cast<double>(message.wire_bytes) / cluster.settings().bytes_per_s;
  cluster.at(sent_s, [this] { start_next(); });
  cluster.at(sent_s + cluster.settings().latency_s, [this, message = std::move(message)]() mutable {
    --under_way;
    node_.owner_.node(target_).deliver(std::move(message));
  });
}

void LocalNode::Channel::wait_for_room(std::size_t depth) {
  const Reason reason("room in a queue", target_);
  node_.owner_.wait([&] { return length() < depth; }, never, &reason);
}

void LocalNode::Channel::flush() {
  const Reason reason("delivery", target_);
  node_.owner_.wait([&] { return under_way == 0; }, never, &reason);
}

SendQueue& LocalNode::queue(int target) { return channels_.try_emplace(target, *this, target).first->second; }

// Arrivals of one instant are in the order of their senders.
void LocalNode::deliver(Message message) {
  auto& inbox = inboxes_[message.port];
  auto place = inbox.end();
  while (place != inbox.begin() && std::prev(place)->first == now() &&
         std::prev(place)->second.source > message.source) {
    --place;
  }
  inbox.insert(place, {now(), std::move(message)});
}

std::optional<Message> LocalNode::take(int port) {
  auto& inbox = inboxes_[port];
  if (inbox.empty()) return std::nullopt;
  Message message = std::move(inbox.front().second);
  inbox.pop_front();
  return message;
}

Message LocalNode::receive(int port, const Reason& reason) {
  owner_.wait([&] { return !inboxes_[port].empty(); }, never, &reason);
  return *take(port);
}

std::optional<Message> LocalNode::receive_for(int port, double seconds, const Reason& reason) {
  owner_.wait([&] { return !inboxes_[port].empty(); }, now() + seconds, &reason);
  return take(port);
}

std::optional<Message> LocalNode::poll(int port) { return take(port); }

void LocalNode::spawn(const std::string& name_of_it, std::function<void()> body) {
  owner_.start(name() + " " + name_of_it, true, std::move(body));
}

// Like the runtimes, it evaluates again only after a notify(): a system that forgets one stands still here, too.
void LocalNode::wait_until(const std::function<bool()>& holds, const Reason& reason) {
  std::int64_t seen = notified_ - 1;
  const auto look = [&] {
    const bool told = seen != notified_;
    seen = notified_;
    return told && holds();
  };
  owner_.wait(look, never, &reason);
}

// --- the cluster ---

LocalCluster::LocalCluster(Settings settings) : settings_(std::move(settings)) {
  for (int id = 0; id < settings_.cluster.workers + settings_.cluster.servers; ++id) {
    nodes_.push_back(std::make_unique<LocalNode>(*this, id));
  }
}

void LocalCluster::run(const Programs& program, std::optional<int> only) {
  check(programs_.empty(), "a cluster runs once");
  try {
    for (const auto& node : nodes_) {
      if (only && node->id() != *only) continue;
      programs_.push_back(program(*node));
      Program& made = *programs_.back();
      start(node->name(), !node->is_worker(), [&made] { made.run(); });
    }
    while (!failure_) {
      draining_ = workers_have_ended();
      if (do_one_thing()) continue;
      if (draining_) break;
      throw std::runtime_error("no actor can go on: " + what_is_waited_for());
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  end();
  if (failure_) std::rethrow_exception(failure_);
}

void LocalCluster::at(double time_s, std::function<void()> happens) {
  events_.emplace(std::pair(time_s, order_++), std::move(happens));
}

void LocalCluster::start(const std::string& name, bool serves, std::function<void()> body) {
  actors_.push_back(std::make_unique<Actor>());
  Actor& actor = *actors_.back();
  actor.name = name;
  actor.service = serves;
  actor.thread = std::thread([this, &actor, body = std::move(body)] {
    actor.go.acquire();
    try {
      if (!ending_) body();
    } catch (const Ending&) {
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
    actor.ended = true;
    back_.release();
  });
}

void LocalCluster::wait(std::function<bool()> ready, double until, const Reason* reason) {
  check(running_ != nullptr, "only an actor can wait");
  if (ready()) return;
  Actor& actor = *running_;
  actor.ready = std::move(ready);
  actor.until = until;
  actor.reason = reason;
  back_.release();
  actor.go.acquire();
  if (ending_) throw Ending();
}

void LocalCluster::run_actor(Actor& actor) {
  running_ = &actor;
  actor.go.release();
  back_.acquire();
  running_ = nullptr;
}

// Runs the next due event, then the next actor in turn that can go on, then the clock. False if nothing is left to do.
// When draining, time passes for messages and for working actors, but not for those that wait with a time-out.
bool LocalCluster::do_one_thing() {
  if (!events_.empty() && events_.begin()->first.first <= now_) {
    const auto happens = std::move(events_.extract(events_.begin()).mapped());
    happens();
    return true;
  }
  for (std::size_t i = 1; i <= actors_.size(); ++i) {
    const std::size_t next = (last_ + i) % actors_.size();
    Actor& actor = *actors_[next];
    if (actor.ended || (actor.until > now_ && !actor.ready())) continue;
    if (++actor.turns > most_turns_in_an_instant) {
      throw std::runtime_error(actor.name + " goes on without end, and no time passes");
    }
    last_ = next;
    run_actor(actor);
    return true;
  }
  double next_s = events_.empty() ? never : events_.begin()->first.first;
  for (const auto& actor : actors_) {
    if (!actor->ended && !(draining_ && actor->reason != nullptr)) next_s = std::min(next_s, actor->until);
  }
  if (next_s == never) return false;
  now_ = next_s;
  for (const auto& actor : actors_) actor->turns = 0;
  return true;
}

bool LocalCluster::workers_have_ended() const {
  return std::ranges::all_of(actors_, [](const auto& actor) { return actor->service || actor->ended; });
}

// "w0 waits for an answer (w1); w1 waits for room in a queue (w0)"
std::string LocalCluster::what_is_waited_for() const {
  std::string text;
  for (const auto& actor : actors_) {
    if (actor->ended || actor->reason == nullptr) continue;
    const std::string what =
        actor->reason->text([&](int node) { return nodes_.at(static_cast<std::size_t>(node))->name(); });
    if (!what.empty()) text += (text.empty() ? "" : "; ") + actor->name + " waits for " + what;
  }
  return text;
}

void LocalCluster::end() {
  ending_ = true;
  for (std::size_t i = 0; i < actors_.size(); ++i) {  // one that ends may start another
    while (!actors_[i]->ended) run_actor(*actors_[i]);
    actors_[i]->thread.join();
  }
}

LocalCluster::Programs each(std::function<void(Node&)> body) {
  return [body = std::move(body)](Node& node) { return std::make_unique<FunctionOf>(node, body); };
}

}  // namespace ddl
