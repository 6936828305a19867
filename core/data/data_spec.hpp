// The data set, the samples used, and their partition over the workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/fields.hpp"

namespace ddl::data {

// The last four have the user's own shape and classes, given by their files.
enum class DataSource { synthetic, mnist, fashion_mnist, cifar_10, idx, csv, npy, text };
constexpr auto enum_names(DataSource) {
  using enum DataSource;
  return std::to_array<EnumName<DataSource>>(
      {{synthetic, "synthetic"},
       {mnist, "mnist"},
       {fashion_mnist, "fashion-mnist"},
       {cifar_10, "cifar-10"},
       {idx, "idx", "samples of one's own, of any shape and classes: IDX files in data.path, named as those of mnist"},
       {csv, "csv", "samples of one's own: a line each of the table data.path, a column for the class"},
       {npy, "npy", "samples of one's own: NumPy's arrays x_train, y_train, x_test, y_test in data.path"},
       {text, "text", "a text of one's own: samples are data.context symbols, and the next one is their class"}});
}
constexpr bool is_own(DataSource source) {
  return source == DataSource::idx || source == DataSource::csv || source == DataSource::npy ||
         source == DataSource::text;
}

// sequential: a run of the file to each worker. dealt: whole minibatches in turn, in file order if passes are not
// shuffled (TF.AKO). full: all to each. column: samples with the same value in a column stay together. document: those
// that begin in the same document of a text do.
enum class PartitionKind { iid, sequential, dealt, by_label, dirichlet, full, column, document };
constexpr auto enum_names(PartitionKind) {
  return in_order<PartitionKind>("iid", "sequential", "dealt", "by_label", "dirichlet", "full", "column", "document");
}

// crop_flip: a training image is cropped and flipped at random each time it is drawn, see augment.hpp.
enum class Augment { none, crop_flip };
constexpr auto enum_names(Augment) { return in_order<Augment>("none", "crop_flip"); }

// The channel axis of a sample of three axes: channels x height x width (PyTorch), or height x width x channels.
enum class Channels { first, last };
constexpr auto enum_names(Channels) { return in_order<Channels>("first", "last"); }

// A column of a table: its name, or its number from 1.
struct Column {
  std::variant<std::string, int> is;
};
inline FieldValue form_of(Column& column) {
  return either(column.is, "is no column", "expected a column's name, or its number from 1");
}

// Default numbers of synthetic samples.
constexpr std::int64_t synthetic_training_samples = 8000, synthetic_test_samples = 1000;

// Default share held out for testing, if the files have no test samples.
constexpr double share_held_out = 0.2;

// Default number of a text's symbols seen before the next one.
constexpr int symbols_of_context = 16;

struct DataSpec {
  DataSource source = DataSource::synthetic;
  std::string path;                   // folder of the files, or the file; empty for synthetic
  std::optional<std::int64_t> train;  // samples used, drawn by the seed; default: all there are (synthetic: 8000)
  std::optional<std::int64_t> test;   // likewise (synthetic: 1000)
  PartitionKind partition = PartitionKind::iid;
  double alpha = 0.5;   // concentration of the Dirichlet partition
  bool shuffle = true;  // a new order in each pass over a worker's samples
  Augment augment = Augment::none;
  std::string test_path = {};             // csv: the file of the test samples
  std::optional<double> held_out = {};    // share of the samples held out for testing if there are no others
  std::optional<Column> label = {};       // csv; default: the last one
  std::optional<bool> header = {};        // csv; default: true if the first line has no number
  std::vector<Column> ignore = {};        // csv: columns that are no features
  std::optional<Column> column = {};      // csv, npy: the column that the partition goes by
  std::optional<Channels> channels = {};  // idx, npy; default: first, unless the shape suggests last
  std::optional<int> context = {};        // text: symbols per sample; default: 16
  bool standardize = false;
  bool by_position = false;  // text: see Dataset::by_position; what the model reads, no setting
};

template <class Visitor>
void fields(Visitor& visit, DataSpec& spec) {
  visit("source", spec.source, Rule{.doc = "data set"});
  visit("path", spec.path,
        Rule{.doc =
                 "folder that holds its files, relative to the scenario; csv: the file; npy: a file .npz, or a folder, "
                 "with x_train, y_train and maybe x_test, y_test; text: the file, or a folder with input.txt",
             .is_setting = false});
  visit("test_path", spec.test_path,
        Rule{.doc = "csv: the file of the test samples, with the same columns", .is_setting = false});
  visit("held_out", spec.held_out,
        Rule{.doc = "where the files have no test samples: share of the samples that is kept for testing, drawn by the "
                    "seed, classes in proportion; default: 0.2",
             .above = 0,
             .below = 1});
  visit("label", spec.label,
        Rule{.doc = "csv: the column of the class, its name or its number from 1; default: the last", .at_least = 1});
  visit(
      "header", spec.header,
      Rule{.doc = "csv: whether the first line has the columns' names; default: true, where none of them is a number"});
  visit("ignore", spec.ignore,
        Rule{.doc = "csv: columns that are no features, such as a number of the row", .at_least = 1});
  visit("channels", spec.channels,
        Rule{.doc = "idx, npy: where samples have three axes, which of them is the channels; default: the first"});
  visit("context", spec.context,
        Rule{.doc = "text: symbols of a sample, after which the next one is its class; default: 16, or the model's",
             .at_least = 1,
             .at_most = 4096});
  visit("standardize", spec.standardize,
        Rule{.doc = "each feature, or each channel of images, is moved and scaled to mean 0 and deviation 1 over the "
                    "training samples that are used"});
  visit("train", spec.train,
        Rule{.doc = "training samples used: drawn by the seed from all of the files', classes in proportion; of "
                    "synthetic data so many are generated",
             .at_least = 1,
             .at_most = 1e7});
  visit("test", spec.test, Rule{.doc = "test samples used, likewise", .at_least = 1, .at_most = 1e7});
  visit("partition", spec.partition,
        Rule{.doc =
                 "how training samples are divided over workers; dealt: minibatches in turn, in file order where "
                 "passes are not shuffled; full: each has all, in an order of its own; column: values of a column "
                 "are dealt in their order, and all samples of a value go to one worker; "
                 "document: a text's documents, which a blank line parts, are dealt at random, and a sample belongs to "
                 "that in which it begins"});
  visit(
      "column", spec.column,
      Rule{.doc = "with partition column: whose samples each is, such as a client or a site; csv: a column, by name or "
                  "number, which is no feature then; npy: an array",
           .at_least = 1});
  visit("alpha", spec.alpha,
        Rule{.doc = "concentration of the dirichlet partition; small is uneven", .above = 0, .at_most = 1e6});
  visit("shuffle", spec.shuffle, Rule{.doc = "a new order in each pass over a worker's samples"});
  visit(
      "augment", spec.augment,
      Rule{.doc = "crop_flip: each time a training image is drawn, it is moved by up to 4 pixels each way, with black "
                  "ones behind it, and flipped in half of all cases"});
  visit.relation("test_path, label, header, ignore", Relation::needs, "source=csv");
  visit.relation("held_out, column", Relation::needs, "source=csv|npy");
  visit.relation("channels", Relation::needs, "source=idx|npy");
  visit.relation("context", Relation::needs, "source=text");
  visit.relation("standardize", Relation::excludes, "source=text");  // one value of it is 1, the others are 0
  visit.relation("path", Relation::excludes, "source=synthetic");
  visit.relation("held_out", Relation::excludes, "test_path");
  visit.relation("column", Relation::needed_with, "partition=column");
}

}  // namespace ddl::data
