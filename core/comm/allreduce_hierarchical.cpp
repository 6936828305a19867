// Hierarchical all-reduce (Cho et al., MLSys 2019): between sites travels what a ring of one worker a site would send,
// shared between workers. For sites of g workers each or of different sizes, and k chunks of the slice, k workers being
// in the smallest site:
//
//   1  in each site:   reduce-scatter; so some worker has the site's sum of chunk c, for all c < k
//   2  for all c < k:  ring all-reduce of chunk c among these workers, one of each site; all c side by side
//   3  in each site:   all-gather of the chunks
//
// Gathering forwards contributions the same ways:
//
//   4  in each site:   all contributions of the site
//   5  for all j < k:  worker j of each site sends on those of its site's workers j, j + k, j + 2k ...
//   6  in each site:   what each worker has from other sites
//
// Sites follow each other by their first worker. So in one site, and over sites of one worker each, this is the ring to
// the bit.
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

// Which members are at which site.
class Sites {
 public:
  template <class SiteOf>
  Sites(int count, SiteOf site_of) {
    std::vector<int> numbers;  // of the sites, in order of their first members
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

  // Of each site, the member that has its sum of chunk c after the reduce-scatter.
  Members with_chunk(int c) const {
    Members row;
    for (const Members& site : sites_)
      row.push_back(site[(static_cast<std::size_t>(c) + site.size() - 1) % site.size()]);
    return row;
  }
  // Member j of each.
  Members row(int j) const {
    Members row;
    for (const Members& site : sites_) row.push_back(site[static_cast<std::size_t>(j)]);
    return row;
  }

  // What gathering forwards, of each member of the ring in question.
  PerNode<Members> own_bundles(int site) const {
    PerNode<Members> bundles;
    for (const int member : sites_[site]) bundles.push_back({member});
    return bundles;
  }
  PerNode<Members> bundles_of_row(int j) const {
    PerNode<Members> bundles;
    for (int site = 0; site < count(); ++site) bundles.push_back(bundle(site, j));
    return bundles;
  }
  PerNode<Members> bundles_from_others(int site) const {
    PerNode<Members> bundles(static_cast<int>(sites_[site].size()));
    for (int j = 0; j < least_; ++j) {
      for (int other = 0; other < count(); ++other) {
        const Members more = other == site ? Members() : bundle(other, j);
        bundles[j].insert(bundles[j].end(), more.begin(), more.end());
      }
    }
    return bundles;
  }

 private:
  Members bundle(int site, int j) const {
    Members members;
    for (std::size_t i = static_cast<std::size_t>(j); i < sites_[site].size(); i += static_cast<std::size_t>(least_)) {
      members.push_back(sites_[site][i]);
    }
    return members;
  }

  PerNode<Members> sites_;
  int least_ = 0;
};

class HierarchicalAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    const Sites sites(group);
    Part here(group, sites.all()[sites.of(group.rank())]);
    Chunks chunks(slice, sites.least(), own);
    reduce_scatter(here, chunks);  // 1
    const int c = (here.rank() + 1) % here.size();
    if (c < chunks.count()) {
      Part across(group, sites.with_chunk(c));
      chunks.sums[c] = ring_allreduce().sum(across, chunks.slices[c], chunks.sums[c]);  // 2
    }
    all_gather(here, chunks);  // 3
    return chunks.joined();
  }

  std::vector<Contribution> gather(Group& group, const Contribution& own) const override {
    const Sites sites(group);
    const int site = sites.of(group.rank());
    Part here(group, sites.all()[site]);
    PerNode<Contribution> all(group.size());
    all[group.rank()] = own;
    gather_bundles(here, sites.own_bundles(site), all);  // 4
    if (here.rank() < sites.least()) {
      Part across(group, sites.row(here.rank()));
      gather_bundles(across, sites.bundles_of_row(here.rank()), all);  // 5
    }
    gather_bundles(here, sites.bundles_from_others(site), all);  // 6
    return all;
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    const Sites sites(cluster);
    const int k = sites.least(), count = sites.count();
    Phases phases(3);
    for (const Members& site : sites.all()) {
      std::vector<double> sizes(site.size());
      std::fill_n(sizes.begin(), k, 1);
      add_round(phases[0], site, sizes, 1, models / k * times, times);
      add_round(phases[2], site, sizes, 2, models / k * times, times);
    }
    for (int c = 0; c < k; ++c) {
      // Twice round, in chunks of the chunk.
      const std::vector<double> sizes(static_cast<std::size_t>(count), 2);
      add_round(phases[1], sites.with_chunk(c), sizes, 1, models / (k * count) * times, times);
    }
    return phases;
  }

  Phases gather_phases(const Cluster& cluster, double models, double times) const override {
    const Sites sites(cluster);
    Phases phases(3);
    const auto add = [&](int phase, const Members& members, const PerNode<Members>& bundles) {
      std::vector<double> sizes;
      for (const Members& bundle : bundles) sizes.push_back(static_cast<double>(bundle.size()));
      add_round(phases[static_cast<std::size_t>(phase)], members, sizes, 1, models * times, times);
    };
    for (int site = 0; site < sites.count(); ++site) {
      add(0, sites.all()[site], sites.own_bundles(site));
      add(2, sites.all()[site], sites.bundles_from_others(site));
    }
    for (int j = 0; j < sites.least(); ++j) add(1, sites.row(j), sites.bundles_of_row(j));
    return phases;
  }

 private:
  // What goes round a ring of these members: member i sends all but item i + `left_out` to the next one. An item of
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
