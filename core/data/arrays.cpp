// Arrays x_train, y_train and maybe x_test, y_test: members of a file .npz, or files .npy of a folder.
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/files/npy.hpp"
#include "core/data/files/zip_file.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"

namespace ddl::data {
namespace {

constexpr std::uint64_t all_bytes = ~std::uint64_t{0}, most_array_bytes = std::uint64_t{16} << 30;

// An array, or of an array that is only looked at its header.
struct Array {
  std::string name;  // for errors
  NpyHeader header;
  std::vector<std::uint8_t> bytes;

  std::span<const std::uint8_t> values() const { return std::span(bytes).subspan(header.bytes); }
  std::uint64_t samples() const { return header.axes.empty() ? 0 : header.axes.front(); }
  [[noreturn]] void fail(const std::string& why) const { throw InputError(name + ": " + why); }
};

class ArrayFiles {
 public:
  explicit ArrayFiles(const std::string& path) : path_(path) {
    if (path.empty()) throw KeyError("path", "is missing; expected a file .npz, or a folder with files .npy");
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) zip_.emplace(path);
  }

  bool has(const std::string& name) const {
    return zip_ ? zip_->find(name + ".npy") != nullptr : file_of(name).has_value();
  }

  // Throws InputError where it is not there.
  Array read(const std::string& name, bool values) {
    if (!has(name)) throw InputError(path_ + ": has no array " + name + "; expected " + (zip_ ? "it" : name + ".npy"));
    Array array;
    const std::uint64_t most = values ? all_bytes : longest_npy_header;
    if (zip_) {
      array.name = path_ + ": " + name;
      array.bytes = zip_->read(*zip_->find(name + ".npy"), most);
    } else {
      array.name = *file_of(name);
      array.bytes = bytes_of(array.name, most);
    }
    const std::size_t looked_at = std::min(array.bytes.size(), longest_npy_header);
    array.header = npy_header(std::span(array.bytes).first(looked_at), array.name);
    const std::uint64_t announced = array.header.count() * array.header.bytes_of_value();
    if (array.samples() == 0) array.fail("has no sample; expected at least one along its first axis");
    if (values && announced != array.values().size()) {
      array.fail("has " + std::to_string(array.values().size()) + " bytes of values; expected " +
                 std::to_string(announced) + ", as its header says");
    }
    return array;
  }

  std::vector<std::string> files(const std::vector<std::string>& names) const {
    if (zip_) return {path_};
    std::vector<std::string> files;
    for (const std::string& name : names) {
      if (const auto file = file_of(name)) files.push_back(*file);
    }
    return files;
  }

 private:
  std::optional<std::string> file_of(const std::string& name) const { return plain_or_gzipped(path_, name + ".npy"); }
  static std::vector<std::uint8_t> bytes_of(const std::string& path, std::uint64_t most) {
    ByteFile file(path);
    std::vector<std::uint8_t> bytes;
    for (std::size_t got = 1, block = 1 << 16; got > 0 && bytes.size() < most;
         block = std::min(2 * block, std::size_t{1} << 26)) {
      const std::size_t before = bytes.size();
      bytes.resize(before + block);
      got = file.read_some(std::span(bytes).subspan(before));
      bytes.resize(before + got);
      if (bytes.size() > most_array_bytes) file.fail("holds more than 16 GiB; expected less");
    }
    return bytes;
  }

