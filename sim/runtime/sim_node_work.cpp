// A node's part in computing a model piece by piece.
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Exec.hpp>
#include <utility>

#include "sim/runtime/sim_node.hpp"

namespace ddl::runtime {

namespace sg = simgrid::s4u;

void SimNode::work(double seconds, std::function<void()> math) {
  simulation_.quiescence().do_postponed();
  check_not_crashed();
  ThreadPool::Ticket job;
  if (math) job = simulation_.trainer()->begin(std::move(math));
  if (seconds > 0) {
    const bool for_step = in_step();
    const Simulation::Busy busy(simulation_);
    const double since_s = computing_begins();
    const auto traced = simulation_.tracer().begin(
        for_step ? experiment::TraceSpan::gradient : experiment::TraceSpan::work, id(), step());
    const auto work = sg::this_actor::exec_init(seconds * simulation_.fabric().speed_flops(id()));
    working_.push_back(work);
    const bool whole = wait_for(work);
    std::erase(working_, work);
    simulation_.tracer().end(traced);
    if (!whole || simulation_.fabric().speed_changes(id())) seconds = now() - since_s;
    computing_ends(seconds, for_step);
  }
  if (job) job.wait();  // also if the host has crashed: the math works on what the caller holds
  check_not_crashed();
}

Minibatch SimNode::minibatch() {
  experiment::Trainer* trainer = simulation_.trainer();
  return trainer != nullptr ? trainer->next_minibatch(id()) : Minibatch{};
}

std::size_t SimNode::sample_count(SampleSet set) const {
  if (simulation_.trainer() != nullptr) return simulation_.trainer()->sample_count(set);
  return set == SampleSet::training ? cluster().training_samples : simulation_.evaluated_samples();
}

std::shared_ptr<const data::Batch> SimNode::samples(SampleSet set, std::span<const std::uint32_t> numbers) const {
  return simulation_.trainer() != nullptr ? simulation_.trainer()->samples(set, numbers) : nullptr;
}

std::vector<std::uint8_t> SimNode::correct_predictions() {
  experiment::Trainer* trainer = simulation_.trainer();
  std::unique_ptr<experiment::Trainer::Answers> job;
  if (trainer != nullptr) job = trainer->begin_answers(weights().snapshot());
  const double batches = static_cast<double>(cluster().training_samples) / cluster().batch_size;
  const double batch_s =
      cluster().compute_s[static_cast<std::size_t>(id())] - simulation_.scenario().compute.overhead.value;
  spend(batches * batch_s / 3);
  return job ? job->wait() : std::vector<std::uint8_t>();
}

}  // namespace ddl::runtime
