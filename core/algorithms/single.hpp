// Plain minibatch SGD on one worker: what every distributed scheme is compared with.
#pragma once

#include <memory>

#include "core/algorithms/node.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/base/fields.hpp"

namespace ddl {

struct SingleParams {
  static constexpr const char* tag = "single";
};
template <class Visitor>
void fields(Visitor&, SingleParams&) {}

std::unique_ptr<Program> make_program(const SingleParams& params, Node& node);
Traffic traffic_of(const SingleParams& params, const Cluster& cluster);

}  // namespace ddl
