// What an emulation notes while it goes on, and hands on when it is over.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/finite.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/table.hpp"
#include "sim/emulate/emulation.hpp"

namespace ddl::emulate {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

// --- while it goes on ---

// All at about one time, each node between two of its verbs.
std::vector<Payload> Emulation::copy_of_models() {
  const auto copy = [&](std::size_t node) {
    const std::scoped_lock held(nodes_[node]->monitor());
    return nodes_[node]->copy_of_weights();
  };
  std::vector<Payload> models;
  if (cluster_.servers == 0) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) models.push_back(copy(node));
    return models;
  }
  std::vector<float> whole;
  for (int server = 0; server < cluster_.servers; ++server) {
    const int node = cluster_.workers + server;
    const Payload shard = copy(static_cast<std::size_t>(node));
    whole.insert(whole.end(), shard->begin(), shard->end());
  }
  return {make_payload(std::move(whole))};
}

void Emulation::evaluate_now(double time_s) {
  const auto models = copy_of_models();
  const double batch = scenario_.training.batch_size;
  std::vector<experiment::WorkerPoint> workers;
  std::int64_t steps = 0;
  for (std::size_t worker = 0; worker < static_cast<std::size_t>(cluster_.workers); ++worker) {
    EmulatedNode& node = *nodes_[worker];
    const std::scoped_lock held(node.monitor());
    steps += node.counted_steps();
    workers.push_back({models.size() == 1 ? models[0] : models[worker], node.counted_steps(),
                       static_cast<double>(node.counted_steps()) * batch, node.take_train_loss()});
  }
  double bytes = 0;
  for (const auto& channel : channels_) {
    const std::scoped_lock held(nodes_[static_cast<std::size_t>(channel->source())]->monitor());
    bytes += channel->bytes();
  }
  const double epoch = static_cast<double>(steps) * batch / static_cast<double>(training_samples_);
  evaluator_->add(time_s, bytes, epoch, std::move(workers));
  if (scenario_.stop.accuracy && evaluator_->last_accuracy() >= *scenario_.stop.accuracy) end("accuracy", time_s);
}

void Emulation::evaluate_if_due(double now_s) {
  if (scenario_.evaluate.every) {
    const double every_s = scenario_.evaluate.every->value;
    const auto point = static_cast<std::int64_t>(std::floor(now_s / every_s));
    if (point > points_) {
      points_ = point;
      evaluate_now(static_cast<double>(point) * every_s);
    }
  }
  if (!scenario_.evaluate.every_iterations) return;
  std::unique_lock held(mutex_);
  const std::int64_t steps = steps_ / (*scenario_.evaluate.every_iterations * cluster_.workers);
  held.unlock();
  if (steps > evaluated_at_) {
    evaluated_at_ = steps;
    evaluate_now(now_s);
  }
}

void Emulation::report_progress(double now_s) {
  constexpr double every_s = 0.2;
  if (!options_.run.progress || now_s < reported_s_ + every_s) return;
  reported_s_ = now_s;
  const double accuracy = evaluator_ ? evaluator_->known_accuracy() : -1;
  std::unique_lock held(mutex_);
  const double steps_per_worker = static_cast<double>(steps_) / cluster_.workers;
  const double fraction = stop_rule_.fraction(now_s, steps_per_worker, accuracy);
  held.unlock();
  options_.run.progress({fraction, now_s, accuracy});
}

// --- when it is over: no thread is left ---

experiment::RunResult Emulation::collect() {
  experiment::RunResult result;
  result.measured = measurement();
  result.workers = cluster_.workers;
  for (int id = 0; id < fabric_.node_count(); ++id) result.nodes.push_back(fabric_.name(id));
  if (evaluator_) result.curve = evaluator_->curve();
  for (const auto& node : nodes_) {
    for (const auto& note : node->staleness_notes()) {
      nodes_[static_cast<std::size_t>(note.worker)]->set_staleness(note.step, note.staleness);
    }
    result.given_up.insert(result.given_up.end(), node->given_up().begin(), node->given_up().end());
    result.answers.insert(result.answers.end(), node->answers().begin(), node->answers().end());
  }
  std::erase_if(result.given_up, [&](const experiment::GivenUp& note) { return note.time_s > end_s_; });
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    const EmulatedNode& node = *nodes_[static_cast<std::size_t>(worker)];
    const auto rows = node.iterations();
    result.iterations.insert(result.iterations.end(), rows.begin(), rows.end());
    result.steps.push_back(node.counted_steps());
    result.compute_s.push_back(std::min(node.compute_seconds(end_s_), end_s_));
  }
  result.simulated_s = end_s_;
  result.samples = static_cast<double>(steps_) * scenario_.training.batch_size;
  result.epochs = result.samples / static_cast<double>(training_samples_);
  collect_network(result);
  collect_models(result);
  result.divergence = divergence_;
  note_divergence(result);
  result.stopped_by = result.divergence ? "diverged" : stopped_by_;
  result.events = result.messages_sent + steps_;
  if (trainer_) result.math_s = trainer_->math_seconds();
  result.wall_s = end_s_;
  result.cpu_s = cpu_seconds();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.peak_memory_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return result;
}

