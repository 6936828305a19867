// The sources of data: one function each, called only by load_data.
#pragma once

#include <cstdint>

#include "core/data/dataset.hpp"

namespace ddl::data {

// Generated images of ten glyphs; see synthetic.cpp. Sample i of a set depends on the seed and i alone, and the two
// sets are independent of each other.
DataSplit generate_synthetic(const DataSpec& spec, std::uint64_t seed);

// MNIST and Fashion-MNIST: four IDX files, plain or compressed with gzip. Throws InputError.
DataSplit read_idx(const DataSpec& spec);

// CIFAR-10, binary version. Throws InputError.
DataSplit read_cifar_10(const DataSpec& spec);

}  // namespace ddl::data