  const std::string path_;
  std::optional<ZipFile> zip_;
};

Shape shape_of(const Array& x, const DataSpec& spec) {
  return shape_of_axes(std::span(x.header.axes).subspan(1), spec.channels,
                       [&](const std::string& why) { x.fail(why); });
}

// Whole numbers from 0 up to `most`, one for each sample, perhaps in an axis of its own.
std::vector<std::uint32_t> whole_numbers(const Array& y, std::uint64_t samples, const std::string& like, double most) {
  if (y.samples() != samples || y.header.count() != samples) {
    y.fail("has " + std::to_string(y.header.count()) + " values; expected one for each of the " +
           counted(static_cast<std::int64_t>(samples), "sample") + " of " + like);
  }
  std::vector<std::uint32_t> numbers(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double value = npy_value(y.header, y.values(), i);
    if (!(value >= 0 && value <= most) || value != std::floor(value)) {
      char text[32];
      std::snprintf(text, sizeof text, "%.9g", value);
      y.fail("value " + std::to_string(i) + " is " + text + "; expected whole numbers from 0 to " +
             std::to_string(static_cast<std::int64_t>(most)));
    }
    numbers[i] = static_cast<std::uint32_t>(value);
  }
  return numbers;
}

// One more than the largest label.
std::size_t classes_of(const Array& y, const std::vector<std::uint32_t>& labels) {
  const std::size_t classes = std::ranges::max(labels) + std::size_t{1};
  check_classes(classes, [&](const std::string& why) { y.fail(why); });
  return classes;
}

void read_features(const Array& x, Dataset& data) {
  const auto values = x.values();
  if (x.header.type == NpyType::uint8) {
    data.pixels.assign(values.begin(), values.end());
  } else {
    data.values.resize(x.header.count());
    for (std::size_t i = 0; i < data.values.size(); ++i) {
      data.values[i] = static_cast<float>(npy_value(x.header, values, i));
      if (std::isfinite(data.values[i])) continue;
      x.fail("value " + std::to_string(i % data.shape.size()) + " of sample " + std::to_string(i / data.shape.size()) +
             " is not finite, or beyond float32; expected numbers");
    }
  }
  const auto channels = unsigned_of(data.shape.channels);
  data.mean.assign(channels, 0);
  data.scale.assign(channels, data.values.empty() ? 1.0f / 255 : 1.0f);
}

// The arrays of one set; `train` is the training set where this is the other.
Dataset read_set(ArrayFiles& files, const std::string& set, const DataSpec& spec, const Dataset* train) {
  const Array x = files.read("x_" + set, true), y = files.read("y_" + set, true);
  Dataset data;
  data.shape = shape_of(x, spec);
  if (train != nullptr && data.shape != train->shape) {
    x.fail("has samples of another shape than x_train; expected the same");
  }
  const double most = train != nullptr ? train->classes - 1 : most_classes_of_labels - 1;
  const std::vector<std::uint32_t> labels = whole_numbers(y, x.samples(), "x_" + set, most);
  data.labels.assign(labels.begin(), labels.end());
  data.classes = train != nullptr ? train->classes : static_cast<int>(classes_of(y, labels));
  read_features(x, data);
  if (train != nullptr && data.values.empty() != train->values.empty()) {
    x.fail("has values of another type than x_train; expected both to be uint8, or none");
  }
  if (spec.channels == Channels::last) make_planes(data);
  return data;
}

std::string name_of_groups(const DataSpec& spec) {
  if (!spec.column) return "";
  const auto* name = std::get_if<std::string>(&spec.column->is);
  if (name == nullptr) throw KeyError("column", "is a number; expected the name of an array");
  return *name;
}

}  // namespace

DataSplit read_npy(const DataSpec& spec, std::uint64_t seed) {
  ArrayFiles files(spec.path);
  WholeData whole{read_set(files, "train", spec, nullptr), {}, spec.path, spec.path};
  if (const std::string groups = name_of_groups(spec); !groups.empty()) {
    whole.train.groups = whole_numbers(files.read(groups, true), whole.train.size(), "x_train", 4e9);
    std::vector<std::uint32_t> values = whole.train.groups;  // whose places in their order count
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    for (std::uint32_t& group : whole.train.groups) {
      group = static_cast<std::uint32_t>(std::ranges::lower_bound(values, group) - values.begin());
    }
  }
  if (files.has("x_test") || files.has("y_test")) whole.test = read_set(files, "test", spec, &whole.train);
  return divided(std::move(whole), spec, seed);
}

DataShape npy_shape(const DataSpec& spec) {
  ArrayFiles files(spec.path);
  const Array x = files.read("x_train", false), y = files.read("y_train", true);
  const auto labels = whole_numbers(y, x.samples(), "x_train", most_classes_of_labels - 1);
  DataShape data{shape_of(x, spec), static_cast<int>(classes_of(y, labels)),
                 x.header.type == NpyType::uint8 ? sizeof(std::uint8_t) : sizeof(float)};
  data.train = static_cast<std::int64_t>(x.samples());
  if (files.has("x_test")) data.test = static_cast<std::int64_t>(files.read("x_test", false).samples());
  return data;
}

std::vector<std::string> npy_files(const DataSpec& spec) {
  std::vector<std::string> names = {"x_train", "y_train", "x_test", "y_test"};
  if (spec.column) names.push_back(name_of_groups(spec));
  return ArrayFiles(spec.path).files(names);
}

}  // namespace ddl::data
