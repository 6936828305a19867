// Synchronous SGD by all-reduces beside the backward pass (PyTorch DDP: Li et al., VLDB 2020) and, by layers, beside
// the next forward pass (Poseidon: Zhang et al., ATC 2017), worker i; b is a bucket of layers, from the last to the
// first:
//
//   1  g = gradient(x); as soon as the layers of b are known:  begin G_b = allreduce_sum(g_b) / n
//   2  backward:  when all G_b are there:                                   x = step(x, G)
//      layers:    before the next forward pass comes to b, wait for G_b;  x_b = step(x_b, G_b)
//                 (with an optimizer that needs all of G: before it begins, as in "backward")
//   3  the step is over when all of G is applied
//   4  a worker without steps left contributes nothing but keeps taking part, until a bucket without contributions ends
//      the group
//
// Sums are made one after the other, in the order of the buckets.
#include "core/systems/overlapped_allreduce.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "core/comm/buckets.hpp"
#include "core/membership/background_sums.hpp"
#include "core/membership/compressed_sum.hpp"
#include "core/membership/regrouping.hpp"
#include "core/node/layers.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

std::vector<comm::Bucket> buckets_of(const comm::HowToSum& how, const AllreduceOverlap& params,
                                     const Cluster& cluster) {
  if (!params.bucket_bytes) return comm::quickest_buckets(how, cluster, comm::all_layers(cluster), true);
  return comm::make_buckets(cluster, static_cast<std::uint64_t>(params.bucket_bytes->value));
}

std::vector<comm::Partition> parts_of(const std::vector<comm::Bucket>& buckets) {
  std::vector<comm::Partition> parts;
  for (const comm::Bucket& bucket : buckets) parts.push_back(bucket.part);
  return parts;
}

class OverlappedWorker : public Program {
 public:
  OverlappedWorker(Node& node, const comm::HowToSum& how, const codec::CodecParams& codec,
                   const AllreduceOverlap& params)
      : node_(node),
        buckets_(buckets_of(how, params, node.cluster())),
        by_layers_(params.overlap == Overlap::layers),
        by_slices_(by_layers_ && node.cluster().steps_by_slices),
        all_reduce_(node, how, 0, OnFailure::wait, awaited),
        compressed_(node, all_reduce_, codec, parts_of(buckets_)),
        sums_(node, compressed_, awaited),
        update_(node.weights().read().size()) {
    calls_.begin = [this](std::size_t) { by_slices_ ? apply_next() : complete(); };
    calls_.known = [this](std::size_t, const Gradient& gradient) { ask(gradient); };
    for (const comm::Bucket& bucket : buckets_) calls_.told.push_back(bucket.first_layer());
  }

  void run() override {
    sums_.start();
    while (true) {
      const bool at_work = node_.next_step();
      if (at_work) {
        calls_.held = layers_awaited();
        node_.gradient(&calls_);  // 1, and 2 of the step before
      } else {
        complete();
        ask(std::nullopt);                               // 4
        if (sums_.wait_for(first_).weight == 0) return;  // no worker contributed
        while (left_ < buckets_.size()) ask(std::nullopt);
      }
      is_open_ = at_work;
      if (!by_layers_ || !at_work) complete();
    }
  }

 private:
  static constexpr const char* awaited = "sums of the other workers";

  std::vector<std::size_t> layers_awaited() const {
    if (left_ == 0) return {};
    if (!by_slices_) return {0};
    return {calls_.told.rbegin(), calls_.told.rend()};
  }

  // Begins the sum of this step's next bucket.
  void ask(const std::optional<Gradient>& own) {
    if (left_ == 0) first_ = sums_.asked();
    const std::size_t b = left_++;
    const Payload values = own ? share_part(own->values, buckets_[b].part.front()) : nullptr;
    sums_.ask(b, {values, own ? 1.0 : 0, own ? own->run_share : 0});
  }

  void complete() {  // W.
    while (left_ > 0) apply_next();
  }

  // W. Waits for the sum of the lowest remaining layers, and applies it.
  void apply_next() {
    const std::size_t b = --left_;
    const auto number = first_ + static_cast<std::int64_t>(b);
    const comm::Sum total = sums_.wait_for(number);
    sums_.forget(number);
    if (total.values) apply(buckets_[b].part.front(), total);
    if (left_ > 0 || !is_open_) return;
    is_open_ = false;
    node_.finish_step();  // 3
  }

  void apply(Slice slice, const comm::Sum& total) {
    const Cluster& cluster = node_.cluster();
    const std::span<float> part = part_of(std::span<float>(update_), slice);
    std::ranges::copy(values_of(total.values), part.begin());
    for (float& value : part) value *= cluster.gradient_weight(total.weight);
    Update update{.weight = cluster.step_weight(total.weight), .run_share = total.run_share};
    if (by_slices_) {
      update.gradient = part;
      update.first = slice.begin;
      update.gradients = left_ > 0 ? 0 : 1;
    } else if (left_ == 0) {
      update.gradient = update_;
    }
    node_.apply(update);
  }

  Node& node_;
  const std::vector<comm::Bucket> buckets_;
  const bool by_layers_, by_slices_;
  membership::Regrouping all_reduce_;
  membership::CompressedSum compressed_;
  membership::BackgroundSums sums_;
  LayerCalls calls_;
  std::size_t left_ = 0;    // requested buckets of the last step that are not yet applied
  std::int64_t first_ = 0;  // number of that step's first sum
  bool is_open_ = false;    // true while that step, this worker's own, is unfinished
  std::vector<float> update_;
};

}  // namespace

void fill_defaults(AllreduceOverlap& params) {
  constexpr Bytes bucket_of_ddp{25e6};
  if (params.overlap == Overlap::backward && !params.bucket_bytes) params.bucket_bytes = bucket_of_ddp;
}

std::unique_ptr<Program> overlapped_allreduce(Node& node, const comm::HowToSum& how, const codec::CodecParams& codec,
                                              const AllreduceOverlap& params) {
  return std::make_unique<OverlappedWorker>(node, how, codec, params);
}

Phases bucketed_sum(const comm::HowToSum& how, const codec::CodecParams& codec, const AllreduceOverlap& params,
                    const Cluster& cluster) {
  if (params.bucket_bytes || params.overlap != Overlap::layers) return {};
  return membership::traffic_of_sums(Pace::overlapped, how, codec, cluster, 1, 1).phases;
}

std::vector<comm::Partition> bucket_parts(const comm::HowToSum& how, const AllreduceOverlap& params,
                                          const Cluster& cluster) {
  return parts_of(buckets_of(how, params, cluster));
}

std::vector<std::string> overlapped_notes(const comm::HowToSum& how, const AllreduceOverlap& params,
                                          const Cluster& cluster) {
  if (params.overlap == Overlap::none) return {};
  std::vector<std::string> notes{comm::text_of({buckets_of(how, params, cluster)})};
  if (params.overlap == Overlap::layers) std::ranges::copy(comm::notes_of_layers(cluster), std::back_inserter(notes));
  return notes;
}

Traffic overlapped_traffic(const comm::HowToSum& how, const codec::CodecParams& codec, const AllreduceOverlap& params,
                           const Cluster& cluster) {
  const auto buckets = static_cast<double>(buckets_of(how, params, cluster).size());
  return membership::traffic_of_sums(Pace::overlapped, how, codec, cluster, 1 / buckets, buckets);
}

}  // namespace ddl::systems
