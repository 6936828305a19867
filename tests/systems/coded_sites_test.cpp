// Codecs between sites: in memory, values and bytes by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/systems/allreduce.hpp"
#include "core/systems/diloco/diloco.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::coded_sites_test {
namespace {

using Vector = std::vector<float>;
using Sites = std::vector<int>;  // each worker's

constexpr std::size_t parameters = 96;
constexpr std::uint64_t bits_as_bytes = 32 * parameters;  // a model's: a bit is a byte on the wire
constexpr int steps = 6, H = 3;

struct CodecRow {
  codec::CodecParams codec;
  double (*bits)(double values, int tensors);
};
const std::vector<CodecRow> codecs = {
    {codec::TopKParams{.fraction = 0.1}, [](double m, int) { return 64 * std::ceil(0.1 * m - 1e-9); }},
    {codec::RandomKParams{.fraction = 0.25}, [](double m, int) { return 32 * std::ceil(0.25 * m); }},
    {codec::QsgdParams{.bits = 3, .bucket = 8}, [](double m, int) { return 3 * m + 32 * std::ceil(m / 8); }},
    {codec::SignParams{}, [](double m, int tensors) { return m + 32 * tensors; }},
    // All values of a sum are equal here, and so is their mean: none is dropped.
    {codec::MeanThresholdParams{}, [](double m, int) { return m + 32 * m; }},
    {codec::E3m0Params{.bucket = 7}, [](double m, int) { return 4 * m + 32 * std::ceil(m / 7); }},
};

struct SystemRow {
  const char* name;
  std::shared_ptr<System> system;
  std::vector<Slice> parts;  // one per sum, in every round
  int rounds;
  bool equal_replicas = true;
};

std::vector<SystemRow> systems(const codec::CodecParams& codec) {
  const auto allreduce = [&](Overlap overlap) {
    return std::make_shared<HierarchicalAllreduceParams>(with<HierarchicalAllreduceParams>([&](auto& params) {
      params.codec = codec;
      params.overlapped.overlap = overlap;
    }));
  };
  const auto diloco = [&](Replica replica, int fragments) {
    return std::make_shared<DilocoParams>(with<DilocoParams>([&](DilocoParams& params) {
      params.codec = codec;
      params.replica = replica;
      params.collective = comm::Collective::hierarchical;
      params.overlap = FragmentOverlap::none;
      params.sync_every = H;
      params.fragments = fragments;
    }));
  };
  const auto partial = std::make_shared<PartialAllreduceParams>(with<PartialAllreduceParams>([&](auto& params) {
    params.codec = codec;
    params.collective = comm::Collective::hierarchical;
    params.partitions = 2;
  }));
  return {{"hierarchical_allreduce", allreduce(Overlap::none), {{0, 96}}, steps},
          {"hierarchical_allreduce by layers", allreduce(Overlap::layers), {{0, 60}, {60, 96}}, steps},
          {"partial_allreduce", partial, {{0, 48}, {48, 96}}, steps / 2, false},
          {"diloco of workers", diloco(Replica::worker, 1), {{0, 96}}, steps / H},
          {"diloco of sites", diloco(Replica::site, 1), {{0, 96}}, steps / H},
          {"diloco of sites, in fragments", diloco(Replica::site, 2), {{0, 60}, {60, 96}}, steps / H, false}};
}

Vector constant(const Node& node, std::span<const float> x) {
  return Vector(x.size(), static_cast<float>(node.id() + 1));
}

LocalCluster::Settings settings(const Sites& sites) {
  return {.cluster = {.workers = static_cast<int>(sites.size()),
                      .parameters = parameters,
                      .model_bytes = bits_as_bytes,
                      .tensors = {{"a", 0, 60, 1}, {"b", 60, 36, 1}},
                      .layers = {{{0, 60}}, {{60, 96}}},
                      .sites = sites},
          .steps = steps,
          .gradient = constant};
}

int tensors_in(Slice slice) { return (slice.begin < 60 ? 1 : 0) + (slice.end > 60 ? 1 : 0); }

// The bits of a sum over a part of the model, in k chunks.
double bits_of(const CodecRow& codec, Slice part, int k) {
  double bits = 0;
  for (int c = 0; c < k; ++c) {
    const Slice chunk = even_part(part.size(), k, c);
    bits +=
        codec.bits(static_cast<double>(chunk.size()), tensors_in({part.begin + chunk.begin, part.begin + chunk.end}));
  }
  return bits;
}

int least_of(const Sites& sites) {
  std::size_t least = sites.size();
  for (const int site : sites) least = std::min(least, static_cast<std::size_t>(std::ranges::count(sites, site)));
  return static_cast<int>(least);
}

}  // namespace

