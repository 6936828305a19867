// Hierarchical all-reduce (Cho et al., MLSys 2019): sites exchange as much as a ring with one worker per site would,
// divided among their workers. A slice has k chunks; k is the size of the smallest site. Sites may differ in size:
//
//   1  in each site:   reduce-scatter; some worker then has the site's sum of chunk c, for all c < k
//   2  for all c < k:  ring all-reduce of chunk c among these workers, one of each site; all c side by side
//                      (in a codec C: each sends C(its site's sum of chunk c) once round the ring and keeps what C
//                      drops; all add up the encodings in order of sites)
//   3  in each site:   all-gather of the chunks
//
// Sites are ordered by their first worker. With one site, or with one worker per site, this is the ring to the bit.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"
#include "core/comm/part.hpp"
#include "core/comm/ring.hpp"

namespace ddl::comm {
namespace {

using Members = std::vector<int>;  // ranks, or workers

// The members of each site.
class Sites {
 public:
  template <class SiteOf>
  Sites(int count, SiteOf site_of) {
    std::vector<int> numbers;  // the sites' numbers, in order of their first members
    for (int member = 0; member < count; ++member) {
      const int place = static_cast<int>(std::ranges::find(numbers, site_of(member)) - numbers.begin());
      if (place == sites_.count()) {
        numbers.push_back(site_of(member));
        sites_.emplace_back();
      }
      sites_[place].push_back(member);
    }
    least_ = static_cast<int>(std::ranges::min(sites_, {}, &Members::size).size());
  }
  explicit Sites(const Group& group) : Sites(group.size(), [&](int rank) { return group.site(rank); }) {}
  explicit Sites(const Cluster& cluster) : Sites(cluster.workers, [&](int worker) { return cluster.site(worker); }) {}

  int count() const { return sites_.count(); }
  int least() const { return least_; }  // k
  const PerNode<Members>& all() const { return sites_; }
  int of(int member) const {
    return static_cast<int>(
        std::ranges::find_if(sites_, [&](const Members& site) { return std::ranges::count(site, member) > 0; }) -
        sites_.begin());
  }

  // For each site, the member that has its sum of chunk c after the reduce-scatter.
  Members with_chunk(int c) const {
    Members row;
    for (const Members& site : sites_)
      row.push_back(site[(static_cast<std::size_t>(c) + site.size() - 1) % site.size()]);
    return row;
  }

 private:
  PerNode<Members> sites_;
  int least_ = 0;
};

class HierarchicalAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    return summed(group, slice, own, [](Group& across, Slice chunk, const Sum& of_site) {
      return ring_allreduce().sum(across, chunk, of_site);
    });
  }

  Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const override {
    if (Sites(group).count() == 1) return ring_allreduce().coded_sum(group, slice, own, code);
    return summed(group, slice, own, [&](Group& across, Slice chunk, const Sum& of_site) {
      return ring_allreduce().coded_sum(across, chunk, of_site, code);
    });
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    // Two rounds of the ring, in chunks of the chunk.
    const Sites sites(cluster);
    return phases(sites, models, times, 2, models / sites.count());
  }

  Phases coded_phases(const Cluster& cluster, double models, double share, double times) const override {
    const Sites sites(cluster);
    if (sites.count() == 1) return ring_allreduce().coded_phases(cluster, models, share, times);
    return phases(sites, models, times, 1, models * share);
  }

 private:
  template <class SumAcross>
  static Sum summed(Group& group, Slice slice, const Sum& own, SumAcross sum_across) {
    const Sites sites(group);
    Part here(group, sites.all()[sites.of(group.rank())]);
    Chunks chunks(slice, sites.least(), own);
    reduce_scatter(here, chunks);  // 1
    here.wait_for_rest();
    const int c = (here.rank() + 1) % here.size();
    if (c < chunks.count()) {
      Part across(group, sites.with_chunk(c));
      chunks.sums[c] = sum_across(across, chunks.slices[c], chunks.sums[c]);  // 2
    }
    all_gather(here, chunks);  // 3
    here.wait_for_rest();
    return chunks.joined();
  }

  // Between sites, each member of a row sends all of the row's items but its own, `rounds` times; an item is `item` / k
  // models.
  static Phases phases(const Sites& sites, double models, double times, double rounds, double item) {
    const int k = sites.least(), count = sites.count();
    Phases phases(3);
    for (const Members& site : sites.all()) {
      std::vector<double> sizes(site.size());
      std::fill_n(sizes.begin(), k, 1);
      add_round(phases[0], site, sizes, 1, models / k * times, times);
      add_round(phases[2], site, sizes, 2, models / k * times, times);
    }
    for (int c = 0; c < k; ++c) {
      const std::vector<double> sizes(static_cast<std::size_t>(count), rounds);
      add_round(phases[1], sites.with_chunk(c), sizes, 1, item / k * times, times);
    }
    return phases;
  }

  // Traffic of one round of a ring: member i sends all items but item i + `left_out` to the next member. An item of
  // size 1 is `models` models in `messages` messages.
  static void add_round(std::vector<Flow>& flows, const Members& members, const std::vector<double>& sizes,
                        std::size_t left_out, double models, double messages) {
    const std::size_t n = members.size();
    const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double sent = total - sizes[(i + left_out) % n];
      if (sent > 0) flows.push_back({members[i], members[(i + 1) % n], sent * models, sent * messages});
    }
  }
};

}  // namespace

const AllReduce& hierarchical_allreduce() {
  static const HierarchicalAllReduce hierarchical;
  return hierarchical;
}

}  // namespace ddl::comm
