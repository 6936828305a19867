#include "core/systems/diloco/fragment_schedule.hpp"

#include <algorithm>

namespace ddl::systems {
namespace {

std::vector<comm::Partition> fragments_of(const DilocoParams& params, const Cluster& cluster) {
  return comm::by_layers(params.fragment_order, params.fragments, cluster);
}

// Those of each fragment.
std::vector<std::vector<comm::Bucket>> buckets_of(const DilocoParams& params, const Cluster& cluster) {
  std::vector<std::vector<comm::Bucket>> buckets;
  for (const comm::Partition& part : fragments_of(params, cluster)) {
    std::vector<std::size_t> layers = comm::all_layers(cluster);
    std::erase_if(
        layers, [&](std::size_t layer) { return std::ranges::find(part, cluster.layers[layer].slice) == part.end(); });
    buckets.push_back(
        comm::quickest_buckets({params.collective.value(), params.settings}, cluster, layers, cluster.steps_by_slices));
  }
  return buckets;
}

std::vector<std::vector<Unit>> units_of(const DilocoParams& params, const Cluster& cluster) {
  std::vector<std::vector<Unit>> fragments;
  std::size_t number = 0;
  if (!is_by_layers(params, cluster)) {
    for (comm::Partition& part : fragments_of(params, cluster))
      fragments.push_back({{{{}, std::move(part)}, number++}});
    return fragments;
  }
  for (const std::vector<comm::Bucket>& buckets : buckets_of(params, cluster)) {
    std::vector<Unit>& units = fragments.emplace_back();
    for (const comm::Bucket& bucket : buckets) units.push_back({bucket, number++});
  }
  return fragments;
}

}  // namespace

bool is_by_layers(const DilocoParams& params, const Cluster& cluster) {
  return params.overlap.value() == FragmentOverlap::layers && !cluster.layers.empty();
}

std::string buckets_text(const DilocoParams& params, const Cluster& cluster) {
  return comm::text_of(buckets_of(params, cluster));
}

FragmentSchedule::FragmentSchedule(const DilocoParams& params, const Cluster& cluster)
    : steps_(params.sync_every),
      fragment_count_(params.fragments),
      delay_(params.fragment_sync_delay),
      is_paper_(params.phase == FragmentPhase::paper),
      is_eager_(params.eager),
      is_by_layers_(systems::is_by_layers(params, cluster)),
      fragments_(units_of(params, cluster)),
      first_sums_{0} {
  for (std::int64_t round = 0; round < fragment_count_; ++round) {
    first_sums_.push_back(first_sums_.back() + static_cast<std::int64_t>(units(round).size()));
  }
}

std::vector<comm::Partition> FragmentSchedule::parts() const {
  std::vector<comm::Partition> parts;
  for (const std::vector<Unit>& units : fragments_) {
    for (const Unit& unit : units) parts.push_back(unit.part);
  }
  return parts;
}

Turn FragmentSchedule::sent(std::int64_t n) const {
  const std::int64_t round = round_of_sum(n);
  const std::span<const Unit> all = units(round);
  const auto at = static_cast<std::size_t>(n - first_sum(round));
  return {round, n, &all[at], at + 1 == all.size()};
}

Turn FragmentSchedule::applied(std::int64_t n) const {
  const std::int64_t round = round_of_sum(n);
  const std::span<const Unit> all = units(round);
  const std::size_t at = all.size() - 1 - static_cast<std::size_t>(n - first_sum(round));
  return {round, first_sum(round) + static_cast<std::int64_t>(at), &all[at], at == 0};
}

std::int64_t FragmentSchedule::first_sum(std::int64_t round) const {
  return round / fragment_count_ * sums_of_a_cycle() + first_sums_[static_cast<std::size_t>(round % fragment_count_)];
}

std::int64_t FragmentSchedule::round_of_sum(std::int64_t sum) const {
  const auto later = std::ranges::upper_bound(first_sums_, sum % sums_of_a_cycle());
  return sum / sums_of_a_cycle() * fragment_count_ + (later - first_sums_.begin() - 1);
}

std::int64_t FragmentSchedule::sent_after(std::int64_t round) const {
  return boundary(round) - (is_paper_ ? 0 : delay_);
}

std::int64_t FragmentSchedule::applied_after(std::int64_t round) const {
  if (is_eager_) return sent_after(round);
  return boundary(round) + (is_paper_ ? delay_ : 0);
}

std::size_t FragmentSchedule::fragment(std::int64_t round) const {
  return static_cast<std::size_t>((is_paper_ ? round + 1 : round) % fragment_count_);
}

std::int64_t FragmentSchedule::boundary(std::int64_t round) const { return (round + 1) * steps_ / fragment_count_; }

}  // namespace ddl::systems
