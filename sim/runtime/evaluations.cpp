// What a simulation is judged by, and when; and what holds whenever a step is over.
#include <fmt/format.h>

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "core/base/check.hpp"
#include "core/node/vectors.hpp"
#include "sim/runtime/sim_node.hpp"
#include "sim/runtime/simulation.hpp"
#include "sim/scenario/checks.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

std::vector<Payload> Simulation::final_models() const {
  std::vector<Payload> models;
  if (!held_.empty()) {
    std::vector<float> whole(cluster_.parameters);
    for (std::size_t worker = 0; worker < held_.size(); ++worker) {
      const auto own = nodes_[worker]->weights().read();
      const auto& places = held_[worker];
      for (std::size_t i = 0; i < places.size(); ++i) whole[places[i]] = own[i];
    }
    return {make_payload(std::move(whole))};
  }
  if (cluster_.servers == 1) return {nodes_.back()->weights().snapshot()};
  if (cluster_.servers > 1) {
    std::vector<float> whole;
    for (int server = 0; server < cluster_.servers; ++server) {
      const auto shard = nodes_[static_cast<std::size_t>(cluster_.workers + server)]->weights().read();
      whole.insert(whole.end(), shard.begin(), shard.end());
    }
    return {make_payload(std::move(whole))};
  }
  for (const auto& node : nodes_) models.push_back(node->weights().snapshot());
  return models;
}

std::vector<char> Simulation::workers_that_count() const {
  std::vector<char> up;
  for (int worker = 0; worker < cluster_.workers; ++worker) up.push_back(hosts_.up(worker));
  if (std::ranges::find(up, true) == up.end()) up.assign(up.size(), true);
  return up;
}

// A worker of a parameter server only borrows the model: it is judged by the servers'.
void Simulation::evaluate_now(double time_s) {
  const auto models = final_models();
  const double batch = scenario_.training.batch_size;
  const std::vector<char> counts = workers_that_count();
  std::vector<experiment::WorkerPoint> workers;
  for (int worker = 0; worker < cluster_.workers; ++worker) {
    SimNode& node = *nodes_[static_cast<std::size_t>(worker)];
    const std::int64_t steps = node.counted_steps();
    workers.push_back({models.size() == 1 ? models[0] : models[static_cast<std::size_t>(worker)], steps,
                       static_cast<double>(steps) * batch / sharing_, node.take_train_loss(),
                       counts[static_cast<std::size_t>(worker)] != 0});
  }
  const double epoch = static_cast<double>(steps_ / sharing_) * batch / static_cast<double>(training_samples_);
  const Program* first = programs_.front().get();  // null while its host is not there
  evaluator_->add(time_s, network_->bytes_sent(), epoch, std::move(workers),
                  first != nullptr ? first->ensemble() : std::vector<Voter>());
  if (scenario_.stop.accuracy && evaluator_->last_accuracy() >= *scenario_.stop.accuracy) end("accuracy");
  report_progress();
}

void Simulation::evaluate_on_time() {
  const double every_s = scenario_.evaluate.every->value;
  // Multiples, not a running sum: the k-th point lies at k times the interval. The last is taken when the run ends.
  for (std::int64_t point = 1; !is_over(); ++point) {
    const double time_s = static_cast<double>(point) * every_s;
    if (scenario_.stop.time && time_s >= scenario_.stop.time->value) return;
    if (static_cast<double>(point) > scenario::most_evaluations) {
      throw InputError(fmt::format("$.evaluate.every: {} s asks for more than {:.0f} evaluations; expected fewer",
                                   every_s, scenario::most_evaluations));
    }
    sg::this_actor::sleep_until(time_s);
    end_if_stuck();
    if (!is_over()) evaluate_now(time_s);
    quiescence_.do_postponed();
  }
}

// Two steps more than the bound: the one that is over here, and the slowest's own, whose gradient has come already.
void Simulation::check_lead(int worker) const {
  if (!staleness_bound_ || cluster_.hosts_change) return;
  const std::int64_t ahead = nodes_[static_cast<std::size_t>(worker)]->step();
  for (int other = 0; other < cluster_.workers; ++other) {
    const auto o = static_cast<std::size_t>(other);
    if (!at_work_[o] || ahead - nodes_[o]->step() <= *staleness_bound_ + 2) continue;
    throw InternalError(fmt::format(
        "{} is at step {} at {} s, further ahead of {} at step {} than the staleness bound {}", fabric_.name(worker),
        ahead, sg::Engine::get_clock(), fabric_.name(other), nodes_[o]->step(), *staleness_bound_));
  }
}

}  // namespace ddl::runtime
