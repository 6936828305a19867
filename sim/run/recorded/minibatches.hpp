// The workers' minibatches as they are drawn, kept if the scenario asks for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.hpp"
#include "core/nn/model.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/run/recorded/recordings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// Owner of random streams, as part of their names: a worker, or (-1) everybody.
std::string owner(int worker);

// The samples of each worker, dealt among all that the platform has; one set for all where they share one model or one
// of them trains. Throws InputError where there is no such division, or where batch normalisation would see one sample
// again and again. `network` is null where a program computes the model.
std::vector<std::vector<std::uint32_t>> shards_of(const scenario::Scenario& scenario, const nn::Model* network,
                                                  const data::Dataset& training, const platform::Places& workers);

class Minibatches {
 public:
  // Workers that share one model all draw the minibatches that a run of one worker has, from the whole training set; so
  // does a worker that trains while the others idle.
  Minibatches(const scenario::Scenario& scenario, const nn::Model* network, const data::Dataset& training,
              const platform::Places& workers);

  struct Drawn {
    int worker = 0;
    std::int64_t number = 0;  // among the worker's minibatches, from 0
    std::vector<std::uint32_t> samples;
    Stream dropout;
    std::optional<Stream> crops;  // for its images, if the scenario augments them
  };
  int workers() const { return static_cast<int>(workers_.size()); }
  std::size_t dealt_samples() const { return dealt_samples_; }  // to all of them together
  std::vector<std::size_t> shard_samples() const {
    std::vector<std::size_t> samples;
    for (const Worker& worker : workers_) samples.push_back(worker.batches.shard_samples());
    return samples;
  }
  // The worker's next one or, if there are any, of these samples.
  Drawn draw(int worker, std::vector<std::uint32_t> samples = {});

  // Adds all that has been kept, by worker, then minibatch.
  void write_to(Recordings& recordings, const data::Dataset& training) const;

 private:
  struct Worker {
    data::BatchStream batches;
    Stream dropout;
    std::optional<Stream> augmentation;
    std::int64_t drawn = 0;
    // Kept if the scenario asks for it:
    std::vector<std::uint32_t> shard;
    std::vector<std::vector<std::uint32_t>> minibatches;
    std::vector<std::uint64_t> dropout_seeds, crop_seeds;
  };
  std::size_t dealt_samples_ = 0;
  std::vector<Worker> workers_;
  bool keeps_samples_, keeps_dropout_, keeps_crops_;
};

}  // namespace ddl::run
