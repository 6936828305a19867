#include "sim/run/learning/weights_file.hpp"

#include <algorithm>
#include <string>

#include "core/base/check.hpp"
#include "core/base/printable.hpp"
#include "core/nn/model.hpp"
#include "core/nn/torch_tensor.hpp"
#include "sim/run/learning/tensor_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::run {
namespace {

// True for a tensor in a file that no layer here learns, or that repeats the others.
bool is_passed_over(const std::string& name) {
  return name == "parameters" || name.ends_with(".running_mean") || name.ends_with(".running_var") ||
         name.ends_with(".num_batches_tracked") || name.ends_with(".attn.bias");  // nanoGPT's masks
}

std::vector<float> weights_in(TensorFile file, const nn::Model& model) {
  std::vector<float> weights(model.parameter_count());
  std::vector<std::string> names;
  const std::vector<std::string> there = file.names();
  for (const nn::TorchTensor& tensor : nn::torch_tensors(model)) {
    if (tensor.repeats && std::ranges::find(there, tensor.name) == there.end()) continue;
    const std::vector<float> values = file.read(tensor.name, tensor.shape);
    names.push_back(tensor.name);
    if (tensor.repeats && values != nn::values_of(tensor, weights)) {
      file.fail("has in " + in_quotes(tensor.name) + " other values than in " + in_quotes(names.front()) +
                ", to which the model ties it");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (tensor.sources[i] != nn::TorchTensor::nothing) weights[tensor.sources[i]] = values[i];
    }
  }
  for (const std::string& name : file.names()) {
    if (is_passed_over(name) || std::ranges::find(names, name) != names.end()) continue;
    file.fail("has a tensor " + in_quotes(name) + ", which the model has not; its tensors are " +
              scenario::listed(names));
  }
  return weights;
}

}  // namespace

std::vector<float> weights_of_file(const scenario::Scenario& scenario, const nn::Model& model) {
  try {
    return weights_in(TensorFile(resolve_path(scenario, scenario.training.init.from_file()->file)), model);
  } catch (const InputError& error) {
    throw InputError(std::string("$.training.init.file: ") + error.what());
  }
}

}  // namespace ddl::run
