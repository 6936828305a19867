// A gradient by layers: its forward pass goes through them from the first, its backward pass from the last. A system
// may hold back the forward pass of a layer, as long as the layer's new weights are on their way, and hears when a
// layer's gradient is known, while those of the layers before it are still computed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/node/cluster.hpp"
#include "core/node/gradient.hpp"
#include "core/node/message.hpp"

namespace ddl {

class Weights;

// When layers begin and are known, as shares of a gradient's time.
class LayerSchedule {
 public:
  explicit LayerSchedule(const std::vector<LayerInfo>& layers);
  double begin(std::size_t layer) const { return begin_[layer] / all_; }
  double known(std::size_t layer) const { return known_[layer] / all_; }

 private:
  std::vector<double> begin_, known_;
  double all_ = 0;
};

// What a system asks of one gradient. Layers are numbered as in Cluster::layers.
struct LayerCalls {
  // Ascending. When the layers before a held one are through, begin(layer) returns once its forward pass may begin (W),
  // with the weights as they are then: its own and those of the layers up to the next held one.
  std::vector<std::size_t> held = {};
  std::function<void(std::size_t layer)> begin = nullptr;
  // Descending. known(layer, gradient) when of the gradient's values this layer's are known; it does not wait.
  std::vector<std::size_t> told = {};
  std::function<void(std::size_t layer, const Gradient& gradient)> known = nullptr;
};

// What a runtime does for a gradient. Tasks between which nobody listens are one.
struct GradientTasks {
  double seconds = 0;                    // of the whole gradient
  std::function<void(double)> spend;     // W. lets so many of these pass
  std::function<void(Payload)> compute;  // starts the mathematics, at these weights
  std::function<Gradient()> result;      // W. what comes of it; once
};

// W.
Gradient gradient_by_layers(const std::vector<LayerInfo>& layers, const Weights& weights, const LayerCalls& calls,
                            const GradientTasks& tasks);

}  // namespace ddl
