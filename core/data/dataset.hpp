// Labelled samples in memory, and minibatches of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/shape.hpp"
#include "core/data/data_spec.hpp"

namespace ddl::data {

// `count` samples of `shape` (channel planes, row by row), one byte or one float per value. A network sees (value -
// mean[channel]) * scale[channel].
struct Dataset {
  Shape shape;
  int classes = 0;
  std::vector<std::string> class_names = {};  // empty: numbers from 0
  std::vector<std::uint8_t> pixels;           // count x shape.size(), or empty if there are `values`
  std::vector<std::uint8_t> labels;           // count
  std::vector<float> mean, scale;             // one per channel
  std::vector<std::uint32_t> numbers;         // each sample's number in its files; empty if all are used
  std::vector<float> values = {};             // count x shape.size(), or empty if there are `pixels`
  // For a partition by a column: the rank of each sample's value among all values of the files; by document: its
  // number.
  std::vector<std::uint32_t> groups = {};
  // For a text, in place of pixels and values: all symbols of the set, as classes. Sample n is the `context` symbols
  // from n on, each as `classes` values of which one is 1; its label is the next symbol.
  std::vector<std::uint8_t> symbols = {};
  int context = 0;
  // The same for a language model: the `context` values of a sample are its symbols' numbers, and each has the symbol
  // behind it as its label. `labels` are those of the last ones. For testing the samples follow one another.
  bool by_position = false;
  std::size_t positions() const { return by_position ? static_cast<std::size_t>(context) : 1; }  // labels of a sample
  std::size_t size() const { return labels.size(); }
  std::uint32_t number_of(std::uint32_t place) const { return numbers.empty() ? place : numbers[place]; }
};

struct DataSplit {
  Dataset train, test;
  std::size_t whole_test = 0;  // samples for testing; `test` may hold only those that evaluations use
};

// The samples of one step or one evaluation, as input of a network.
struct Batch {
  std::vector<float> inputs;         // size() x shape.size()
  std::vector<std::uint8_t> labels;  // `positions` of each sample
  std::size_t positions = 1;
  std::size_t size() const { return labels.size() / positions; }
};

// Reads or generates the data of `spec`. `seed` decides generated data, and the choice of samples if fewer are used
// than a file has: drawn from all of it, its classes in proportion, in its order. Throws InputError (damaged, short,
// mislabelled or absent file, too few samples), whose text names the file.
DataSplit load_data(const DataSpec& spec, std::uint64_t seed);

// Facts about load_data's result, without reading all of it: for checking a scenario.
struct DataShape {
  Shape shape;
  int classes = 0;
  std::size_t bytes_of_value = 1;
  std::optional<std::int64_t> train = {}, test = {};  // samples in the user's own files
  std::int64_t symbols = 0;                           // length of a text: all is kept, however few samples are used
  std::vector<std::string> notes = {};                // oddities of labels, a line each
  DataSpec spec = {};  // for own data: the settings, with defaults filled in from the files, and columns by number
};
DataShape data_shape(DataSource source);              // for a source that is not the user's own
DataShape data_shape_in_files(const DataSpec& spec);  // for the user's own; throws InputError

// Fills `batch` with the samples at `indices`, reusing its memory. With `crops`, each image is cropped by the stream's
// next draw_crop; the border's values are 0.
void gather(const Dataset& data, std::span<const std::uint32_t> indices, Batch& batch,
            std::optional<Stream> crops = std::nullopt);

// Divides the samples of `data` over `workers` shards by spec.partition. No shard is empty, and except with `dealt` and
// `full` every sample goes to exactly one. Depends only on the arguments, so all systems start from the same shards.
// Except with dirichlet and column, sizes differ by at most one. `dealt` deals minibatches of batch_size samples:
// shards differ by at most one minibatch, a remainder of less than a minibatch is unused, and unshuffled passes go
// through the minibatches in file order. With `full` every shard has every sample in file order, each starting at
// another place, so that no two workers draw the same batches even unshuffled (unless there are more workers than
// samples). With `column`, worker k mod n gets the samples of the k-th value. Throws InputError on a partition_problem,
// or if a worker gets no value.
std::vector<std::vector<std::uint32_t>> partition(const Dataset& data, const DataSpec& spec, int workers,
                                                  std::uint64_t seed, int batch_size);

// An endless sequence of minibatches over one worker's shard: passes over all of it, each in a new order if shuffled.
// The last batch of a pass is filled up from the next pass, so every batch has exactly batch_size samples.
class BatchStream {
 public:
  BatchStream(std::vector<std::uint32_t> shard, int batch_size, bool shuffled, Stream random);
  std::vector<std::uint32_t> next();
  std::size_t shard_samples() const { return shard_.size(); }

 private:
  std::vector<std::uint32_t> shard_;
  std::size_t batch_size_;
  bool shuffled_;
  Stream random_;
  std::size_t position_;
};

// The files that load_data would read, in order; none for synthetic data. Throws InputError as it does.
std::vector<std::string> data_files(const DataSpec& spec);

}  // namespace ddl::data
