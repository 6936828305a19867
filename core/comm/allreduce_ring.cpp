// Ring all-reduce (Patarasuk and Yuan, 2009), for worker i of n and chunks 0 .. n-1 of the slice.
//
//   1  reduce-scatter  for s = 0 .. n-2:  send chunk (i-s) mod n to i+1;    add what comes to chunk (i-s-1) mod n
//   2  all-gather      for s = 0 .. n-2:  send chunk (i+1-s) mod n to i+1;  what comes is chunk (i-s) mod n
//   3  gathering       for s = 0 .. n-2:  send the contribution of i-s to i+1; what comes is that of i-s-1
//
// Each chunk is added up once, on its way round, and then copied; so all workers hold the same bits, though not those
// of the other collectives.
#include <utility>

#include "core/base/per_node.hpp"
#include "core/comm/allreduce.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

class RingAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    const int n = group.size(), i = group.rank();
    if (n == 1) return own;
    const int next = (i + 1) % n, previous = (i + n - 1) % n;
    const auto at = [n](int chunk) { return (chunk + n) % n; };
    PerNode<Slice> slices;
    PerNode<Sum> chunks;
    for (int k = 0; k < n; ++k) {
      const Slice part = even_part(slice.size(), n, k);
      slices.push_back({slice.begin + part.begin, slice.begin + part.end});
      chunks.push_back({share_part(own.values, part), own.count, own.run_share});
    }
    for (int s = 0; s < n - 1; ++s) {  // 1
      group.send(next, slices[at(i - s)], chunks[at(i - s)]);
      Sum& chunk = chunks[at(i - s - 1)];
      chunk = group.receive(previous).sum + chunk;
    }
    for (int s = 0; s < n - 1; ++s) {  // 2
      group.send(next, slices[at(i + 1 - s)], chunks[at(i + 1 - s)]);
      chunks[at(i - s)] = group.receive(previous).sum;
    }
    return joined(chunks);
  }

  std::vector<Contribution> gather(Group& group, const Contribution& own) const override {
    const int n = group.size(), i = group.rank();
    PerNode<Contribution> all(n);
    const auto of = [&](int worker) -> Contribution& { return all[(worker + n) % n]; };
    of(i) = own;
    for (int s = 0; s < n - 1; ++s) {  // 3
      group.send((i + 1) % n, of(i - s));
      of(i - s - 1) = group.receive((i + n - 1) % n);
    }
    return all;
  }

  Phases sum_phases(int workers, double models, double times) const override {
    const double chunks = 2 * (workers - 1) * times;
    return round_the_ring(workers, chunks * models / workers, chunks);
  }

  Phases gather_phases(int workers, double models, double times) const override {
    return round_the_ring(workers, (workers - 1) * models * times, (workers - 1) * times);
  }

 private:
  static Sum joined(const std::vector<Sum>& chunks) {
    if (!chunks[0].values) return chunks[0];
    Sum sum = chunks[0];
    std::vector<float> values;
    for (const Sum& chunk : chunks) values.insert(values.end(), chunk.values->begin(), chunk.values->end());
    sum.values = make_payload(std::move(values));
    return sum;
  }

  static Phases round_the_ring(int workers, double models, double messages) {
    Phases phases(1);
    for (int i = 0; workers > 1 && i < workers; ++i) phases[0].push_back({i, (i + 1) % workers, models, messages});
    return phases;
  }
};

}  // namespace

const AllReduce& ring_allreduce() {
  static const RingAllReduce ring;
  return ring;
}

}  // namespace ddl::comm
