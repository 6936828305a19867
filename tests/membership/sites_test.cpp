// Hierarchical all-reduces among workers at sites of one size and of several.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"
#include "core/membership/view.hpp"
#include "core/node/vectors.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::membership::sites_test {
namespace {

using Sites = std::vector<int>;  // each worker's
using Contributors = std::vector<int>;

constexpr std::uint64_t model_bytes = 3600;

const std::vector<Sites> layouts = {{0, 0, 0, 0},       {0, 0, 1, 1},
                                    {0, 0, 1, 1, 1},    {0, 1, 2, 3},
                                    {0, 0, 0, 1},       {4, 2, 4, 2},
                                    {1, 0, 0, 1, 0, 0}, {0},
                                    {0, 1, 1, 2, 2, 2}, {0, 0, 0, 1, 1, 1, 2, 2, 2}};
const std::vector<Sites> rings = {{0, 0, 0, 0}, {3, 3, 3}, {0, 1, 2, 3}, {2, 0, 1}, {0}};

std::string text_of(const Sites& sites) {
  std::string text;
  for (const int site : sites) text += std::to_string(site) + " ";
  return text;
}

bool is_among(const Contributors& some, int worker) { return std::ranges::count(some, worker) > 0; }

// An all-reduce of values that no sum in another order rounds alike.
class Reduced {
 public:
  Reduced(const Sites& sites, comm::Collective how, std::size_t parameters, const Contributors& left_out = {})
      : sites_(sites), cluster_(settings(sites, parameters)), sums_(workers()) {
    cluster_.run(each([&](Node& node) {
      View view(node, 0, OnFailure::wait, "sums of the others");
      comm::Sum own;
      if (!is_among(left_out, node.id())) own = {make_payload(values(node.id(), parameters)), 1, 0.25 * node.id()};
      sums_[node.id()] = comm::all_reduce(how).sum(view, node.cluster().whole(), own);
    }));
  }

  static LocalCluster::Settings settings(const Sites& sites, std::size_t parameters) {
    return {.cluster = {.workers = static_cast<int>(sites.size()),
                        .parameters = parameters,
                        .model_bytes = model_bytes,
                        .sites = sites}};
  }
  static std::vector<float> values(int worker, std::size_t parameters) {
    std::vector<float> result;
    for (std::size_t i = 0; i < parameters; ++i) {
      result.push_back(1 / (3 + 7 * static_cast<float>(worker) + static_cast<float>(i)));
    }
    return result;
  }

  int workers() const { return static_cast<int>(sites_.size()); }
  const comm::Sum& sum(int worker) const { return sums_[worker]; }
  std::vector<float> model(int worker) const { return *sums_[worker].values; }
  int site(int worker) const { return sites_[static_cast<std::size_t>(worker)]; }
  // Bytes from a worker to others at its site, or at other sites.
  double sent(int worker, bool away) {
    double bytes = 0;
    for (const Message& message : cluster_.node(worker).sent) {
      if ((site(message.target) != site(worker)) == away) bytes += static_cast<double>(message.wire_bytes);
    }
    return bytes;
  }

 private:
  const Sites sites_;
  LocalCluster cluster_;
  PerNode<comm::Sum> sums_;
};

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("a hierarchical sum is the ring's but for rounding, and the same to the bit at each worker") {
  for (const Sites& sites : layouts) {
    CAPTURE(text_of(sites));
    for (const std::size_t parameters : {1, 5, 12, 31}) {
      const Reduced hierarchical(sites, comm::Collective::hierarchical, parameters);
      const Reduced ring(sites, comm::Collective::ring, parameters);
      for (int worker = 0; worker < ring.workers(); ++worker) {
        CHECK(hierarchical.model(worker) == hierarchical.model(0));
        CHECK(largest_difference(hierarchical.model(worker), ring.model(worker)) < 1e-6);
        CHECK(hierarchical.sum(worker).weight == ring.workers());
        CHECK(hierarchical.sum(worker).run_share == 0.25 * (ring.workers() - 1));
      }
    }
  }
}

TEST_CASE("at one site, and at sites of one worker each, it is the ring's to the bit, and elsewhere it is not") {
  for (const Sites& sites : rings) {
    CAPTURE(text_of(sites));
    const Reduced hierarchical(sites, comm::Collective::hierarchical, 31), ring(sites, comm::Collective::ring, 31);
    CHECK(hierarchical.model(0) == ring.model(0));
  }
  const Sites two{0, 0, 1, 1};
  CHECK(Reduced(two, comm::Collective::hierarchical, 31).model(0) != Reduced(two, comm::Collective::ring, 31).model(0));
}

TEST_CASE("workers weigh alike wherever they are, and those that contribute nothing weigh nothing") {
  for (const Sites& sites : layouts) {
    CAPTURE(text_of(sites));
    for (const Contributors& left_out : {Contributors{0}, {1, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}) {
      Reduced reduced(sites, comm::Collective::hierarchical, 12, left_out);
      std::vector<float> expected(12);
      int count = 0;
      for (int worker = 0; worker < reduced.workers(); ++worker) {
        if (is_among(left_out, worker)) continue;
        add_scaled(expected, Reduced::values(worker, 12));
        ++count;
      }
      for (int worker = 0; worker < reduced.workers(); ++worker) {
        CHECK(reduced.sum(worker).weight == count);
        if (count > 0) CHECK(largest_difference(reduced.model(worker), expected) < 1e-6);
        if (count == 0) CHECK(reduced.sent(worker, true) + reduced.sent(worker, false) == 0);
      }
    }
  }
}

// 3600 bytes in 72 values: every chunk of a chunk is whole.
TEST_CASE(
    "a site of g workers sends 2(S-1)/S models to other sites, in even parts by the least g, and 2(g-1) at home") {
  const double model = model_bytes;
  for (const Sites& sites : layouts) {
    CAPTURE(text_of(sites));
    Reduced reduced(sites, comm::Collective::hierarchical, 72);
    std::vector<int> numbers = sites;
    std::ranges::sort(numbers);
    const auto size_of = [&](int site) { return static_cast<int>(std::ranges::count(sites, site)); };
    const int least = size_of(std::ranges::min(numbers, {}, size_of));
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    const auto S = static_cast<double>(numbers.size());
    const double of_site = 2 * (S - 1) / S * model;
    for (const int site : numbers) {
      double away = 0, at_home = 0;
      for (int worker = 0; worker < reduced.workers(); ++worker) {
        if (reduced.site(worker) != site) continue;
        const double own = reduced.sent(worker, true);
        CHECK((own == 0 || own == of_site / least));
        if (size_of(site) == least) CHECK(reduced.sent(worker, false) == 2 * (least - 1.0) / least * model);
        away += own;
        at_home += reduced.sent(worker, false);
      }
      CHECK(away == of_site);
      CHECK(at_home == 2 * (size_of(site) - 1) * model);
    }
  }
}

}  // namespace ddl::membership::sites_test
