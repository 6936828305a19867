// The asynchronous parameter server (Dean et al., NIPS 2012; Li et al., OSDI 2014).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/codec/codec_params.hpp"
#include "core/comm/sharded_model.hpp"
#include "core/node/node.hpp"
#include "core/node/on_failure.hpp"
#include "core/node/program.hpp"
#include "core/node/system.hpp"
#include "core/node/traffic.hpp"
#include "core/systems/servers/ps_layers.hpp"

namespace ddl::systems {

// layers: a layer's gradient is pushed when it is known, and its weights come back for its next forward pass.
enum class PsOverlap { none, layers };
constexpr auto enum_names(PsOverlap) { return in_order<PsOverlap>("none", "layers"); }
inline constexpr Rule ps_overlap_rule{
    .doc =
        "layers: each layer is pushed when its gradient is known, and comes back when the servers have made its step; "
        "its forward pass waits for it alone, and what the forward pass needs first travels first; as none where the "
        "optimizer needs whole gradients (clip_norm); no host may come or go then"};

// Settings common to all parameter servers.
struct PsParams : System {
  PsOverlap overlap = PsOverlap::none;
  Seconds update_time;       // a server's work for one gradient
  codec::CodecParams codec;  // encodes gradients; weights travel unencoded

  void worker(Node& node) const override;
  std::string all_hosts_for() const override { return overlap == PsOverlap::layers ? "overlap" : ""; }
  std::vector<std::string> notes(const Cluster& cluster) const override;
};
// False with clip_norm, whatever `overlap` says: it needs whole gradients.
bool is_by_layers(const PsParams& params, const Cluster& cluster);
// Layer by layer, or else worker() and server().
std::unique_ptr<Program> ps_program(const PsParams& params, Node& node, PsLayers how);
std::vector<SettingError> errors_by_layers(const PsParams& params, OnFailure on_failure);

inline constexpr const char* ps_async_tuned[] = {codec::tuned, R"({"overlap": ["layers"]})",
                                                 R"({"staleness_aware": [true]})"};

struct PsAsyncParams : SystemOf<PsAsyncParams, PsParams> {
  static constexpr SystemFacts facts{.name = "ps_async",
                                     .what = "asynchronous parameter server, one or several shards",
                                     .paper = "Dean et al., NIPS 2012; Li et al., OSDI 2014",
                                     .needs_servers = true,
                                     .tuned = ps_async_tuned};
  bool staleness_aware = false;  // divide each step by its staleness (Zhang et al., IJCAI 2016)

  std::unique_ptr<Program> program(Node& node) const override {
    return ps_program(*this, node, {.staleness_aware = staleness_aware});
  }
  void server(Node& node) const override;
  Traffic traffic(const Cluster& cluster) const override;
};

// A server's step with one gradient.
void apply_push(const PsAsyncParams& params, comm::ShardServer& shard, Node& node, const Message& push,
                std::int64_t staleness);

template <class Visitor>
void fields(Visitor& visit, PsParams& params) {
  visit("update_time", params.update_time, Rule{.doc = "a server's work for one gradient", .at_least = 0});
  visit("codec", params.codec, Rule{.doc = "how gradients are made smaller on their way to the servers"});
}
template <class Visitor>
void fields(Visitor& visit, PsAsyncParams& params) {
  fields(visit, static_cast<PsParams&>(params));
  visit("overlap", params.overlap, ps_overlap_rule);
  visit("staleness_aware", params.staleness_aware, Rule{.doc = "divide each gradient's step by its staleness"});
}

}  // namespace ddl::systems
