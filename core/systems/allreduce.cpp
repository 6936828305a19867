// Synchronous SGD by all-reduce, worker i in step t; with P partitions (KungFu's partial all-reduce; P = 1: all of it)
//
//   1  g = gradient(x)
//   2  G = allreduce_sum(part t mod P of g) / n               (with a codec C: the sum of all C(part), in worker order)
//      gradient_scale "sum":  step of weight n
//   3  x = step(x, g with G in place of its part t mod P)
//   4  a worker without steps left contributes nothing but keeps taking part, until a round without contributions ends
//      the group; that closing round costs latency and headers only
//
// With P = 1 all replicas stay identical, as they apply the same sums. Partial replicas drift apart: each coordinate of
// a gradient reaches the others in one step out of P, or never.
#include "core/systems/allreduce.hpp"

#include <algorithm>
#include <iterator>

#include "core/codec/encoder.hpp"
#include "core/comm/partitions.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

class AllReduceWorker : public Program {
 public:
  AllReduceWorker(Node& node, const comm::HowToSum& how, int partitions, const AllreduceParams& params)
      : node_(node),
        all_reduce_(node, how, 0, params.on_failure, "sums of the other workers"),
        partitions_(comm::make_partitions(comm::Partitioner::even, partitions, node.cluster())),
        sums_(node, all_reduce_, params.codec, partitions_) {}

  void run() override {
    all_reduce_.take_part([this] { take_rounds(); });
  }

 private:
  void take_rounds() {
    while (true) {
      const bool at_work = node_.next_step();
      if (!at_work && node_.membership().leaves()) return;
      const Gradient gradient = at_work ? node_.gradient() : Gradient{};  // 1
      const std::size_t k = static_cast<std::size_t>(all_reduce_.round()) % partitions_.size();
      const Slice part = partitions_[k].front();
      const auto total = sums_.sum(k, {share_part(gradient.values, part), at_work ? 1.0 : 0, gradient.run_share});  // 2
      if (total.weight == 0) return;                                                                                // 4
      apply(gradient.values, part, total);                                                                          // 3
      if (at_work) node_.finish_step();
    }
  }

  void apply(const Payload& own, Slice part, const comm::Sum& total) {
    const Cluster& cluster = node_.cluster();
    update_.assign(node_.weights().read().size(), 0);
    add_scaled(update_, values_of(own), cluster.step_weight(total.weight));
    const auto shared = part_of(std::span<float>(update_), part);
    std::ranges::copy(values_of(total.values), shared.begin());
    for (float& value : shared) value *= cluster.gradient_weight(total.weight);
    node_.apply({.gradient = update_, .weight = cluster.step_weight(total.weight), .run_share = total.run_share});
  }

  Node& node_;
  membership::Regrouping all_reduce_;
  const std::vector<comm::Partition> partitions_;
  membership::CompressedSum sums_;
  std::vector<float> update_;
};

Traffic traffic_of(const AllreduceParams& params, const comm::HowToSum& how, int partitions, const Cluster& cluster) {
  return membership::traffic_of_sums(Pace::lockstep, how, params.codec, cluster, 1.0 / partitions, 1);
}

}  // namespace

std::optional<System::Parts> AllreduceParams::summed_parts(const Cluster&) const {
  return codec::has_fixed_size(codec) ? std::optional(Parts()) : std::nullopt;
}

template <comm::Collective how>
std::unique_ptr<Program> WholeAllreduceParams<how>::program(Node& node) const {
  if (overlapped.overlap != Overlap::none) return overlapped_allreduce(node, {how, settings}, codec, overlapped);
  return std::make_unique<AllReduceWorker>(node, comm::HowToSum(how, settings), 1, *this);
}
template <comm::Collective how>
Traffic WholeAllreduceParams<how>::traffic(const Cluster& cluster) const {
  if (overlapped.overlap != Overlap::none) return overlapped_traffic({how, settings}, codec, overlapped, cluster);
  return traffic_of(*this, {how, settings}, 1, cluster);
}
template <comm::Collective how>
std::vector<std::string> WholeAllreduceParams<how>::notes(const Cluster& cluster) const {
  std::vector<std::string> notes = comm::notes_of({how, settings}, cluster);
  std::ranges::copy(overlapped_notes({how, settings}, overlapped, cluster), std::back_inserter(notes));
  return notes;
}
template <comm::Collective how>
Phases WholeAllreduceParams<how>::bucketed_sum(const Cluster& cluster) const {
  return systems::bucketed_sum({how, settings}, codec, overlapped, cluster);
}
template <comm::Collective how>
std::optional<System::Parts> WholeAllreduceParams<how>::summed_parts(const Cluster& cluster) const {
  std::optional<Parts> parts = AllreduceParams::summed_parts(cluster);
  if (parts && overlapped.overlap != Overlap::none) parts = bucket_parts({how, settings}, overlapped, cluster);
  return parts;
}
template struct WholeAllreduceParams<comm::Collective::ring>;
template struct WholeAllreduceParams<comm::Collective::tree>;
template struct WholeAllreduceParams<comm::Collective::star>;
template struct WholeAllreduceParams<comm::Collective::hierarchical>;
template struct WholeAllreduceParams<comm::Collective::butterfly>;

std::unique_ptr<Program> PartialAllreduceParams::program(Node& node) const {
  return std::make_unique<AllReduceWorker>(node, comm::HowToSum(collective, settings), partitions, *this);
}

Traffic PartialAllreduceParams::traffic(const Cluster& cluster) const {
  comm::make_partitions(comm::Partitioner::even, partitions, cluster);  // throws if the vector cannot be cut so
  return traffic_of(*this, {collective, settings}, partitions, cluster);
}

}  // namespace ddl::systems
