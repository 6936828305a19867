// Which data set is used, how much of it, and how it is partitioned over the workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/fields.hpp"

namespace ddl::data {

enum class DataSource { synthetic, mnist, fashion_mnist, cifar_10 };
constexpr auto enum_names(DataSource) {
  return in_order<DataSource>("synthetic", "mnist", "fashion-mnist", "cifar-10");
}

// sequential: a run of the file to each worker. dealt: whole minibatches in turn, in file order where passes are not
// shuffled (TF.AKO). full: all to each.
enum class PartitionKind { iid, sequential, dealt, by_label, dirichlet, full };
constexpr auto enum_names(PartitionKind) {
  return in_order<PartitionKind>("iid", "sequential", "dealt", "by_label", "dirichlet", "full");
}

// crop_flip: a training image is cropped and flipped at random each time it is drawn, as augment.hpp says.
enum class Augment { none, crop_flip };
constexpr auto enum_names(Augment) { return in_order<Augment>("none", "crop_flip"); }

// Defaults of the numbers of synthetic samples.
constexpr std::int64_t synthetic_training_samples = 8000, synthetic_test_samples = 1000;

struct DataSpec {
  DataSource source = DataSource::synthetic;
  std::string path;                   // folder of the files; empty for synthetic
  std::optional<std::int64_t> train;  // samples used, drawn by the seed; default: all there are (synthetic: 8000)
  std::optional<std::int64_t> test;   // likewise (synthetic: 1000)
  PartitionKind partition = PartitionKind::iid;
  double alpha = 0.5;   // concentration of the Dirichlet partition
  bool shuffle = true;  // a new order in each pass over a worker's samples
  Augment augment = Augment::none;
};

template <class Visitor>
void fields(Visitor& visit, DataSpec& spec) {
  visit("source", spec.source, Rule{.doc = "data set"});
  visit("path", spec.path, Rule{.doc = "folder that holds its files, relative to the scenario"});
  visit("train", spec.train,
        Rule{.doc = "training samples used: drawn by the seed from all of the files', classes in proportion; of "
                    "synthetic data so many are generated",
             .at_least = 1,
             .at_most = 1e7});
  visit("test", spec.test, Rule{.doc = "test samples used, likewise", .at_least = 1, .at_most = 1e7});
  visit("partition", spec.partition,
        Rule{.doc = "how training samples are divided over workers; dealt: minibatches in turn, in file order where "
                    "passes are not shuffled; full: each has all, in an order of its own"});
  visit("alpha", spec.alpha,
        Rule{.doc = "concentration of the dirichlet partition; small is uneven", .above = 0, .at_most = 1e6});
  visit("shuffle", spec.shuffle, Rule{.doc = "a new order in each pass over a worker's samples"});
  visit(
      "augment", spec.augment,
      Rule{.doc = "crop_flip: each time a training image is drawn, it is moved by up to 4 pixels each way, with black "
                  "ones behind it, and flipped in half of all cases"});
}

}  // namespace ddl::data
