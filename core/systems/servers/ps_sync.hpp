// The synchronous parameter server (Chen et al., 2016).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/systems/servers/ps_async.hpp"

namespace ddl::systems {

inline constexpr const char* ps_sync_tuned[] = {codec::tuned, R"({"backup_workers": [1]})",
                                                R"({"overlap": ["layers"]})"};

struct PsSyncParams : SystemOf<PsSyncParams, PsParams> {
  static constexpr SystemFacts facts{
      .name = "ps_sync",
      .what = "synchronous parameter server: a round waits for all workers, or all but b",
      .paper = "Chen et al., 2016",
      .needs_servers = true,
      .tuned = ps_sync_tuned};
  int backup_workers = 0;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  std::unique_ptr<Program> program(Node& node) const override { return ps_program(*this, node, {.synchronous = true}); }
  void server(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
  std::vector<SettingError> errors(const Surroundings& around) const override;
};

template <class Visitor>
void fields(Visitor& visit, PsSyncParams& params) {
  visit("overlap", params.overlap, ps_overlap_rule);
  visit("backup_workers", params.backup_workers,
        Rule{.doc = "b: a round takes the first n-b gradients and drops the rest", .at_least = 0});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
  fields(visit, static_cast<PsParams&>(params));
}

}  // namespace ddl::systems
