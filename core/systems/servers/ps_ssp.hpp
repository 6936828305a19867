// The stale-synchronous parameter server (Ho et al., NIPS 2013).
#pragma once

#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/systems/servers/ps_async.hpp"

namespace ddl::systems {

inline constexpr const char* ps_ssp_tuned[] = {codec::tuned, R"({"staleness_bound": [1, 3, 9]})",
                                               R"({"overlap": ["layers"]})"};

struct PsSspParams : SystemOf<PsSspParams, PsAsyncParams> {
  static constexpr SystemFacts facts{.name = "ps_ssp",
                                     .what = "stale-synchronous parameter server: no worker is more than s steps ahead",
                                     .paper = "Ho et al., NIPS 2013",
                                     .needs_servers = true,
                                     .servers_agree = true,
                                     .tuned = ps_ssp_tuned};
  int staleness_bound = 3;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  std::unique_ptr<Program> program(Node& node) const override {
    return ps_program(*this, node, {.staleness_aware = staleness_aware, .staleness_bound = staleness_bound});
  }
  void server(Node& node) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
  std::optional<int> most_steps_ahead() const override;
};

template <class Visitor>
void fields(Visitor& visit, PsSspParams& params) {
  visit("staleness_bound", params.staleness_bound, Rule{.doc = "steps ahead of the slowest worker", .at_least = 0});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
  fields(visit, static_cast<PsAsyncParams&>(params));
}

}  // namespace ddl::systems
