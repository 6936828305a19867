// Plain minibatch SGD on one worker: what every distributed scheme is compared with.
#pragma once

#include <vector>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct SingleParams {
  static constexpr SystemFacts facts{
      .name = "single", .what = "plain minibatch SGD on one worker", .paper = "Robbins and Monro, 1951"};

  void worker(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
  std::vector<SettingError> errors(const Surroundings& around) const;
};
template <class Visitor>
void fields(Visitor&, SingleParams&) {}

}  // namespace ddl::systems
