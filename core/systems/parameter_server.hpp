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
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct PsParams {
  Seconds update_time;       // a server's work for one gradient
  codec::CodecParams codec;  // of gradients; weights travel as they are
};
struct PsAsyncParams : PsParams {
  static constexpr const char* tag = "ps_async";
  bool staleness_aware = false;  // divide each step by its staleness (Zhang et al., IJCAI 2016)
};
struct PsSspParams : PsAsyncParams {
  static constexpr const char* tag = "ps_ssp";
  int staleness_bound = 3;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;
};
struct PsSyncParams : PsParams {
  static constexpr const char* tag = "ps_sync";
  int backup_workers = 0;
  OnFailure on_failure = OnFailure::wait;
  std::optional<Seconds> failure_timeout;
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

std::unique_ptr<Program> make_program(const PsAsyncParams& params, Node& node);
std::unique_ptr<Program> make_program(const PsSspParams& params, Node& node);
std::unique_ptr<Program> make_program(const PsSyncParams& params, Node& node);
Traffic traffic_of(const PsAsyncParams& params, const Cluster& cluster);
Traffic traffic_of(const PsSspParams& params, const Cluster& cluster);
Traffic traffic_of(const PsSyncParams& params, const Cluster& cluster);

}  // namespace ddl::systems
