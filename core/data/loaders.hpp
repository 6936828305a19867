// The sources of data: called only by load_data and data_files, and what they share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/data/data_spec.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

// Generated images of ten glyphs; see synthetic.cpp. Sample i of a set depends on the seed and i alone, and the two
// sets are independent of each other.
DataSplit generate_synthetic(const DataSpec& spec, std::uint64_t seed);

// MNIST and Fashion-MNIST: four IDX files, plain or compressed with gzip. Throws InputError.
DataSplit read_idx(const DataSpec& spec);
std::vector<std::string> idx_files(const DataSpec& spec);

// CIFAR-10, binary version. Throws InputError.
DataSplit read_cifar_10(const DataSpec& spec);
std::vector<std::string> cifar_10_files(const DataSpec& spec);

// The folder spec.path, or an InputError saying what it should hold.
std::filesystem::path data_folder(const DataSpec& spec);

// How many of `available` samples to use: `wanted`, or all. Throws InputError when there are fewer than wanted. `key`
// is "train" or "test"; `where` names the file or folder.
std::size_t samples_used(const std::string& where, const char* key, const std::optional<std::int64_t>& wanted,
                         std::size_t available);

}  // namespace ddl::data
