// CIFAR-10, binary version (Krizhevsky, 2009): records of a label byte and the red, green and blue planes of 32 x 32.
#include <algorithm>
#include <array>

#include "core/base/check.hpp"
#include "core/data/byte_file.hpp"
#include "core/data/loaders.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t image_bytes = 3072;
constexpr std::size_t record_bytes = 1 + image_bytes;

// Channel means and deviations of the 50,000 training images. Constants, not computed from the loaded images, so that
// an image is normalised in the same way whatever part of the set is used.
constexpr std::array<float, 3> channel_mean = {125.3f, 123.0f, 113.9f};
constexpr std::array<float, 3> channel_deviation = {63.0f, 62.1f, 66.7f};

// The digits of data_batch_<digits>.bin, or nothing.
std::string batch_number(const std::string& name) {
  constexpr std::string_view head = "data_batch_";
  constexpr std::string_view tail = ".bin";
  if (name.size() <= head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return "";
  const std::string digits = name.substr(head.size(), name.size() - head.size() - tail.size());
  return digits.find_first_not_of("0123456789") == std::string::npos ? digits : "";
}

// The training files in natural order: 2 before 10.
std::vector<std::string> training_files(const std::filesystem::path& folder) {
  std::vector<std::pair<std::string, std::string>> found;  // number, path
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string number = batch_number(entry->path().filename().string());
    if (!number.empty()) found.emplace_back(number, entry->path().string());
  }
  if (error) throw InputError(folder.string() + ": cannot be listed; " + error.message());
  if (found.empty()) throw InputError(folder.string() + ": has no data_batch_*.bin; expected at least one");
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    if (a.first.size() != b.first.size()) return a.first.size() < b.first.size();
    return a.first < b.first;
  });
  std::vector<std::string> files;
  for (auto& [number, path] : found) files.push_back(std::move(path));
  return files;
}

std::string test_file(const std::filesystem::path& folder) { return (folder / "test_batch.bin").string(); }

std::size_t count_records(const std::string& path, const ByteFile& file) {
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  if (error) file.fail("its size cannot be read");
  if (bytes == 0 || bytes % record_bytes != 0) {
    file.fail("has " + std::to_string(bytes) + " bytes; expected a multiple of " + std::to_string(record_bytes) +
              ", one record per image");
  }
  return static_cast<std::size_t>(bytes / record_bytes);
}

// Appends records until `data` has `used` of them; the remaining ones are only checked.
void append(ByteFile& file, std::size_t records, std::size_t used, Dataset& data) {
  std::array<std::uint8_t, record_bytes> record{};
  for (std::size_t i = 0; i < records; ++i) {
    file.read(record, "records");
    if (record[0] >= data.classes) {
      file.fail("label of record " + std::to_string(i) + " is " + std::to_string(record[0]) + "; expected 0 to " +
                std::to_string(data.classes - 1));
    }
    if (data.labels.size() == used) continue;
    data.labels.push_back(record[0]);
    data.pixels.insert(data.pixels.end(), record.begin() + 1, record.end());
  }
  file.expect_end("records");
}

Dataset read_set(const std::string& where, const std::vector<std::string>& paths, const char* key,
                 const std::optional<std::int64_t>& wanted) {
  const DataShape expected = data_shape(DataSource::cifar_10);
  Dataset data;
  data.shape = expected.shape;
  data.classes = expected.classes;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    data.mean.push_back(channel_mean[channel]);
    data.scale.push_back(1 / channel_deviation[channel]);
  }
  std::vector<ByteFile> files;
  std::vector<std::size_t> records;
  std::size_t available = 0;
  for (const std::string& path : paths) {
    files.emplace_back(path);
    records.push_back(count_records(path, files.back()));
    available += records.back();
  }
  const std::size_t used = samples_used(where, key, wanted, available);
  data.labels.reserve(used);
  data.pixels.reserve(used * image_bytes);
  for (std::size_t i = 0; i < files.size(); ++i) append(files[i], records[i], used, data);
  return data;
}

}  // namespace

DataSplit read_cifar_10(const DataSpec& spec) {
  const auto folder = data_folder(spec);
  const std::string test = test_file(folder);
  return {read_set(folder.string(), training_files(folder), "train", spec.train),
          read_set(test, {test}, "test", spec.test)};
}

std::vector<std::string> cifar_10_files(const DataSpec& spec) {
  const auto folder = data_folder(spec);
  std::vector<std::string> files = training_files(folder);
  files.push_back(test_file(folder));
  return files;
}

}  // namespace ddl::data
