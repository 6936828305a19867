#include "sim/run/actors/split_model.hpp"

#include <cmath>
#include <utility>

#include "sim/run/actors/sim_node.hpp"

namespace ddl::run {

const nn::Model* SplitModel::model() const { return simulation_.experiment().network(); }
double SplitModel::gradient_seconds() { return node_.draw_gradient_seconds(); }

void SplitModel::work(double seconds, std::function<void()> math) {
  node_.point_.enter();
  ThreadPool::Ticket job;
  if (math) job = simulation_.trainer()->begin(std::move(math));
  if (seconds > 0) {
    const bool for_step = node_.in_step();
    const Simulation::Busy busy(simulation_);
    node_.computing_begins();
    const auto kind = for_step ? TraceSpan::gradient : TraceSpan::work;
    node_.computing_ends(node_.processor_.compute(seconds, kind, node_.step()), for_step);
  }
  if (job) job.wait();  // also if the host has crashed: the math works on what the caller holds
  node_.point_.leave();
}

Minibatch SplitModel::minibatch() {
  Trainer* trainer = simulation_.trainer();
  return trainer != nullptr ? trainer->next_minibatch(node_.id()) : Minibatch{};
}

std::size_t SplitModel::sample_count(SampleSet set) const {
  if (simulation_.trainer() != nullptr) return simulation_.trainer()->sample_count(set);
  return set == SampleSet::training ? simulation_.cluster().training_samples : simulation_.evaluated_samples();
}

std::shared_ptr<const data::Batch> SplitModel::samples(SampleSet set, std::span<const std::uint32_t> numbers) const {
  return simulation_.trainer() != nullptr ? simulation_.trainer()->samples(set, numbers) : nullptr;
}

Gradient SplitModel::gradient_of(std::vector<std::uint32_t> samples) { return node_.gradient_of(std::move(samples)); }

std::vector<std::uint8_t> SplitModel::correct_predictions() {
  Trainer* trainer = simulation_.trainer();
  std::unique_ptr<Trainer::Answers> job;
  if (trainer != nullptr) job = trainer->begin_answers(node_.weights().snapshot());
  const Cluster& cluster = simulation_.cluster();
  const double batches = static_cast<double>(cluster.training_samples) / cluster.batch_size;
  const double batch_s =
      cluster.compute_s[static_cast<std::size_t>(node_.id())] - simulation_.scenario().compute.overhead.value;
  node_.spend(batches * batch_s / 3);
  return job ? job->wait() : std::vector<std::uint8_t>();
}

void SplitModel::record_loss(double loss) {
  if (!std::isfinite(loss)) node_.end_as_diverged("loss");
  node_.note_minibatch(loss);
}

}  // namespace ddl::run
