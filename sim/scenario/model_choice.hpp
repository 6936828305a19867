// The settings of a model that another program computes, and the facts of a model that a run trains: a network of ours,
// or that program's.
#pragma once

#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/nn/model.hpp"
#include "core/node/cluster.hpp"

namespace ddl::scenario {

// Gradients and evaluations are answered by processes that run this command.
struct ProgramSpec {
  std::vector<std::string> command;
  std::string folder;            // where, relative to the scenario
  std::optional<int> processes;  // default: as many as math threads
  Seconds timeout{600};          // for each answer, by the clock
};

// "python3 my_model.py", for people.
std::string command_of(const ProgramSpec& program);

// The forms of a scenario's `model`, seen as one value by visitors: a network of ours, or a program, where the
// network's name is program_model.
struct ModelChoice {
  nn::ModelSpec& network;
  std::optional<ProgramSpec>& program;
};
inline constexpr const char* program_model = "command";

// A program's facts about its model, for people: its tensors, and its version.
struct ProgramFacts {
  struct Tensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::size_t size() const {
      return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    }
    bool operator==(const Tensor&) const = default;
  };
  std::vector<Tensor> tensors;
  std::vector<Tensor> frozen{};  // belong to it, and are neither trained nor sent
  std::string version;
  bool operator==(const ProgramFacts&) const = default;
};

// How a model divides, which decides what is sent of it and when.
struct ModelShape {
  std::size_t parameters = 0;
  std::vector<TensorInfo> tensors{};
  std::vector<LayerInfo> layers{};
};

struct LearnedModel : ModelShape {
  const nn::Model* network = nullptr;  // null: a program's
  std::vector<Matrix> matrices{};      // tensors of two or more dimensions
  std::optional<ProgramFacts> program{};
};
LearnedModel learned_model(const nn::Model& network);

template <class Visitor>
void fields(Visitor& visit, ProgramSpec& spec) {
  visit("command", spec.command,
        Rule{.doc = "a program and its arguments, which computes gradients and evaluations, as docs/own_models.md says",
             .is_setting = false});
  visit("folder", spec.folder,
        Rule{.doc = "where it is started, relative to the scenario; default: where that lies", .is_setting = false});
  visit("processes", spec.processes,
        Rule{.doc = "how many of it are started; default: as many as threads for gradients",
             .at_least = 1,
             .at_most = 4096,
             .is_setting = false});
  visit("timeout", spec.timeout,
        Rule{.doc = "by the clock, for each of its answers", .above = 0, .at_most = 1e6, .is_setting = false});
}

}  // namespace ddl::scenario
