// CIFAR-10, binary version (Krizhevsky, 2009): records of a label byte and the red, green and blue planes of 32 x 32.
#include <algorithm>
#include <array>

#include "core/base/check.hpp"
#include "core/base/natural_order.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/loaders.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t image_bytes = 3072;
constexpr std::size_t record_bytes = 1 + image_bytes;

// Channel means and deviations of the 50,000 training images. Constants, not computed from the loaded images, so that
// an image is normalised alike for any part of the set.
constexpr std::array<float, 3> channel_mean = {125.3f, 123.0f, 113.9f};
constexpr std::array<float, 3> channel_deviation = {63.0f, 62.1f, 66.7f};

// The digits of the number in data_batch_<number>.bin or data_batch_<number>.bin.gz; empty for other names.
std::string batch_number(std::string_view name) {
  constexpr std::string_view head = "data_batch_", compressed = ".gz", tail = ".bin";
  if (name.ends_with(compressed)) name.remove_suffix(compressed.size());
  if (name.size() <= head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return "";
  const std::string digits(name.substr(head.size(), name.size() - head.size() - tail.size()));
  return digits.find_first_not_of("0123456789") == std::string::npos ? digits : "";
}

std::string batch_name(const std::string& number) { return "data_batch_" + number + ".bin"; }

std::string test_file(const std::filesystem::path& folder) {
  const std::string name = "test_batch.bin";
  if (const auto file = plain_or_gzipped(folder, name)) return *file;
  throw InputError(folder.string() + ": " + name + " is missing; expected it, plain or with .gz");
}

// The training files in natural order, 2 before 10: batch 1 (or 0) and all after it.
std::vector<std::string> training_files(const std::filesystem::path& folder) {
  std::vector<std::string> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string number = batch_number(entry->path().filename().string());
    if (!number.empty()) numbers.push_back(std::move(number));
  }
  if (error) throw InputError(folder.string() + ": cannot be listed; " + error.message());
  if (numbers.empty()) {
    throw InputError(folder.string() + ": has no data_batch_*.bin; expected at least one, plain or with .gz");
  }
  std::ranges::sort(numbers, natural_less);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());  // plain and compressed
  std::vector<std::string> files;
  std::int64_t next = numbers.front() == "0" ? 0 : 1;
  for (const std::string& number : numbers) {
    const auto file = plain_or_gzipped(folder, batch_name(number));
    if (number != std::to_string(next) || !file) {
      throw InputError(folder.string() + ": " + batch_name(std::to_string(next)) +
                       " is missing; expected all batches up to " + batch_name(numbers.back()) + ", plain or with .gz");
    }
    files.push_back(*file);
    ++next;
  }
  return files;
}

// Appends all records of a file, even those that will not be used, so that all damage is found.
void append(const std::string& path, Dataset& data) {
  ByteFile file(path);
  std::array<std::uint8_t, record_bytes> record{};
  std::size_t records = 0, rest = 0;
  for (; (rest = file.read_some(record)) == record_bytes; ++records) {
    if (record[0] >= data.classes) {
      file.fail("label of record " + std::to_string(records) + " is " + std::to_string(record[0]) + "; expected 0 to " +
                std::to_string(data.classes - 1));
    }
    data.labels.push_back(record[0]);
    data.pixels.insert(data.pixels.end(), record.begin() + 1, record.end());
  }
  if (records == 0 || rest > 0) {
    file.fail("has " + std::to_string(records * record_bytes + rest) + " bytes; expected a multiple of " +
              std::to_string(record_bytes) + ", one record per image");
  }
}

Dataset read_set(const std::string& where, const std::vector<std::string>& paths, const SetAsked& asked) {
  const DataShape expected = data_shape(DataSource::cifar_10);
  Dataset data;
  data.shape = expected.shape;
  data.classes = expected.classes;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    data.mean.push_back(channel_mean[channel]);
    data.scale.push_back(1 / channel_deviation[channel]);
  }
  std::uintmax_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) bytes += size;
  }
  data.pixels.reserve(bytes);
  for (const std::string& path : paths) append(path, data);
  use_samples(data, where, asked);
  return data;
}

}  // namespace

DataSplit read_cifar_10(const DataSpec& spec, std::uint64_t seed) {
  const auto folder = data_folder(spec);
  const std::vector<std::string> training = training_files(folder);
  const std::string test = test_file(folder);
  return {read_set(folder.string(), training, {"train", spec.train, seed}),
          read_set(test, {test}, {"test", spec.test, seed})};
}

std::vector<std::string> cifar_10_files(const DataSpec& spec) {
  const auto folder = data_folder(spec);
  std::vector<std::string> files = training_files(folder);
  files.push_back(test_file(folder));
  return files;
}

}  // namespace ddl::data
