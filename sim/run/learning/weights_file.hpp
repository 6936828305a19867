// Weights that a run starts from, of a file in the safetensors format: huggingface.co/docs/safetensors.
#pragma once

#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::nn {
class Model;
}

namespace ddl::run {

// The model's parameters as scenario.training.init's file has them: tensor by tensor, named and shaped as PyTorch's
// modules of the same network hold them (see nn::torch_tensors), which is what record.initial_weights and
// record.weights write. Statistics of batch normalisation are passed over, for they are estimated. Throws InputError.
std::vector<float> weights_of_file(const scenario::Scenario& scenario, const nn::Model& model);

}  // namespace ddl::run
