// Plain minibatch SGD on one worker: what every distributed scheme is compared with.
#pragma once

#include <memory>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct SingleParams {
  static constexpr const char* tag = "single";
};
template <class Visitor>
void fields(Visitor&, SingleParams&) {}

std::unique_ptr<Program> make_program(const SingleParams& params, Node& node);
Traffic traffic_of(const SingleParams& params, const Cluster& cluster);

}  // namespace ddl::systems
