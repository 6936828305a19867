// The centralized parameter server, asynchronous and synchronous (Li et al., OSDI 2014; Dean et al., NIPS 2012).
#pragma once

#include <memory>

#include "core/algorithms/node.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "core/codec/codec_params.hpp"

namespace ddl {

struct PsParams {
  Seconds update_time;  // a server's work for one gradient
  CodecParams codec;    // of gradients; weights travel as they are
};
struct PsAsyncParams : PsParams {
  static constexpr const char* tag = "ps_async";
};
struct PsSyncParams : PsParams {
  static constexpr const char* tag = "ps_sync";
};

template <class Visitor>
void fields(Visitor& visit, PsParams& params) {
  visit("update_time", params.update_time, Rule{.doc = "a server's work for one gradient", .at_least = 0});
  visit("codec", params.codec, Rule{.doc = "how gradients are made smaller on their way to the servers"});
}

std::unique_ptr<Program> make_program(const PsAsyncParams& params, Node& node);
std::unique_ptr<Program> make_program(const PsSyncParams& params, Node& node);
Traffic traffic_of(const PsAsyncParams& params, const Cluster& cluster);
Traffic traffic_of(const PsSyncParams& params, const Cluster& cluster);

}  // namespace ddl
