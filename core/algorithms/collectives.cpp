// Each chunk of the ring is added up once, on its way round, and then copied; so all workers hold the same bits, though
// not those of another collective. The star adds in worker order, as a synchronous parameter server does.
//
//   ring, worker i of n, chunks 0 .. n-1 of the slice:                                         [ALGORITHMS 4.1]
//     reduce-scatter  for s = 0 .. n-2:  send chunk (i-s) mod n to i+1;    add what comes to chunk (i-s-1) mod n
//     all-gather      for s = 0 .. n-2:  send chunk (i+1-s) mod n to i+1;  what comes is chunk (i-s) mod n
//   tree (binomial: each level pairs workers, so that a level costs one message's time):
//     for bit = 1, 2, 4 .. < n:  if i has the bit, send the sum to i - bit and stop; else add that of i + bit
//     back: take the total from i - (lowest bit of i), and pass it on to i + bit for all lower bits, highest first, one
//     after the other: the farthest branches start soonest
//   star:  all send to worker 0, which adds them in order and sends the total to all
#include "core/algorithms/collectives.hpp"

#include <utility>

#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

Sum operator+(const Sum& a, const Sum& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  if (!a.values) return {nullptr, a.count + b.count};
  std::vector<float> values(a.values->begin(), a.values->end());
  add_scaled(values, values_of(b.values));
  return {make_payload(std::move(values)), a.count + b.count};
}

// Chunk k of n; slices of the whole vector.
Slice chunk_of(Slice slice, int chunks, int chunk) {
  const Slice part = even_part(slice.size(), chunks, chunk);
  return {slice.begin + part.begin, slice.begin + part.end};
}

Sum joined(const std::vector<Sum>& chunks) {
  if (!chunks[0].values) return chunks[0];
  std::vector<float> values;
  for (const Sum& chunk : chunks) values.insert(values.end(), chunk.values->begin(), chunk.values->end());
  return {make_payload(std::move(values)), chunks[0].count};
}

}  // namespace

Sum AllReduce::sum(Slice slice, const Sum& own) {
  if (node_.cluster().workers == 1) return own;
  if (how_ == Collective::ring) return ring(slice, own);
  return how_ == Collective::tree ? tree(slice, own) : star(slice, own);
}

Sum AllReduce::ring(Slice slice, const Sum& own) {
  const int n = node_.cluster().workers, i = node_.id();
  const int next = (i + 1) % n, previous = (i + n - 1) % n;
  const auto at = [n](int chunk) { return static_cast<std::size_t>((chunk + n) % n); };
  std::vector<Slice> slices;
  std::vector<Sum> chunks;
  for (int k = 0; k < n; ++k) {
    slices.push_back(chunk_of(slice, n, k));
    chunks.push_back({share_part(own.values, even_part(slice.size(), n, k)), own.count});
  }
  for (int s = 0; s < n - 1; ++s) {
    send(next, slices[at(i - s)], chunks[at(i - s)]);
    Sum& chunk = chunks[at(i - s - 1)];
    chunk = receive(previous) + chunk;
  }
  for (int s = 0; s < n - 1; ++s) {
    send(next, slices[at(i + 1 - s)], chunks[at(i + 1 - s)]);
    chunks[at(i - s)] = receive(previous);
  }
  return joined(chunks);
}

Sum AllReduce::tree(Slice slice, const Sum& own) {
  const int n = node_.cluster().workers, i = node_.id();
  Sum total = own;
  int bit = 1;
  for (; bit < n && (i & bit) == 0; bit *= 2) {
    if (i + bit < n) total = total + receive(i + bit);
  }
  if (i > 0) {
    send(i - bit, slice, total);
    total = receive(i - bit);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (i + bit >= n) continue;
    send(i + bit, slice, total);
    node_.wait_until_delivered(i + bit);
  }
  return total;
}

Sum AllReduce::star(Slice slice, const Sum& own) {
  if (node_.id() > 0) {
    send(0, slice, own);
    return receive(0);
  }
  Sum total = own;
  for (int worker = 1; worker < node_.cluster().workers; ++worker) total = total + receive(worker);
  for (int worker = 1; worker < node_.cluster().workers; ++worker) send(worker, slice, total);
  return total;
}

void AllReduce::send(int target, Slice slice, const Sum& sum) {
  node_.send(target, {.port = port_,
                      .kind = sum.count,
                      .values = sum.values,
                      .wire_bytes = sum.count > 0 ? node_.cluster().wire_bytes(slice) : 0});
}

Sum AllReduce::receive(int source) {
  std::deque<Message>& from_source = early_[source];
  while (from_source.empty()) {
    Message message = node_.receive(port_);
    early_[message.source].push_back(std::move(message));
  }
  const Message message = std::move(from_source.front());
  from_source.pop_front();
  return {message.values, message.kind};
}

std::vector<std::vector<Flow>> flows_of(Collective how, const Cluster& cluster, double models, double times) {
  const int n = cluster.workers;
  std::vector<std::vector<Flow>> there, back;
  if (how == Collective::ring) {
    const double chunks = 2 * (n - 1) * times;
    there.emplace_back();
    for (int i = 0; n > 1 && i < n; ++i) there[0].push_back({i, (i + 1) % n, chunks * models / n, chunks});
  } else if (how == Collective::star) {
    there.emplace_back();
    for (int i = 1; i < n; ++i) there[0].push_back({i, 0, times * models, times});
  } else {
    for (int bit = 1; bit < n; bit *= 2) {
      there.emplace_back();
      for (int i = 0; i + bit < n; i += 2 * bit) there.back().push_back({i + bit, i, times * models, times});
    }
  }
  if (how != Collective::ring) {
    for (std::size_t phase = there.size(); phase-- > 0;) {
      back.emplace_back();
      for (const Flow& flow : there[phase])
        back.back().push_back({flow.target, flow.source, flow.models, flow.messages});
    }
  }
  there.insert(there.end(), back.begin(), back.end());
  return there;
}

}  // namespace ddl
