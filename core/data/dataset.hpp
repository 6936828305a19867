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

// `count` samples of `shape` (channel planes, row by row), one byte or one float a value. A network sees (value -
// mean[channel]) * scale[channel].
struct Dataset {
  Shape shape;
  int classes = 0;
  std::vector<std::string> class_names = {};  // none: numbers from 0
  std::vector<std::uint8_t> pixels;           // count x shape.size(), or none where there are `values`
  std::vector<std::uint8_t> labels;           // count
  std::vector<float> mean, scale;             // one per channel
  std::vector<std::uint32_t> numbers;         // of each sample in its files, where only some of theirs are used
  std::vector<float> values = {};             // count x shape.size(), or none where there are `pixels`
  // Of a partition by a column: the place of each sample's value among all values of the files, in their order.
  std::vector<std::uint32_t> groups = {};
  // Of a text instead of pixels and values: all symbols of the set, as classes. The sample of number n is the `context`
  // symbols from n on, each as `classes` values of which one is 1; its label is the symbol behind them.
  std::vector<std::uint8_t> symbols = {};
  int context = 0;
  std::size_t size() const { return labels.size(); }
  std::uint32_t number_of(std::uint32_t place) const { return numbers.empty() ? place : numbers[place]; }
};

struct DataSplit {
  Dataset train, test;
  std::size_t whole_test = 0;  // samples for testing, of which `test` may be those that evaluations use
};

// The samples of one step or one evaluation, as input of a network.
struct Batch {
  std::vector<float> inputs;  // size() x shape.size()
  std::vector<std::uint8_t> labels;
  std::size_t size() const { return labels.size(); }
};

// Reads or generates what `spec` asks for. What is generated depends on `seed`, and so does which samples of a file are
// used where fewer are asked for than it has: drawn from all of it, its classes in proportion, in its order. Throws
// InputError (damaged, short, mislabelled or absent file, too few samples), whose text names the file.
DataSplit load_data(const DataSpec& spec, std::uint64_t seed);

// Of what load_data would return, without reading all of it: for checking a scenario.
struct DataShape {
  Shape shape;
  int classes = 0;
  std::size_t bytes_of_value = 1;
  std::optional<std::int64_t> train = {}, test = {};  // samples in files of the user's own
  std::int64_t symbols = 0;                           // of a text, which are all kept, however few samples are used
  std::vector<std::string> notes = {};                // what is odd about labels, a line each
  DataSpec spec = {};  // of the user's own: as asked, what was left out as the files have it, and columns by number
};
DataShape data_shape(DataSource source);              // of one that is not the user's own
DataShape data_shape_in_files(const DataSpec& spec);  // of one that is; throws InputError

// Fills `batch` with the samples at `indices`, reusing its memory. With `crops`, each image is cropped as the next
// draw_crop of that stream says; the border's values are 0.
void gather(const Dataset& data, std::span<const std::uint32_t> indices, Batch& batch,
            std::optional<Stream> crops = std::nullopt);

// Divides the samples of `data` over `workers` shards as spec.partition says. No shard is empty, and but for
// `dealt` and `full` every sample goes to exactly one; depends only on the arguments, so that all systems start from
// the same shards. Except with dirichlet and column, sizes differ by at most one. `dealt` deals minibatches of
// batch_size samples instead of samples: shards differ by at most one minibatch, a rest of less than a minibatch goes
// to no shard, and unshuffled passes are of its minibatches in file order. With `full` every shard has every sample: in
// the order of the file, from a place of its own on, so that, unless there are more workers than samples, no two draw
// the same batches, even where passes are not shuffled. With `column`, worker k mod n gets the samples of the k-th
// value. Throws InputError where there is a partition_problem, or a worker without a value.
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

// The files that load_data would read, in its order; none for synthetic data. Throws InputError as it does.
std::vector<std::string> data_files(const DataSpec& spec);

}  // namespace ddl::data
