#include "core/systems/ps_roles.hpp"

namespace ddl::systems {

void PsWorker::run() {
  while (node_.next_step()) {
    model_.send_request(comm::Pull{});
    model_.receive();
    const Gradient gradient = node_.gradient();
    model_.push(comm::Push{}, gradient.values);
    node_.finish_step();
  }
  model_.send_leave(comm::Leave{});
}

PsServer::PsServer(Node& node, const PsParams& params)
    : node_(node), params_(params), version_pulled_(static_cast<std::size_t>(node.cluster().workers), -1) {
  node.membership().watch(comm::to_server);
}

void PsServer::answer(int worker) {
  version_pulled_[static_cast<std::size_t>(worker)] = version_;
  comm::send_shard(node_, worker);
}

void PsServer::work() { node_.compute(params_.update_time.value); }

void PsServer::apply(std::span<const float> sum, float weight) {
  update_.assign(sum.begin(), sum.end());
  for (float& value : update_) value *= weight;
  node_.apply(update_);
  ++version_;
}

std::int64_t PsServer::staleness_of(const Message& gradient) const {
  return version_ - version_pulled_[static_cast<std::size_t>(gradient.source)];
}

void PsServer::record_staleness(const Message& gradient) {
  if (node_.server_rank() != 0) return;
  node_.record(Staleness{gradient.source, gradient.step, static_cast<double>(staleness_of(gradient))});
}

}  // namespace ddl::systems
