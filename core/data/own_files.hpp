// What the readers of a user's own files share.
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

// The shape of samples with these axes: none, values, height x width, or these and channels, which `channels` says to
// be first or last. Where it does not, they are the first axis, unless the last one looks more like them.
Shape shape_of_axes(std::span<const std::uint64_t> axes, std::optional<Channels> channels, const Fail& fail);

// Samples whose channels came last become planes.
void make_planes(Dataset& data);

// All samples of some files. Those for testing may have no file.
struct WholeData {
  Dataset train;
  std::optional<Dataset> test;
  std::string where, test_where;  // the files, or their folder
};

// Takes samples for testing out of the others where there are none, and leaves of both as many as are asked for. Throws
// InputError.
DataSplit divided(WholeData whole, const DataSpec& spec, std::uint64_t seed);

// How many are taken out of `samples`.
std::size_t held_out_of(std::size_t samples, const DataSpec& spec);

// Moves and scales each channel by its mean and deviation over the training samples; one that is constant is moved.
void standardize(DataSplit& data);

}  // namespace ddl::data
