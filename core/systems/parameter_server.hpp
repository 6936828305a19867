// The centralized parameter server: asynchronous (Dean et al., NIPS 2012; Li et al., OSDI 2014), stale-synchronous
// (Ho et al., NIPS 2013) and synchronous (Chen et al., 2016).
#pragma once

#include <memory>
#include <optional>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/codec/codec_params.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct PsParams {
  Seconds update_time;       // a server's work for one gradient
  codec::CodecParams codec;  // of gradients; weights travel as they are
};
struct PsAsyncParams : PsParams {
  static constexpr SystemFacts facts{.name = "ps_async",
                                     .what = "asynchronous parameter server, one or several shards",
                                     .paper = "Dean et al., NIPS 2012; Li et al., OSDI 2014",
                                     .needs_servers = true};
  bool staleness_aware = false;  // divide each step by its staleness (Zhang et al., IJCAI 2016)

  std::unique_ptr<Program> program(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
};
struct PsSspParams : PsAsyncParams {
  static constexpr SystemFacts facts{.name = "ps_ssp",
                                     .what = "stale-synchronous parameter server: nobody is more than s steps ahead",
                                     .paper = "Ho et al., NIPS 2013",
                                     .needs_servers = true,
                                     .servers_agree = true};
  int staleness_bound = 3;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  std::unique_ptr<Program> program(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
  std::vector<SettingError> errors(const Surroundings& around) const;
  std::optional<int> most_steps_ahead() const;
};
struct PsSyncParams : PsParams {
  static constexpr SystemFacts facts{
      .name = "ps_sync",
      .what = "synchronous parameter server: a round waits for all workers, or all but b",
      .paper = "Chen et al., 2016",
      .needs_servers = true};
  int backup_workers = 0;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;

  std::unique_ptr<Program> program(Node& node) const;
  Traffic traffic(const Cluster& cluster) const;
  std::vector<SettingError> errors(const Surroundings& around) const;
};

template <class Visitor>
void fields(Visitor& visit, PsParams& params) {
  visit("update_time", params.update_time, Rule{.doc = "a server's work for one gradient", .at_least = 0});
  visit("codec", params.codec, Rule{.doc = "how gradients are made smaller on their way to the servers"});
}
template <class Visitor>
void fields(Visitor& visit, PsAsyncParams& params) {
  fields(visit, static_cast<PsParams&>(params));
  visit("staleness_aware", params.staleness_aware, Rule{.doc = "divide each gradient's step by its staleness"});
}
template <class Visitor>
void fields(Visitor& visit, PsSspParams& params) {
  visit("staleness_bound", params.staleness_bound, Rule{.doc = "steps ahead of the slowest worker", .at_least = 0});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
  fields(visit, static_cast<PsAsyncParams&>(params));
}
template <class Visitor>
void fields(Visitor& visit, PsSyncParams& params) {
  visit("backup_workers", params.backup_workers,
        Rule{.doc = "b: a round takes the first n-b gradients and drops the rest", .at_least = 0});
  server_failure_fields(visit, params.on_failure, params.failure_timeout);
  fields(visit, static_cast<PsParams&>(params));
}

}  // namespace ddl::systems
