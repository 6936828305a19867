// The outer model A of DiLoCo and its velocity u, of which each worker has copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include "core/comm/partitions.hpp"
#include "core/node/weights.hpp"
#include "core/systems/diloco/diloco.hpp"

namespace ddl::systems {

class OuterModel {
 public:
  // `start` is null when timing only.
  OuterModel(const OuterParams& params, const Payload& start, std::size_t parameters);

  std::span<const float> read() const { return model_.read(); }
  Payload snapshot() const { return model_.snapshot(); }
  OuterModel copy() const;
  // Model, velocity and rates as a vector that travels, and back; `vectors` of the model's length.
  std::vector<float> packed() const;
  void unpack(std::span<const float> packed);
  std::uint64_t vectors() const { return std::holds_alternative<OuterSgd>(params_) ? 1 : 2; }

  // The outer step of a fragment, or of a part that is always stepped alone, along its gathered mean moves.
  // `inner_rate`: of the last step in the moves.
  void step(const comm::Partition& fragment, const Payload& moves, double inner_rate);

 private:
  float rescaling(std::size_t first, double inner_rate);

  const OuterParams params_;
  Weights model_;
  std::vector<float> velocity_;          // empty for OuterSgd
  std::map<std::size_t, double> rates_;  // at the last outer step, by the fragment's first coordinate
};

}  // namespace ddl::systems
