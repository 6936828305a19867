#include "sim/run/recorded/minibatches.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/check.hpp"
#include "core/nn/layer_table.hpp"
#include "sim/scenario/data_problem.hpp"

namespace ddl::run {
namespace {

std::string listed(std::span<const std::uint32_t> places, const data::Dataset& training) {
  std::string text;
  for (const std::uint32_t place : places) {
    text += (text.empty() ? "" : " ") + std::to_string(training.number_of(place));
  }
  return text;
}

RecordedSamples samples_of(const data::Dataset& training, const std::vector<bool>& drawn) {
  RecordedSamples samples{.shape = training.shape,
                          .numbers = {},
                          .images = {},
                          .labels = {},
                          .mean = training.mean,
                          .scale = training.scale};
  const std::size_t values = training.shape.size();
  data::Batch expanded;
  for (std::size_t place = 0; place < drawn.size(); ++place) {
    if (!drawn[place]) continue;
    samples.numbers.push_back(training.number_of(static_cast<std::uint32_t>(place)));
    if (!training.by_position) samples.labels.push_back(training.labels[place]);
    if (training.context > 0) {
      const std::vector<std::uint32_t> one = {static_cast<std::uint32_t>(place)};
      data::gather(training, one, expanded);
      samples.values.insert(samples.values.end(), expanded.inputs.begin(), expanded.inputs.end());
      if (training.by_position) {
        samples.labels.insert(samples.labels.end(), expanded.labels.begin(), expanded.labels.end());
      }
      continue;
    }
    const auto keep = [&](const auto& from, auto& to) {
      if (from.empty()) return;
      const auto sample = std::span(from).subspan(place * values, values);
      to.insert(to.end(), sample.begin(), sample.end());
    };
    keep(training.pixels, samples.images);
    keep(training.values, samples.values);
  }
  return samples;
}

bool has_dropout(const nn::Model* network) {
  return network != nullptr &&
         std::ranges::any_of(nn::layer_table(*network), [](const auto& row) { return row.kind == "dropout"; });
}

}  // namespace

std::string owner(int worker) { return worker < 0 ? "everybody" : "worker " + std::to_string(worker); }

std::vector<std::vector<std::uint32_t>> shards_of(const scenario::Scenario& scenario, const nn::Model* network,
                                                  const data::Dataset& training, const platform::Places& workers) {
  const SystemFacts& system = scenario.algorithm->facts();
  const bool one_shard = system.one_model || system.one_trains;
  auto shards = scenario::about_data([&] {
    return data::partition(training, scenario.data, one_shard && workers.all_take_part() ? 1 : workers.among,
                           scenario.seed, scenario.training.batch_size);
  });
  if (!workers.all_take_part()) {
    std::vector<std::vector<std::uint32_t>> kept;
    for (const int place : workers.of_workers) kept.push_back(std::move(shards[static_cast<std::size_t>(place)]));
    shards = std::move(kept);
  }
  for (; one_shard && shards.size() > 1; shards.pop_back()) {
    shards.front().insert(shards.front().end(), shards.back().begin(), shards.back().end());
  }
  const auto single = std::ranges::find(shards, std::size_t{1}, &std::vector<std::uint32_t>::size);
  if (network == nullptr || single == shards.end() || system.chooses_samples) return shards;
  if (const auto norm = nn::norm_of_single_values(*network)) {
    throw InputError("$.data.partition: worker " + std::to_string(single - shards.begin()) + " has one sample, and \"" +
                     *norm + "\" cannot learn from one value per channel; expected at least 2 samples for each worker");
  }
  return shards;
}

Minibatches::Minibatches(const scenario::Scenario& scenario, const nn::Model* network, const data::Dataset& training,
                         const platform::Places& workers)
    : keeps_samples_(scenario.record.batches),
      keeps_dropout_(scenario.record.draws && has_dropout(network)),
      keeps_crops_(scenario.record.draws) {
  const bool augments = scenario.data.augment == data::Augment::crop_flip;
  const auto shards = shards_of(scenario, network, training, workers);
  for (const auto& shard : shards) dealt_samples_ += shard.size();
  for (int worker = 0; worker < std::ssize(workers.of_workers); ++worker) {
    const int data_of = shards.size() == 1 ? 0 : worker;
    const std::vector<std::uint32_t>& shard = shards[static_cast<std::size_t>(data_of)];
    workers_.push_back({data::BatchStream(shard, scenario.training.batch_size, scenario.data.shuffle,
                                          stream(scenario.seed, owner(data_of), "minibatches")),
                        stream(scenario.seed, owner(data_of), "dropout"),
                        augments ? std::optional(stream(scenario.seed, owner(data_of), "augmentation")) : std::nullopt,
                        0,
                        keeps_samples_ ? shard : std::vector<std::uint32_t>(),
                        {},
                        {},
                        {}});
  }
}

Minibatches::Drawn Minibatches::draw(int worker, std::vector<std::uint32_t> samples) {
  Worker& of = workers_[static_cast<std::size_t>(worker)];
  if (samples.empty()) samples = of.batches.next();
  const std::uint64_t seed = of.dropout.bits();
  if (keeps_samples_) of.minibatches.push_back(samples);
  if (keeps_dropout_) of.dropout_seeds.push_back(seed);
  Drawn drawn{worker, of.drawn++, std::move(samples), Stream(seed), std::nullopt};
  if (of.augmentation) {
    drawn.crops = Stream(of.augmentation->bits());
    if (keeps_crops_) of.crop_seeds.push_back(drawn.crops->seed());
  }
  return drawn;
}

void Minibatches::write_to(Recordings& recordings, const data::Dataset& training) const {
  std::vector<bool> drawn(training.size());
  for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
    const Worker& log = workers_[worker];
    const int id = static_cast<int>(worker);
    if (keeps_samples_) recordings.shards.push_back({id, listed(log.shard, training)});
    for (std::size_t i = 0; i < log.minibatches.size(); ++i) {
      recordings.batches.push_back({id, static_cast<std::int64_t>(i), listed(log.minibatches[i], training)});
      for (const std::uint32_t sample : log.minibatches[i]) drawn[sample] = true;
    }
    const auto add_seeds = [&](const char* purpose, const std::vector<std::uint64_t>& seeds) {
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        recordings.draws.push_back({id, purpose, static_cast<std::int64_t>(i), std::to_string(seeds[i])});
      }
    };
    add_seeds("augmentation", log.crop_seeds);
    add_seeds("dropout", log.dropout_seeds);
  }
  // They stay with a program that has them.
  const bool are_here = !training.pixels.empty() || !training.values.empty() || training.context > 0;
  if (keeps_samples_ && are_here) recordings.samples = samples_of(training, drawn);
}

}  // namespace ddl::run
