// Records that a run keeps on request, so that others can repeat its arithmetic: where replicas start, the samples of
// each minibatch, and random draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "sim/run/rows/rows.hpp"

namespace ddl::run {

struct ShardRow {
  int worker = 0;
  std::string samples;  // numbers in the whole training set, a space between two

  static constexpr const char* file = "shards.csv";
  static constexpr bool always = false;  // "record": {"batches": true}
  template <class Visit>
  static void columns(Visit&& column) {
    column("worker", "", "host's name", node(&ShardRow::worker));
    column("samples", "",
           "of its shard: numbers in the whole training set, of which data.train may use a part, from 0 in the order "
           "of the files, a space between two",
           &ShardRow::samples);
  }
};

struct MinibatchRow {
  int worker = 0;
  std::int64_t minibatch = 0;
  std::string samples;

  static constexpr const char* file = "batches.csv";
  static constexpr bool always = false;  // "record": {"batches": true}
  template <class Visit>
  static void columns(Visit&& column) {
    column("worker", "", "host's name", node(&MinibatchRow::worker));
    column("minibatch", "",
           "number of the worker's minibatch, from 0: the step's, unless a step takes several or was lost; the last "
           "may belong to a step that the end of the run cut short",
           &MinibatchRow::minibatch);
    column("samples", "", "its samples, in order, as in shards.csv", &MinibatchRow::samples);
  }
};

struct DrawRow {
  int node = 0;
  std::string purpose;
  std::int64_t number = 0;
  std::string drawn;

  static constexpr const char* file = "draws.csv";
  static constexpr bool always = false;  // "record": {"draws": true}
  template <class Visit>
  static void columns(Visit&& column) {
    column("node", "", "host that drew, or for which it was drawn", run::node(&DrawRow::node));
    column("purpose", "",
           "augmentation, dropout, codec, partner, neighbour or sampled worker: see docs/trajectories.md",
           &DrawRow::purpose);
    column("number", "", "number of the draw, by its purpose: a minibatch, a round, or from 0 on", &DrawRow::number);
    column("drawn", "", "a host's name, or the seed of a stream of random numbers", &DrawRow::drawn);
  }
};

// Those training samples that minibatches had.
struct RecordedSamples {
  Shape shape;
  std::vector<std::int64_t> numbers;  // in the whole training set, ascending
  std::vector<std::uint8_t> images;   // numbers.size() x shape.size(), plane by plane; none where there are `values`
  std::vector<std::int64_t> labels;
  std::vector<float> mean, scale;  // one per channel: a network sees (value - mean) * scale
  std::vector<float> values = {};  // numbers.size() x shape.size(), of samples that are not bytes
};

struct Recordings {
  std::vector<float> initial_weights;                   // with which servers and replicas that start alike begin
  std::vector<std::vector<float>> own_initial_weights;  // per worker, if each starts from its own
  std::vector<float> frozen;                            // a program's tensors that are not trained
  std::vector<ShardRow> shards;
  std::vector<MinibatchRow> batches;
  std::optional<RecordedSamples> samples;
  std::vector<DrawRow> draws;
};

}  // namespace ddl::run
