#include "sim/scenario/model_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ddl::scenario {

std::string command_of(const ProgramSpec& program) { return fmt::format("{}", fmt::join(program.command, " ")); }

LearnedModel learned_model(const nn::Model& network) {
  LearnedModel model{
      {.parameters = network.parameter_count(), .tensors = network.tensors()}, &network, network.matrices()};
  std::size_t begin = 0;
  for (const auto& [size, multiply_adds] : network.learning_layers()) {
    model.layers.push_back({{begin, begin + size}, multiply_adds});
    begin += size;
  }
  return model;
}

}  // namespace ddl::scenario
