#include "core/node/layers.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/node/vectors.hpp"
#include "core/node/weights.hpp"

namespace ddl {

LayerSchedule::LayerSchedule(const std::vector<LayerInfo>& layers) : begin_(layers.size()), known_(layers.size()) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    begin_[layer] = all_;
    all_ += layers[layer].work;
  }
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    all_ += (layer > 0 ? 2 : 1) * layers[layer].work;
    known_[layer] = all_;
  }
}

namespace {

// The weights at which a gradient is taken: each layer's as they were when its forward pass began.
class WeightsByLayer {
 public:
  WeightsByLayer(const std::vector<LayerInfo>& layers, const Weights& weights, std::span<const std::size_t> held)
      : layers_(layers), weights_(weights), held_(held) {
    if (held.empty()) return;
    values_.reserve(weights.read().size());
    take(0, held.front());
  }
  // Takes the weights of held layer `number` and of the layers up to the next held one.
  void take(std::size_t number) { take(held_[number], number + 1 < held_.size() ? held_[number + 1] : layers_.size()); }
  Payload all() {
    if (held_.empty() || !weights_.snapshot()) return weights_.snapshot();
    return make_payload(std::move(values_));
  }

 private:
  void take(std::size_t first, std::size_t last) {
    if (first == last) return;
    const Slice slice{layers_[first].slice.begin, layers_[last - 1].slice.end};
    const auto now = part_of(weights_.read(), slice);
    values_.insert(values_.end(), now.begin(), now.end());
  }

  const std::vector<LayerInfo>& layers_;
  const Weights& weights_;
  const std::span<const std::size_t> held_;
  std::vector<float> values_;
};

}  // namespace

Gradient gradient_by_layers(const std::vector<LayerInfo>& layers, const Weights& weights, const LayerCalls& calls,
                            const GradientTasks& tasks) {
  const LayerSchedule schedule(layers);
  double spent = 0;
  const auto spend_until = [&](double share) {
    if (share > spent) tasks.spend(tasks.seconds * (share - spent));
    spent = share;
  };
  WeightsByLayer at(layers, weights, calls.held);
  for (std::size_t number = 0; number < calls.held.size(); ++number) {
    spend_until(schedule.begin(calls.held[number]));
    calls.begin(calls.held[number]);
    at.take(number);
  }
  tasks.compute(at.all());
  std::optional<Gradient> gradient;
  for (const std::size_t layer : calls.told) {
    spend_until(schedule.known(layer));
    if (!gradient) gradient = tasks.result();
    calls.known(layer, *gradient);
  }
  spend_until(1);
  return gradient ? *std::move(gradient) : tasks.result();
}

}  // namespace ddl
