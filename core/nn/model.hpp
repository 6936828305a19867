// A network as a pure function of one flat parameter vector. A Model is immutable after construction and shared by all
// threads; a computation writes only into its caller's Workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/shape.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

class Layer;

// A layer that cannot follow the one before it. `layer` is its index in the list, for the JSON path.
struct ModelError : std::runtime_error {
  ModelError(std::size_t layer_, const std::string& what) : std::runtime_error(what), layer(layer_) {}
  std::size_t layer;
};

struct Workspace;  // scratch memory of one thread; see workspace.hpp

struct Score {
  double loss = 0;      // mean cross-entropy, natural logarithm
  double accuracy = 0;  // share of labels that are the largest output
};

class Model {
 public:
  // The named model or list of layers of `spec`, for samples of `input`. Throws ModelError.
  Model(const ModelSpec& spec, Shape input, int classes, MathMode mode = MathMode::portable);
  ~Model();
  Model(Model&&) noexcept;

  std::size_t parameter_count() const;        // the length of the vector, without weights that masks remove
  std::size_t whole_parameter_count() const;  // with it
  MathMode math_mode() const;                 // portable or native
  const std::vector<TensorInfo>& tensors() const;
  const std::vector<std::unique_ptr<Layer>>& layers() const;
  // Layers with parameters: their number of parameters, and the multiply-adds of one sample's forward pass.
  struct LayerSize {
    std::size_t parameters = 0;
    double multiply_adds = 0;
  };
  std::vector<LayerSize> learning_layers() const;
  // Tensors of two or more dimensions, in the order of the vector.
  const std::vector<Matrix>& matrices() const;
  // Labels of a sample: a language model's have one for each position.
  std::size_t positions() const;
  // Multiply-adds of one sample's forward pass (dense and convolutional layers), by the weights that are there.
  double forward_multiply_adds() const;

  void initialize(std::span<float> parameters, Stream& random) const;

  // Loss and accuracy of the batch at `parameters`, and the loss's gradient into `gradient` (overwritten; both
  // parameter_count() long). `random` drives dropout.
  Score gradient(std::span<const float> parameters, const data::Batch& batch, Stream& random, std::span<float> gradient,
                 Workspace& workspace) const;

  // Loss and accuracy over the first `samples` of `data`, without dropout. Statistics of batch normalisation are first
  // estimated at these parameters from 400 samples of `training`; models with needs_estimates() require it.
  Score evaluate(std::span<const float> parameters, const data::Dataset& data, std::size_t samples,
                 Workspace& workspace, const data::Dataset* training = nullptr) const;
  // The class of each of the first `samples` of `data`, which have one label each: its first largest output, computed
  // in the same way.
  std::vector<std::uint8_t> classify(std::span<const float> parameters, const data::Dataset& data, std::size_t samples,
                                     Workspace& workspace, const data::Dataset* training = nullptr) const;
  bool needs_estimates() const;
  std::size_t evaluated_together() const;  // samples

 private:
  // Calls visit(outputs, labels) for each batch of an evaluation.
  template <class Visit>
  void each_batch(std::span<const float> parameters, const data::Dataset& data, std::size_t samples,
                  Workspace& workspace, const data::Dataset* training, Visit visit) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The training samples, by number, that statistics for evaluations are estimated from: evenly spread, in
// batches that differ by at most one sample: all count alike.
std::vector<std::vector<std::uint32_t>> estimation_batches(std::size_t training_samples);

// The list of layers of a named model for `classes` outputs; spec.layers for
// "layers". Throws ModelError on an unknown name.
std::vector<LayerSpec> layers_of(const ModelSpec& spec, int classes);

struct NamedModel {
  const char* name;
  const char* what;  // one line for `ddlsim list models`
  Shape input;       // shape of its usual samples
  int classes = 10;  // and their classes
};
std::span<const NamedModel> named_models();

// Workspaces are opaque to users of Model: make one per thread.
std::unique_ptr<Workspace, void (*)(Workspace*)> make_workspace();

}  // namespace ddl::nn
