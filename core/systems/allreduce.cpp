// All replicas stay identical: they apply the same sums, in the same rounds. A worker whose steps are over contributes
// nothing but goes on taking part, until a round in which nobody contributes ends the group; that closing round costs
// latency and headers only.
//
//   worker i:  loop:  g = gradient(x);  G = allreduce_sum(g) / n;  x = step(x, G)                 [ALGORITHMS 4.1]
//   partial:   part t mod P of the update is that of G, all else that of g                        [ALGORITHMS 1.10]
//   with a codec C:  q = C(g);  G = sum of the q of all workers / n, in worker order
//
// A partial all-reduce sends a P-th of the bytes. Its replicas drift apart in what they apply alone, as each coordinate
// of a gradient reaches others in one step of P or never.
#include "core/systems/allreduce.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/comm/compression.hpp"
#include "core/node/vectors.hpp"
#include "core/systems/partitions.hpp"

namespace ddl::systems {
namespace {

constexpr int sums = 0;  // the only port

class AllReduceWorker : public Program {
 public:
  AllReduceWorker(Node& node, comm::Collective how, int partitions, const AllreduceParams& params)
      : node_(node),
        all_reduce_(node, how, sums, params.on_failure, "sums of the other workers"),
        partitions_(make_partitions(Partitioner::even, partitions, node.cluster())) {
    if (std::holds_alternative<codec::NoCodecParams>(params.codec)) return;
    Stream random = node.rng("codec");
    for (const Partition& part : partitions_) {
      compressors_.emplace_back(params.codec, node.cluster(), part, Stream(random.bits()));
    }
  }

  void run() override {
    all_reduce_.take_part([this] { take_rounds(); });
  }

 private:
  void take_rounds() {
    while (true) {
      const bool at_work = node_.next_step();
      const Payload gradient = at_work ? node_.gradient().values : nullptr;
      const std::size_t index = static_cast<std::size_t>(all_reduce_.round()) % partitions_.size();
      const Slice part = partitions_[index].front();
      const Payload own = share_part(gradient, part);
      const std::optional<comm::Sum> total =
          compressors_.empty() ? all_reduce_.sum(part, {own, at_work}) : encoded_sum(compressors_[index], own, at_work);
      if (total && total->count == 0) return;
      if (total) apply(gradient, part, *total);
      if (at_work) node_.finish_step();
    }
  }

  std::optional<comm::Sum> encoded_sum(comm::Compressor& compressor, const Payload& gradient, bool at_work) {
    Message encoded;
    if (at_work) compressor.compress(encoded, gradient);
    const auto contributions = all_reduce_.gather({{encoded.values, at_work}, encoded.wire_bytes});
    if (!contributions) return std::nullopt;
    comm::Sum total;
    for (const comm::Contribution& contribution : *contributions) total = total + contribution.sum;
    return total;
  }

  void apply(const Payload& own, Slice part, const comm::Sum& total) {
    update_.assign(node_.weights().read().size(), 0);
    std::ranges::copy(values_of(own), update_.begin());
    const auto shared = part_of(std::span<float>(update_), part);
    std::ranges::copy(values_of(total.values), shared.begin());
    const float weight = node_.cluster().gradient_weight(total.count);
    for (float& value : shared) value *= weight;
    node_.apply(update_);
  }

  Node& node_;
  comm::AllReduce all_reduce_;
  const std::vector<Partition> partitions_;
  std::vector<comm::Compressor> compressors_;  // one per partition; none without a codec
  std::vector<float> update_;
};

Traffic traffic_of(const AllreduceParams& params, comm::Collective how, int partitions, const Cluster& cluster) {
  if (std::holds_alternative<codec::NoCodecParams>(params.codec)) {
    return {Pace::lockstep, comm::flows_of(how, cluster, 1.0 / partitions)};
  }
  return {Pace::lockstep,
          comm::gathering_flows_of(how, cluster, comm::least_share(params.codec, cluster) / partitions)};
}

}  // namespace

std::unique_ptr<Program> RingAllreduceParams::program(Node& node) const {
  return std::make_unique<AllReduceWorker>(node, collective, 1, *this);
}
std::unique_ptr<Program> TreeAllreduceParams::program(Node& node) const {
  return std::make_unique<AllReduceWorker>(node, collective, 1, *this);
}
std::unique_ptr<Program> StarAllreduceParams::program(Node& node) const {
  return std::make_unique<AllReduceWorker>(node, collective, 1, *this);
}
std::unique_ptr<Program> PartialAllreduceParams::program(Node& node) const {
  return std::make_unique<AllReduceWorker>(node, collective, partitions, *this);
}

Traffic RingAllreduceParams::traffic(const Cluster& cluster) const { return traffic_of(*this, collective, 1, cluster); }
Traffic TreeAllreduceParams::traffic(const Cluster& cluster) const { return traffic_of(*this, collective, 1, cluster); }
Traffic StarAllreduceParams::traffic(const Cluster& cluster) const { return traffic_of(*this, collective, 1, cluster); }
Traffic PartialAllreduceParams::traffic(const Cluster& cluster) const {
  make_partitions(Partitioner::even, partitions, cluster);  // says now if that is impossible
  return traffic_of(*this, collective, partitions, cluster);
}

}  // namespace ddl::systems