void Emulation::collect_network(experiment::RunResult& result) const {
  std::vector<double> bytes(fabric_.links().size());
  for (const auto& channel : channels_) {
    check(channel->bytes_carried() <= channel->bytes() * (1 + 1e-9), "what is read has been sent");
    const StarHost& source = star_.hosts[static_cast<std::size_t>(channel->source())];
    const StarHost& target = star_.hosts[static_cast<std::size_t>(channel->target())];
    bytes[static_cast<std::size_t>(source.up)] += channel->bytes_carried();
    bytes[static_cast<std::size_t>(target.down)] += channel->bytes_carried();
    result.bytes_sent += channel->bytes();
    result.bytes_delivered += channel->bytes_delivered();
    result.messages_sent += channel->messages();
    result.longest_queue = std::max(result.longest_queue, channel->longest_queue());
    if (channel->messages() > 0) {
      result.pairs.push_back({channel->source(), channel->target(), channel->messages(), channel->bytes()});
    }
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const platform::LinkInfo& link = fabric_.links()[i];
    const double most = link.bandwidth_bytes_per_s * result.simulated_s;
    result.traffic.push_back(
        {link.name, link.direction, bytes[i], most > 0 ? bytes[i] / most : 0, link.bandwidth_bytes_per_s});
  }
  result.bounds = network::bounds_of(fabric_, scenario_.algorithm->traffic(cluster_), cluster_.compute_s,
                                     static_cast<double>(cluster_.model_bytes), scenario_.wire.header_bytes.value);
}

void Emulation::collect_models(experiment::RunResult& result) {
  if (!trainer_) return;
  const auto models = copy_of_models();
  result.weights_at_servers = cluster_.servers > 0;
  for (const Payload& model : models) result.weights.push_back(*model);
  result.consensus_distance = experiment::consensus_distance_of(models);
}

void Emulation::note_divergence(experiment::RunResult& result) const {
  if (result.divergence) return;
  for (std::size_t holder = 0; holder < result.weights.size(); ++holder) {
    if (all_finite(result.weights[holder])) continue;
    const int node = result.weights_at_servers ? cluster_.workers : static_cast<int>(holder);
    result.divergence =
        experiment::Divergence{node, result.weights_at_servers ? steps_ : result.steps[holder], end_s_, "weights"};
    return;
  }
}

experiment::Measurement Emulation::measurement() const {
  experiment::Measurement measured;
  measured.kernel = kernel_release();
  measured.congestion_control = options_.congestion_control;
  measured.compute = options_.real_compute ? "real" : "slept";
  measured.precedence = precedence_;
  measured.queue_s = options_.queue_s;
  measured.retransmitted_share = testbed_.retransmitted_share();
  std::int64_t sleeps = 0;
  for (const auto& node : nodes_) {
    const EmulatedNode::Lateness& late = node->lateness();
    sleeps += late.count;
    measured.late_mean_s += late.sum_s;
    measured.late_max_s = std::max(measured.late_max_s, late.max_s);
  }
  if (sleeps > 0) measured.late_mean_s /= static_cast<double>(sleeps);
  const ProcessorTicks& after = ticks_after_;
  const auto share = [&](std::int64_t ticks) {
    const std::int64_t all = after.all - ticks_before_.all;
    return all > 0 ? static_cast<double>(ticks) / static_cast<double>(all) : 0;
  };
  measured.busy_share = 1 - share(after.idle - ticks_before_.idle);
  measured.soft_interrupt_share = share(after.soft_interrupts - ticks_before_.soft_interrupts);
  const double cores = static_cast<double>(std::thread::hardware_concurrency());
  measured.own_share = end_s_ > 0 ? (own_cpu_after_s_ - own_cpu_before_s_) / (end_s_ * cores) : 0;
  return measured;
}

// When time begins and when it ends.
void Emulation::sample_processors(bool begin) {
  (begin ? ticks_before_ : ticks_after_) = processor_ticks();
  (begin ? own_cpu_before_s_ : own_cpu_after_s_) = cpu_seconds();
}

}  // namespace ddl::emulate
