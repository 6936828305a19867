// Common parts of the readers of a user's own files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/classes.hpp"
#include "core/data/data_spec.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

using Fail = std::function<void(const std::string& why)>;  // throws InputError

// The shape of samples with these axes: none, values, height x width, or these and channels, first or last by
// `channels`. Without `channels`, the first axis is taken, unless the last one looks more like channels.
Shape shape_of_axes(std::span<const std::uint64_t> axes, std::optional<Channels> channels, const Fail& fail);

// Turns samples with their channels last into planes.
void make_planes(Dataset& data);

// All samples of some files. The test set may have no file.
struct WholeData {
  Dataset train;
  std::optional<Dataset> test;
  std::string where, test_where;  // the files, or their folder
};

// Holds out test samples if there are none, and keeps as many of both as asked for. Throws InputError.
DataSplit divided(WholeData whole, const DataSpec& spec, std::uint64_t seed);

// Number of samples held out of `samples`.
std::size_t held_out_of(std::size_t samples, const DataSpec& spec);

// Shifts and scales each channel by its mean and deviation over the training samples; a constant channel is only
// shifted.
void standardize(DataSplit& data);

}  // namespace ddl::data
