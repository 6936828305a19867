// A run's learning, for runs that learn the same and take other times: these replay it, and have the same files as if
// they had learned themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/nn/model.hpp"
#include "core/node/cluster.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/learning/learner.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct Learned {
  std::vector<std::vector<nn::Score>> minibatches;  // by worker, its steps
  std::vector<std::vector<nn::Score>> evaluations;  // in order: of each worker's model, then of the averaged one
  Told told;                                        // by evaluations
  std::vector<nn::Score> replicas;                  // at the end, likewise; empty where workers are judged by their own
  std::vector<std::vector<float>> weights;          // as RunResult has them; empty: the first
  std::optional<double> consensus_distance;
};
template <class A>
void members(A& archive, Learned& learned) {
  auto& [minibatches, evaluations, told, replicas, weights, consensus_distance] = learned;
  archive(minibatches, evaluations, told, replicas, weights, consensus_distance);
}

// True if workers are judged after the same number of steps each, instead of all in one instant.
bool judges_by_steps(const scenario::Scenario& scenario);

// The settings that decide what is learned, as far as they are known without the platform and files, as text; empty if
// times decide as well, or if the run has files that no replay can write.
std::string learning_settings(const scenario::Scenario& scenario);

// The rest of what decides it, as bytes; none: only learning tells the sizes of messages.
std::optional<std::string> learning_cluster(const scenario::Scenario& scenario, Cluster cluster,
                                            platform::Places workers, const scenario::LearnedModel& model);

}  // namespace ddl::run
