#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"
#include "core/data/subset.hpp"

namespace ddl::data {
namespace {

void check_count(const char* key, const std::optional<std::int64_t>& count) {
  constexpr std::int64_t most = 10'000'000;
  if (count && (*count < 1 || *count > most)) {
    throw KeyError(key, std::to_string(*count) + " samples; expected 1 to " + std::to_string(most));
  }
}

DataSplit data_of(const DataSpec& spec, std::uint64_t seed) {
  switch (spec.source) {
    case DataSource::synthetic:
      return generate_synthetic(spec, seed);
    case DataSource::mnist:
    case DataSource::fashion_mnist:
    case DataSource::idx:
      return read_idx(spec, seed);
    case DataSource::cifar_10:
      return read_cifar_10(spec, seed);
    case DataSource::csv:
      return read_csv(spec, seed);
    case DataSource::npy:
      return read_npy(spec, seed);
    case DataSource::text:
      return read_text(spec, seed);
  }
  throw InternalError("unknown data source");
}

}  // namespace

DataSplit load_data(const DataSpec& spec, std::uint64_t seed) {
  check_count("train", spec.train);
  check_count("test", spec.test);
  DataSplit data = data_of(spec, seed);
  data.whole_test = data.test.size();
  if (spec.standardize) standardize(data);
  return data;
}

std::vector<std::string> data_files(const DataSpec& spec) {
  switch (spec.source) {
    case DataSource::synthetic:
      return {};
    case DataSource::mnist:
    case DataSource::fashion_mnist:
    case DataSource::idx:
      return idx_files(spec);
    case DataSource::cifar_10:
      return cifar_10_files(spec);
    case DataSource::csv:
      return csv_files(spec);
    case DataSource::npy:
      return npy_files(spec);
    case DataSource::text:
      return text_files(spec);
  }
  throw InternalError("unknown data source");
}

DataShape data_shape(DataSource source) {
  switch (source) {
    case DataSource::synthetic:
      return {{1, 12, 12}, 10};
    case DataSource::mnist:
    case DataSource::fashion_mnist:
      return {{1, 28, 28}, 10};
    case DataSource::cifar_10:
      return {{3, 32, 32}, 10};
    default:
      throw InternalError("a shape that is in the user's files");
  }
}

DataShape data_shape_in_files(const DataSpec& spec) {
  DataShape data = spec.source == DataSource::idx   ? idx_shape(spec)
                   : spec.source == DataSource::csv ? csv_shape(spec)
                   : spec.source == DataSource::npy ? npy_shape(spec)
                                                    : text_shape(spec);
  if (!data.test) {
    if (!spec.held_out) data.spec.held_out = share_held_out;
    data.test = static_cast<std::int64_t>(held_out_of(static_cast<std::size_t>(*data.train), spec));
    *data.train -= *data.test;
  }
  if (spec.train) data.train = spec.train;
  if (spec.test) data.test = spec.test;
  return data;
}

std::filesystem::path data_folder(const DataSpec& spec) {
  const std::string source(name_of(spec.source));
  if (spec.path.empty()) throw KeyError("path", "is missing; expected the folder of the " + source + " files");
  std::error_code error;
  if (!std::filesystem::is_directory(spec.path, error)) {
    throw InputError(spec.path + ": no such folder; expected the folder of the " + source + " files");
  }
  return spec.path;
}

std::optional<std::string> plain_or_gzipped(const std::filesystem::path& folder, const std::string& name) {
  for (const char* ending : {"", ".gz"}) {
    const auto file = folder / (name + ending);
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file.string();
  }
  return std::nullopt;
}

void use_samples(Dataset& data, const std::string& where, const SetAsked& asked) {
  if (!asked.samples) return;
  const auto count = static_cast<std::size_t>(*asked.samples);
  if (count > data.size()) {
    throw InputError(where + ": holds " + std::to_string(data.size()) + " samples; data." + asked.key + " asks for " +
                     std::to_string(count));
  }
  keep_subset(data, count, stream(asked.seed, "everybody", std::string("subset, ") + asked.key));
}

}  // namespace ddl::data
