#include "core/split/vertical_plan.hpp"

#include <cmath>

#include "core/base/check.hpp"
#include "core/nn/model.hpp"

namespace ddl::split {

VerticalPlan::VerticalPlan(const VerticalParams& params, const nn::Model* model, const Cluster& cluster)
    : shares_(cluster.workers) {
  const double workers = cluster.workers;
  if (model == nullptr) {
    if (params.meetings.empty()) {
      throw InputError(
          "$.algorithm.meetings: are missing; with model \"none\" expected a list of sizes such as [\"400kB\"]");
    }
    if (params.serving.requests > 0) {
      throw InputError("$.algorithm.serving.requests: need a model to ask, but it is \"none\"; expected 0");
    }
    const std::size_t stages = params.meetings.size() + 1;
    for (auto& shares : shares_) {
      shares.assign(stages, 1 / (3 * workers * static_cast<double>(params.meetings.size())));
      shares.back() = 0;
    }
    for (const Bytes& all : params.meetings) {
      bytes_.emplace_back(shares_.count(), all.value / (workers * cluster.batch_size));
    }
    return;
  }
  if (!params.meetings.empty()) {
    throw InputError(
        "$.algorithm.meetings: are given, but the model itself says what is gathered; expected no such key");
  }
  split_.emplace(*model, cluster.workers);
  const double all = model->forward_multiply_adds();
  for (int worker = 0; worker < cluster.workers; ++worker) {
    for (std::size_t stage = 0; stage < split_->stages(); ++stage) {
      shares_[worker].push_back(split_->multiply_adds(worker, stage) / (3 * all));
    }
  }
  for (const Meeting& meeting : split_->meetings()) {
    auto& bytes = bytes_.emplace_back();
    for (int worker = 0; worker < cluster.workers; ++worker) {
      bytes.push_back(4 * static_cast<double>(meeting.piece(worker)));
    }
  }
}

std::uint64_t VerticalPlan::piece_bytes(std::size_t meeting, int worker, int samples) const {
  return static_cast<std::uint64_t>(std::llround(bytes_[meeting][worker] * samples));
}

double VerticalPlan::request_bytes(double sample_bytes) const {
  const double others = static_cast<double>(shares_.size()) - 1;
  double bytes = others * sample_bytes;
  for (std::size_t meeting = 0; meeting < meetings(); ++meeting) {
    const bool only_to_first = meeting + 1 == meetings();
    for (int worker = only_to_first ? 1 : 0; worker <= static_cast<int>(others); ++worker) {
      bytes += (only_to_first ? 1 : others) * static_cast<double>(piece_bytes(meeting, worker, 1));
    }
  }
  return bytes;
}

Traffic VerticalParams::split_traffic(const nn::Model* model, const Cluster& cluster) const {
  const VerticalPlan plan(*this, model, cluster);
  // A worker may still compute while others' pieces come in.
  Traffic result{Pace::overlapped, {}, {}};
  for (int worker = 0; worker < cluster.workers; ++worker) {
    double forward = 0;
    for (std::size_t stage = 0; stage < plan.stages(); ++stage) forward += plan.share(worker, stage);
    result.compute_shares.push_back(3 * forward);
  }
  if (cluster.workers > most_workers_all_to_all) {
    const double pairs = static_cast<double>(cluster.workers) * (cluster.workers - 1);
    result.unlisted_messages = static_cast<double>(2 * plan.meetings() - 1) * pairs;
    return result;
  }
  const auto add = [&](std::size_t meeting, bool backward) {
    auto& flows = result.phases.emplace_back();
    for (int source = 0; source < cluster.workers; ++source) {
      for (int target = 0; target < cluster.workers; ++target) {
        if (source == target) continue;
        const auto bytes = plan.piece_bytes(meeting, backward ? target : source, cluster.batch_size);
        flows.push_back({source, target, static_cast<double>(bytes) / static_cast<double>(cluster.model_bytes)});
      }
    }
  };
  for (std::size_t meeting = 0; meeting < plan.meetings(); ++meeting) add(meeting, false);
  for (std::size_t meeting = 0; meeting + 1 < plan.meetings(); ++meeting) add(meeting, true);
  return result;
}

std::vector<std::vector<std::uint32_t>> VerticalParams::split_parts(const nn::Model& model,
                                                                    const Cluster& cluster) const {
  const VerticalPlan plan(*this, &model, cluster);
  std::vector<std::vector<std::uint32_t>> held;
  for (int worker = 0; worker < cluster.workers; ++worker) held.push_back(plan.split()->held(worker));
  return held;
}

std::vector<SettingError> VerticalParams::errors(const Surroundings&) const { return errors_in(serving); }

// A split lists its parameters. For larger models the small activations between layers are left out.
MemoryUse VerticalParams::split_memory(const nn::Model* model, int workers) const {
  constexpr double most_listed = 1e8;
  const MemoryUse one = replicas(model == nullptr ? 0 : model->parameter_count(), 1);
  if (model == nullptr || one.parameters > most_listed) return one;
  MemoryUse use;
  try {
    const VerticalSplit split(*model, workers);
    for (int worker = 0; worker < workers; ++worker) {
      use.parameters += static_cast<double>(split.held(worker).size());
      for (const std::size_t values : split.tape(worker).values) use.values += 2 * static_cast<double>(values);
    }
  } catch (const InputError&) {  // the run will report it
  }
  use.training = use.parameters;
  return use;
}

}  // namespace ddl::split
