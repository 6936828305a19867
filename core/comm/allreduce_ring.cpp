// Ring all-reduce (Patarasuk and Yuan, 2009), for worker i of n and chunks 0 .. n-1 of the slice.
//
//   1  reduce-scatter  for s = 0 .. n-2:  send chunk (i-s) mod n to i+1;    add the arriving one to chunk (i-s-1) mod n
//   2  all-gather      for s = 0 .. n-2:  send chunk (i+1-s) mod n to i+1;  the arriving one is chunk (i-s) mod n
//   3  in a codec      for s = 0 .. n-2:  send the contribution of i-s to i+1; the arriving one is that of i-s-1
//
// A chunk is sent on when its first slice has come and is reduced, and leaves slice by slice. On links of rate W and
// latency L, chunks of c and slices of s bytes then take (2 (n-1) - 1) max(c/W, L + s/W) + L + c/W, and in one slice
// (s = c) 2 (n-1) (L + c/W).
//
// Each chunk is summed once, on its way round, and then copied. So all workers hold the same bits, though other
// collectives give other bits.
#include <utility>

#include "core/comm/ring.hpp"
#include "core/node/vectors.hpp"

namespace ddl::comm {
namespace {

// Member i sends item first + i - s to i+1 and takes item first + i - s - 1 from i-1, for s = 0 .. n-2.
template <class Send, class Take>
void go_round(const Group& group, int first, Send send, Take take) {
  const int n = group.size(), i = group.rank();
  const int next = (i + 1) % n, previous = (i + n - 1) % n;
  for (int s = 0; s < n - 1; ++s) {
    send((first + i - s + n) % n, next);
    take((first + i - s - 1 + n) % n, previous);
  }
}

// `join` combines what arrives with the member's own sum of a chunk.
template <class Join>
void pass_chunks(Group& group, int first, Chunks& chunks, Join join) {
  go_round(
      group, first,
      [&](int k, int next) {
        if (k < chunks.count()) group.pass(next, group.contribution(chunks.slices[k], chunks.sums[k]));
      },
      [&](int k, int previous) {
        if (k < chunks.count()) chunks.sums[k] = join(group.receive_first_slice(previous).sum, chunks.sums[k]);
      });
}

PerNode<Slice> even_chunks(Slice slice, int count) {
  PerNode<Slice> chunks;
  for (int k = 0; k < count; ++k) {
    const Slice part = even_part(slice.size(), count, k);
    chunks.push_back({slice.begin + part.begin, slice.begin + part.end});
  }
  return chunks;
}

class RingAllReduce final : public AllReduce {
 public:
  Sum sum(Group& group, Slice slice, const Sum& own) const override {
    if (group.size() == 1) return own;
    Chunks chunks(slice, group.size(), own);
    reduce_scatter(group, chunks);
    all_gather(group, chunks);
    group.wait_for_rest();
    return chunks.joined();
  }

  Sum coded_sum(Group& group, Slice slice, const Sum& own, const Code& code) const override {
    PerNode<Contribution> all(group.size());
    all[group.rank()] = code(slice, own);
    go_round(
        group, 0, [&](int k, int next) { group.pass(next, all[k]); },
        [&](int k, int previous) { all[k] = group.receive_first_slice(previous); });
    group.wait_for_rest();
    return total_of(all);
  }

  Phases sum_phases(const Cluster& cluster, double models, double times) const override {
    const double chunks = 2 * (cluster.workers - 1) * times;
    return round_the_ring(cluster.workers, chunks * models / cluster.workers, chunks);
  }

  Phases coded_phases(const Cluster& cluster, double models, double share, double times) const override {
    const double others = (cluster.workers - 1) * times;
    return round_the_ring(cluster.workers, others * models * share, others);
  }

 private:
  static Phases round_the_ring(int workers, double models, double messages) {
    Phases phases(1);
    for (int i = 0; workers > 1 && i < workers; ++i) phases[0].push_back({i, (i + 1) % workers, models, messages});
    return phases;
  }
};

}  // namespace

Chunks::Chunks(Slice slice, int count, const Sum& own) : Chunks(even_chunks(slice, count), slice.begin, own) {}

Chunks::Chunks(PerNode<Slice> its_chunks, std::size_t begin, const Sum& own) : slices(std::move(its_chunks)) {
  for (const Slice chunk : slices) {
    sums.push_back({share_part(own.values, {chunk.begin - begin, chunk.end - begin}), own.weight, own.run_share});
  }
}

Sum Chunks::joined() const {
  if (!sums[0].values || count() == 1) return sums[0];
  Sum sum = sums[0];
  std::vector<float> values;
  for (const Sum& chunk : sums) values.insert(values.end(), chunk.values->begin(), chunk.values->end());
  sum.values = make_payload(std::move(values));
  return sum;
}

void reduce_scatter(Group& group, Chunks& chunks) {
  pass_chunks(group, 0, chunks, [](Sum arrived, const Sum& own) { return arrived + own; });
}

void all_gather(Group& group, Chunks& chunks) {
  pass_chunks(group, 1, chunks, [](Sum arrived, const Sum& /*own*/) { return arrived; });
}

const AllReduce& ring_allreduce() {
  static const RingAllReduce ring;
  return ring;
}

}  // namespace ddl::comm