TEST_CASE("between S sites a sum sends S - 1 encodings of one vector from each, and replicas are equal") {
  for (const Sites& sites : {Sites{0, 0, 1, 1}, {0, 0, 0, 1}, {1, 0, 0, 1, 0, 0}, {0, 1, 1, 2, 2, 2}, {0, 1, 2}}) {
    for (const CodecRow& codec : codecs) {
      for (const SystemRow& row : systems(codec.codec)) {
        CAPTURE(row.name);
        CAPTURE(codec.codec.index());
        CAPTURE(sites.size());
        LocalCluster cluster(settings(sites));
        cluster.run(programs_of(*row.system));
        const std::set<int> numbers(sites.begin(), sites.end());
        const int S = static_cast<int>(numbers.size()), k = least_of(sites);
        double away = 0;
        for (const Slice part : row.parts) away += bits_of(codec, part, k);
        const int workers = static_cast<int>(sites.size());
        std::vector<double> sent(static_cast<std::size_t>(S));
        for (int worker = 0; worker < workers; ++worker) {
          const int site = sites[static_cast<std::size_t>(worker)];
          for (const Message& message : cluster.node(worker).sent) {
            if (sites[static_cast<std::size_t>(message.target)] == site) continue;
            sent[static_cast<std::size_t>(site)] += static_cast<double>(message.wire_bytes);
          }
          const auto first = cluster.node(0).weights().read(), own = cluster.node(worker).weights().read();
          if (row.equal_replicas) CHECK(Vector(own.begin(), own.end()) == Vector(first.begin(), first.end()));
        }
        CHECK(sent == std::vector<double>(sent.size(), row.rounds * (S - 1) * away));
      }
    }
  }
}

TEST_CASE("at one site a sum in a codec is the ring's: every worker's encoding goes round") {
  for (const CodecRow& codec : codecs) {
    LocalCluster cluster(settings({0, 0, 0}));
    cluster.run(programs_of(*systems(codec.codec).front().system));
    double bytes = 0;
    for (const int worker : {0, 1, 2}) {
      for (const Message& message : cluster.node(worker).sent) bytes += static_cast<double>(message.wire_bytes);
    }
    CHECK(bytes == steps * 3 * 2 * bits_of(codec, {0, parameters}, 1));
  }
}

// Two chunks of two values; each site sends the larger one of its sum and residual. Sums of sites:
//   chunk 0: (3, 1) and (1, 3);  chunk 1: (1, 2) and (0, 1).
TEST_CASE("the worker that encodes a site's sum keeps what is dropped, and adds it to the site's next sum") {
  const std::vector<Vector> gradients{{1, 0, 0, 2}, {2, 1, 1, 0}, {0, 2, 0, 1}, {1, 1, 0, 0}};
  LocalCluster cluster({.cluster = {.workers = 4, .parameters = 4, .model_bytes = 16, .sites = {0, 0, 1, 1}},
                        .steps = 2,
                        .gradient = [&](const Node& node, std::span<const float>) {
                          return gradients[static_cast<std::size_t>(node.id())];
                        }});
  cluster.run(programs_of(
      with<HierarchicalAllreduceParams>([](auto& params) { params.codec = codec::TopKParams{.fraction = 0.5}; })));
  // Step 1: (3, 0) + (0, 3) and (0, 2) + (0, 1). Step 2: of (3, 2) + (2, 3) and (2, 2) + (0, 1) the same largest, of
  // equals the first.
  for (const int worker : {0, 1, 2, 3}) {
    CHECK(cluster.node(worker).applied == std::vector<Vector>{{0.75, 0.75, 0, 0.75}, {0.75, 0.75, 0.5, 0.25}});
  }
}

}  // namespace ddl::systems::coded_sites_test
