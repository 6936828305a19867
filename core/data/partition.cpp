// Division of training samples over workers.
#include "core/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/dataset.hpp"
#include "core/data/key_error.hpp"

namespace ddl::data {
namespace {

using Indices = std::vector<std::uint32_t>;

Indices all_indices(const Dataset& data) {
  Indices indices(data.size());
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

std::vector<Indices> deal_round(const Indices& indices, std::size_t workers) {
  std::vector<Indices> shards(workers);
  for (std::size_t i = 0; i < indices.size(); ++i) shards[i % workers].push_back(indices[i]);
  return shards;
}

std::vector<Indices> cut_evenly(const Indices& indices, std::size_t workers) {
  std::vector<Indices> shards(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const std::size_t begin = indices.size() * worker / workers;
    const std::size_t end = indices.size() * (worker + 1) / workers;
    shards[worker].assign(indices.data() + begin, indices.data() + end);
  }
  return shards;
}

// Worker k mod n gets minibatch k of the file. Samples left over at the end, less than a minibatch, are unused.
std::vector<Indices> deal_minibatches(const Indices& indices, std::size_t workers, std::size_t batch_size) {
  std::vector<Indices> shards(workers);
  for (std::size_t batch = 0; batch < indices.size() / batch_size; ++batch) {
    const auto first = indices.begin() + static_cast<std::ptrdiff_t>(batch * batch_size);
    Indices& shard = shards[batch % workers];
    shard.insert(shard.end(), first, first + static_cast<std::ptrdiff_t>(batch_size));
  }
  return shards;
}

// All of `indices` for each worker, starting where its even part would.
std::vector<Indices> give_all(const Indices& indices, std::size_t workers) {
  std::vector<Indices> shards(workers, indices);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const auto begin = static_cast<std::ptrdiff_t>(indices.size() * worker / workers);
    std::rotate(shards[worker].begin(), shards[worker].begin() + begin, shards[worker].end());
  }
  return shards;
}

// One draw of the symmetric Dirichlet distribution: independent gamma draws over their sum.
std::vector<double> dirichlet(std::size_t count, double alpha, Stream& random) {
  std::vector<double> shares(count);
  for (double& share : shares) share = random.gamma(alpha);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum > 0) {
    for (double& share : shares) share /= sum;
  } else {
    // All draws underflowed: in the limit of small alpha, one shard gets everything.
    shares[random.below(count)] = 1;
  }
  return shares;
}

// Each empty shard takes a sample from the largest shard at that moment (the first of equals).
void fill_empty(std::vector<Indices>& shards) {
  for (Indices& shard : shards) {
    if (!shard.empty()) continue;
    const auto largest = std::max_element(shards.begin(), shards.end(),
                                          [](const Indices& a, const Indices& b) { return a.size() < b.size(); });
    shard.push_back(largest->back());
    largest->pop_back();
  }
}

// Each class is divided in proportions of its own (Yurochkin et al., ICML 2019).
std::vector<Indices> deal_by_dirichlet(const Dataset& data, std::size_t workers, double alpha, Stream& random) {
  std::vector<Indices> members(static_cast<std::size_t>(data.classes));
  for (const std::uint32_t index : all_indices(data)) members[data.labels[index]].push_back(index);
  std::vector<Indices> shards(workers);
  for (Indices& samples : members) {
    shuffle(std::span(samples), random);
    const std::vector<double> shares = dirichlet(workers, alpha, random);
    double dealt_share = 0;
    std::size_t begin = 0;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      dealt_share += shares[worker];
      const double cut = std::min(dealt_share, 1.0) * static_cast<double>(samples.size());
      const std::size_t end = worker + 1 == workers ? samples.size() : static_cast<std::size_t>(std::llround(cut));
      shards[worker].insert(shards[worker].end(), samples.begin() + static_cast<std::ptrdiff_t>(begin),
                            samples.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  }
  // Mix classes within a shard, for passes that are not shuffled.
  for (Indices& shard : shards) shuffle(std::span(shard), random);
  fill_empty(shards);
  return shards;
}

// Worker k mod n gets the samples of value k.
std::vector<Indices> deal_by_column(const Dataset& data, std::size_t workers) {
  check(data.groups.size() == data.size(), "each sample's value of the column");
  std::vector<Indices> shards(workers);
  for (const std::uint32_t index : all_indices(data)) shards[data.groups[index] % workers].push_back(index);
  const auto empty = std::ranges::find_if(shards, &Indices::empty);
  if (empty == shards.end()) return shards;
  const std::size_t values = std::ranges::max(data.groups) + std::size_t{1};
  throw KeyError("column", "has " + counted(static_cast<std::int64_t>(values), "value") + " for " +
                               counted(static_cast<std::int64_t>(workers), "worker") + ", of which number " +
                               std::to_string(empty - shards.begin()) +
                               " gets no training sample; expected at least one value for each");
}

// Documents in a random order, each to the next worker.
std::vector<Indices> deal_documents(const Dataset& data, std::size_t workers, Stream& random) {
  check(data.groups.size() == data.size(), "each sample's document");
  Indices turns(std::ranges::max(data.groups) + std::size_t{1});
  if (turns.size() < workers) {
    throw KeyError("partition", "\"document\" has " + counted(static_cast<std::int64_t>(turns.size()), "document") +
                                    " for " + counted(static_cast<std::int64_t>(workers), "worker") +
                                    "; expected at least one for each, parted by blank lines");
  }
  std::iota(turns.begin(), turns.end(), 0u);
  shuffle(std::span(turns), random);
  std::vector<Indices> shards(workers);
  for (const std::uint32_t index : all_indices(data)) shards[turns[data.groups[index]] % workers].push_back(index);
  fill_empty(shards);  // documents may have lost all their samples to data.train
  return shards;
}

}  // namespace

std::optional<PartitionProblem> partition_problem(PartitionKind kind, std::int64_t samples, int workers,
                                                  int batch_size) {
  const std::string expected = " for " + counted(workers, "worker") + "; expected at least one for each";
  if (kind == PartitionKind::full ? samples < 1 : samples < workers) {
    return PartitionProblem{"train", counted(samples, "training sample") + expected};
  }
  if (const std::int64_t batches = samples / batch_size; kind == PartitionKind::dealt && batches < workers) {
    return PartitionProblem{"partition", "\"dealt\" has " + counted(batches, "minibatch") + " of " +
                                             counted(batch_size, "sample") + expected};
  }
  return std::nullopt;
}

std::vector<std::vector<std::uint32_t>> partition(const Dataset& data, const DataSpec& spec, int workers,
                                                  std::uint64_t seed, int batch_size) {
  check(workers > 0, "data are dealt to at least one worker");
  check(batch_size > 0, "a batch has at least one sample");
  const auto count = static_cast<std::size_t>(workers);
  const auto samples = static_cast<std::int64_t>(data.size());
  if (const auto problem = partition_problem(spec.partition, samples, workers, batch_size)) {
    throw KeyError(problem->key, problem->what);
  }
  Stream random = stream(seed, "all", "data partition");
  Indices indices = all_indices(data);
  switch (spec.partition) {
    case PartitionKind::iid:
      shuffle(std::span(indices), random);
      return deal_round(indices, count);
    case PartitionKind::sequential:
      return cut_evenly(indices, count);
    case PartitionKind::dealt:
      return deal_minibatches(indices, count, static_cast<std::size_t>(batch_size));
    case PartitionKind::by_label:
      std::stable_sort(indices.begin(), indices.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return data.labels[a] < data.labels[b]; });
      return cut_evenly(indices, count);
    case PartitionKind::dirichlet:
      check(spec.alpha > 0, "a positive alpha");
      return deal_by_dirichlet(data, count, spec.alpha, random);
    case PartitionKind::full:
      return give_all(indices, count);
    case PartitionKind::document:
      return deal_documents(data, count, random);
    case PartitionKind::column:
      return deal_by_column(data, count);
  }
  throw InternalError("unknown kind of partition");
}

}  // namespace ddl::data
