// Training piece by piece: for systems whose workers share one model, or choose the samples they learn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/rng.hpp"
#include "core/data/dataset.hpp"
#include "core/node/gradient.hpp"

namespace ddl {

namespace nn {
class Model;
}

enum class SampleSet { training, test };

// The start of a step of a model that is split over nodes.
struct Minibatch {
  std::shared_ptr<const data::Batch> batch;  // null when timing only
  std::optional<Stream> dropout;
};

// A capability of a Node. A runtime without it refuses systems that need it before they start. Calls marked W can wait.
class ModelParallel {
 public:
  virtual ~ModelParallel() = default;
  virtual const nn::Model* model() const = 0;  // null when timing only
  // Duration of one gradient of the whole model on this host, with jitter; drawn again at each call.
  virtual double gradient_seconds() = 0;
  // W. Takes `seconds` of this host's processor while `math` runs on another thread; `math` has run when it returns.
  // `math` is empty when timing only.
  virtual void work(double seconds, std::function<void()> math) = 0;
  // The next minibatch of this worker's samples.
  virtual Minibatch minibatch() = 0;
  // The size of the set; when timing only, its nominal size.
  virtual std::size_t sample_count(SampleSet set) const = 0;
  // Samples by number; null when timing only.
  virtual std::shared_ptr<const data::Batch> samples(SampleSet set, std::span<const std::uint32_t> numbers) const = 0;
  // W. Like Node::gradient, with these training samples instead of the worker's next minibatch.
  virtual Gradient gradient_of(std::vector<std::uint32_t> samples) = 0;
  // W. For each training sample 1 if weights() predict its class, else 0. Costs the simulated time of a forward pass
  // over the set, a third of that of its gradients. Empty when timing only.
  virtual std::vector<std::uint8_t> correct_predictions() = 0;
  // W. Records the loss of the step's minibatch. A loss that is not finite ends the run.
  virtual void record_loss(double loss) = 0;
};

}  // namespace ddl
