// The sources of data, for load_data and data_files only, and their common helpers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/data/data_spec.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

// Generated images of ten glyphs; see synthetic.cpp. Sample i of a set depends only on the seed and i, and the two sets
// are independent of each other.
DataSplit generate_synthetic(const DataSpec& spec, std::uint64_t seed);

// MNIST, Fashion-MNIST and other sets in that format: four IDX files, plain or compressed with gzip. `seed` draws the
// samples that are used. Throws InputError.
DataSplit read_idx(const DataSpec& spec, std::uint64_t seed);
DataShape idx_shape(const DataSpec& spec);
std::vector<std::string> idx_files(const DataSpec& spec);

// The user's own tables, arrays and texts. `seed` and errors as above.
DataSplit read_csv(const DataSpec& spec, std::uint64_t seed);
DataShape csv_shape(const DataSpec& spec);
std::vector<std::string> csv_files(const DataSpec& spec);
DataSplit read_npy(const DataSpec& spec, std::uint64_t seed);
DataShape npy_shape(const DataSpec& spec);
std::vector<std::string> npy_files(const DataSpec& spec);

DataSplit read_text(const DataSpec& spec, std::uint64_t seed);
DataShape text_shape(const DataSpec& spec);
std::vector<std::string> text_files(const DataSpec& spec);

// CIFAR-10, binary version: batches from 1 (or 0) on and the test batch, plain or compressed with gzip. `seed` and
// errors as above.
DataSplit read_cifar_10(const DataSpec& spec, std::uint64_t seed);
std::vector<std::string> cifar_10_files(const DataSpec& spec);

// The folder spec.path, or an InputError saying what it should contain.
std::filesystem::path data_folder(const DataSpec& spec);

// The file of that name, or else its compressed form, NAME.gz; nothing if neither exists.
std::optional<std::string> plain_or_gzipped(const std::filesystem::path& folder, const std::string& name);

// The set that a file belongs to, and the number of samples used.
struct SetAsked {
  const char* key;  // "train" or "test"
  std::optional<std::int64_t> samples;
  std::uint64_t seed;
};
// Keeps as many samples as asked for, drawn. Throws InputError if `data` has fewer; `where` names the file or folder.
void use_samples(Dataset& data, const std::string& where, const SetAsked& asked);

}  // namespace ddl::data
