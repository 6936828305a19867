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
//   gathered:  the same ways, but every contribution travels by itself to each worker, and none twice
#include "core/comm/collectives.hpp"

#include <algorithm>
#include <utility>

#include "core/node/vectors.hpp"

namespace ddl::comm {

Sum operator+(const Sum& a, const Sum& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  if (!a.values) return {nullptr, a.count + b.count};
  std::vector<float> values(a.values->begin(), a.values->end());
  add_scaled(values, values_of(b.values));
  return {make_payload(std::move(values)), a.count + b.count};
}

namespace {

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

// The workers root .. root + size - 1, of which the others reach the rest through the root.
struct Branch {
  int root, size;
  bool has(int worker) const { return worker >= root && worker < root + size; }
};

std::vector<Branch> branches_at(Collective how, int workers, int i) {
  std::vector<Branch> result;
  if (how == Collective::tree) {
    for (int bit = 1; bit < workers && (i & bit) == 0; bit *= 2) {
      if (i + bit < workers) result.push_back({i + bit, std::min(bit, workers - i - bit)});
    }
  } else if (i == 0) {
    for (int worker = 1; worker < workers; ++worker) result.push_back({worker, 1});
  }
  return result;
}

int parent_of(Collective how, int i) { return how == Collective::tree ? i & (i - 1) : 0; }

}  // namespace

std::optional<Sum> AllReduce::sum(Slice slice, const Sum& own) {
  auto result = among_those_there([&] { return reduce(slice, own); });
  if (result) ++round_;
  return result;
}

Sum AllReduce::reduce(Slice slice, const Sum& own) {
  if (members() == 1) return own;
  if (how_ == Collective::ring) return ring(slice, own);
  return how_ == Collective::tree ? tree(slice, own) : star(slice, own);
}

Sum AllReduce::ring(Slice slice, const Sum& own) {
  const int n = members(), i = rank_;
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
    chunk = receive_sum(previous) + chunk;
  }
  for (int s = 0; s < n - 1; ++s) {
    send(next, slices[at(i + 1 - s)], chunks[at(i + 1 - s)]);
    chunks[at(i - s)] = receive_sum(previous);
  }
  return joined(chunks);
}

Sum AllReduce::tree(Slice slice, const Sum& own) {
  const int n = members(), i = rank_;
  Sum total = own;
  int bit = 1;
  for (; bit < n && (i & bit) == 0; bit *= 2) {
    if (i + bit < n) total = total + receive_sum(i + bit);
  }
  if (i > 0) {
    send(i - bit, slice, total);
    total = receive_sum(i - bit);
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (i + bit >= n) continue;
    send(i + bit, slice, total);
    node_.queue(worker_at(i + bit)).flush();
  }
  return total;
}

Sum AllReduce::star(Slice slice, const Sum& own) {
  if (rank_ > 0) {
    send(0, slice, own);
    return receive_sum(0);
  }
  Sum total = own;
  for (int worker = 1; worker < members(); ++worker) total = total + receive_sum(worker);
  for (int worker = 1; worker < members(); ++worker) send(worker, slice, total);
  return total;
}

void AllReduce::send(int target, Slice slice, const Sum& sum) {
  send_in_group(target, {.values = sum.values, .wire_bytes = sum.count > 0 ? node_.cluster().wire_bytes(slice) : 0},
                sum.count);
}

Sum AllReduce::receive_sum(int source) {
  const Message message = receive(source);
  return {message.values, message.as<InGroup>().count};
}

Contribution AllReduce::receive_contribution(int source) {
  const Message message = receive(source);
  return {{message.values, message.as<InGroup>().count}, message.wire_bytes};
}

std::optional<std::vector<Contribution>> AllReduce::gather(const Contribution& own) {
  std::vector<Contribution> all;
  const auto done = among_those_there([&] {
    all = gather_once(own);
    return Sum{};
  });
  if (!done) return std::nullopt;
  ++round_;
  return all;
}

std::vector<Contribution> AllReduce::gather_once(const Contribution& own) {
  std::vector<Contribution> all(members_.size());
  all[static_cast<std::size_t>(rank_)] = own;
  how_ == Collective::ring ? gather_round_ring(all) : gather_along_branches(all);
  return all;
}

void AllReduce::gather_round_ring(std::vector<Contribution>& all) {
  const int n = members(), i = rank_;
  const auto of = [&](int worker) -> Contribution& { return all[static_cast<std::size_t>((worker + n) % n)]; };
  for (int s = 0; s < n - 1; ++s) {
    forward((i + 1) % n, of(i - s));
    of(i - s - 1) = receive_contribution((i + n - 1) % n);
  }
}

void AllReduce::gather_along_branches(std::vector<Contribution>& all) {
  const int n = members(), i = rank_;
  const auto of = [&](int worker) -> Contribution& { return all[static_cast<std::size_t>(worker)]; };
  const std::vector<Branch> branches = branches_at(how_, n, i);
  Branch own{i, 1};
  for (const Branch& branch : branches) {
    for (int worker = 0; worker < n; ++worker) {
      if (branch.has(worker)) of(worker) = receive_contribution(branch.root);
    }
    own.size += branch.size;
  }
  for (int worker = 0; i > 0 && worker < n; ++worker) {
    if (own.has(worker)) forward(parent_of(how_, i), of(worker));
  }
  for (int worker = 0; i > 0 && worker < n; ++worker) {
    if (!own.has(worker)) of(worker) = receive_contribution(parent_of(how_, i));
  }
  for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
    for (int worker = 0; worker < n; ++worker) {
      if (!branch->has(worker)) forward(branch->root, of(worker));
    }
  }
}

void AllReduce::forward(int target, const Contribution& contribution) {
  send_in_group(target, {.values = contribution.sum.values, .wire_bytes = contribution.wire_bytes},
                contribution.sum.count);
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

std::vector<std::vector<Flow>> gathering_flows_of(Collective how, const Cluster& cluster, double models) {
  const int n = cluster.workers;
  std::vector<std::vector<Flow>> phases(1);
  const auto add = [&](int source, int target, int contributions) {
    phases.back().push_back({source, target, contributions * models, static_cast<double>(contributions)});
  };
  if (how == Collective::ring) {
    for (int i = 0; n > 1 && i < n; ++i) add(i, (i + 1) % n, n - 1);
    return phases;
  }
  for (int i = 0; i < n; ++i) {
    for (const Branch& branch : branches_at(how, n, i)) add(branch.root, i, branch.size);
  }
  phases.emplace_back();
  for (int i = 0; i < n; ++i) {
    for (const Branch& branch : branches_at(how, n, i)) add(i, branch.root, n - branch.size);
  }
  return phases;
}

}  // namespace ddl::comm
