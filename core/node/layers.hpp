// A gradient layer by layer: the forward pass goes from the first to the last, the backward pass back. A system may
// hold back a layer's forward pass until its new weights have arrived, and hears when a layer's gradient is known while
// those of earlier layers are still being computed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/node/cluster.hpp"
#include "core/node/gradient.hpp"
#include "core/node/message.hpp"

namespace ddl {

class Weights;

// When each layer begins and when its gradient is known, as shares of a gradient's time.
class LayerSchedule {
 public:
  explicit LayerSchedule(const std::vector<LayerInfo>& layers);
  double begin(std::size_t layer) const { return begin_[layer] / all_; }
  double known(std::size_t layer) const { return known_[layer] / all_; }

 private:
  std::vector<double> begin_, known_;
  double all_ = 0;
};

// A system's requests for one gradient. Layers are numbered as in Cluster::layers.
struct LayerCalls {
  // Ascending. Once the layers before a held one are through, begin(layer) waits (W) and returns when its forward pass
  // may begin. The layers up to the next held one take their weights at that moment.
  std::vector<std::size_t> held = {};
  std::function<void(std::size_t layer)> begin = nullptr;
  // Descending. known(layer, gradient) is called when this layer's part of the gradient is known; it must not wait.
  std::vector<std::size_t> told = {};
  std::function<void(std::size_t layer, const Gradient& gradient)> known = nullptr;
};

// The runtime's part of a gradient. Tasks are merged if nobody listens between them.
struct GradientTasks {
  double seconds = 0;                    // length of the whole gradient
  std::function<void(double)> spend;     // W. lets `seconds` pass
  std::function<void(Payload)> compute;  // starts the mathematics, at these weights
  std::function<Gradient()> result;      // W. its result; once
};

// W.
Gradient gradient_by_layers(const std::vector<LayerInfo>& layers, const Weights& weights, const LayerCalls& calls,
                            const GradientTasks& tasks);

}  // namespace ddl
