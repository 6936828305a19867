// One model dealt over all workers by output channels, as IDDL's vertical partitions: activations and their gradients
// travel, weights never do.
#pragma once

#include <memory>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"
#include "core/parallel/serving.hpp"

namespace ddl::parallel {

struct VerticalParams {
  static constexpr const char* tag = "vertical";
  std::vector<Bytes> meetings;  // timing only: of all workers' pieces of one batch, at each gathering
  ServingParams serving;
};
template <class Visitor>
void fields(Visitor& visit, VerticalParams& params) {
  visit("meetings", params.meetings,
        Rule{.doc = "model \"none\": a batch's activations wherever workers gather them", .above = 0});
  visit("serving", params.serving, Rule{.doc = "predictions once training is over"});
}

std::unique_ptr<Program> make_program(const VerticalParams& params, Node& node);
Traffic traffic_of(const VerticalParams& params, const Cluster& cluster);
std::vector<std::vector<std::uint32_t>> held_of(const VerticalParams& params, const Cluster& cluster);

}  // namespace ddl::parallel
