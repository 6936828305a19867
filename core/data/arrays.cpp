// Arrays x_train, y_train and maybe x_test, y_test: members of an .npz file, or .npy files in a folder.
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

// An array, or only its header.
struct Array {
  std::string name;  // for errors
  NpyHeader header;
  std::vector<std::uint8_t> bytes;

  std::span<const std::uint8_t> values() const { return std::span(bytes).subspan(header.bytes); }
  double value(std::size_t i) const { return npy_value(header, values(), i); }
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

  // Throws InputError if it is missing.
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
    const std::uint64_t announced = array.header.count() * array.header.type.bytes;
    if (array.samples() == 0) array.fail("has no sample; expected at least one along its first axis");
    if (values && announced != array.values().size()) {
      array.fail("has " + std::to_string(array.values().size()) + " bytes of values; expected " +
                 std::to_string(announced) + ", as its header says");
    }
    if (values && array.header.fortran_order && array.header.axes.size() > 1) {
      std::ranges::copy(in_c_order(array.header, array.values()),
                        array.bytes.begin() + static_cast<std::ptrdiff_t>(array.header.bytes));
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

// One number for each sample, perhaps in an axis of its own.
template <class Number>
std::vector<Number> whole_numbers(const Array& y, std::uint64_t samples, const std::string& like, double least,
                                  double most) {
  if (y.samples() != samples || y.header.count() != samples) {
    y.fail("has " + std::to_string(y.header.count()) + " values; expected one for each of the " +
           counted(static_cast<std::int64_t>(samples), "sample") + " of " + like);
  }
  std::vector<Number> numbers(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double value = y.value(i);
    if (!(value >= least && value <= most) || value != std::floor(value)) {
      char text[32];
      std::snprintf(text, sizeof text, "%.9g", value);
      y.fail("value " + std::to_string(i) + " is " + text + "; expected whole numbers from " +
             std::to_string(static_cast<std::int64_t>(least)) + " to " +
             std::to_string(static_cast<std::int64_t>(most)));
    }
    numbers[i] = static_cast<Number>(value);
  }
  return numbers;
}

bool is_one_hot(const Array& y) { return y.header.axes.size() == 2 && y.header.axes[1] > 1; }

// The position of the 1 in each row.
std::vector<int> numbers_of_one_hot(const Array& y, std::uint64_t samples, const std::string& like) {
  const std::uint64_t width = y.header.axes[1];
  if (y.samples() != samples) {
    y.fail("has " + counted(static_cast<std::int64_t>(y.samples()), "row") + "; expected one for each of the " +
           counted(static_cast<std::int64_t>(samples), "sample") + " of " + like);
  }
  std::vector<int> numbers(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint64_t ones = 0, zeros = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const double value = y.value(i * width + j);
      ones += value == 1 ? 1 : 0;
      zeros += value == 0 ? 1 : 0;
      if (value == 1) numbers[i] = static_cast<int>(j);
    }
    if (ones != 1 || ones + zeros != width) {
      y.fail("row " + std::to_string(i) + " is not one-hot; expected a number for each sample, or a 1 among zeros");
    }
  }
  return numbers;
}

void read_features(const Array& x, Dataset& data) {
  const auto values = x.values();
  if (x.header.type.is_byte()) {
    data.pixels.assign(values.begin(), values.end());
  } else {
    data.values.resize(x.header.count());
    for (std::size_t i = 0; i < data.values.size(); ++i) {
      data.values[i] = static_cast<float>(x.value(i));
      if (std::isfinite(data.values[i])) continue;
      x.fail("value " + std::to_string(i % data.shape.size()) + " of sample " + std::to_string(i / data.shape.size()) +
             " is not finite, or beyond float32; expected numbers");
    }
  }
  const auto channels = unsigned_of(data.shape.channels);
  data.mean.assign(channels, 0);
  data.scale.assign(channels, data.values.empty() ? 1.0f / 255 : 1.0f);
}

struct ArrayLabels {
  NumberedLabels numbers;
  std::vector<std::string> notes;
};
// `known`: the training set's classes, when reading the test set.
ArrayLabels labels_of(const Array& y, std::uint64_t samples, const std::string& like,
                      const std::optional<NumberedClasses>& known) {
  ArrayLabels labels;
  if (is_one_hot(y)) {
    const auto width = static_cast<int>(std::min<std::uint64_t>(y.header.axes[1], most_classes_of_labels + 1));
    const NumberedClasses columns{.first = 0, .step = 1, .count = width};
    labels.numbers = numbered_labels(numbers_of_one_hot(y, samples, like), known.value_or(columns), y.name);
  } else {
    const std::vector<int> numbers = whole_numbers<int>(y, samples, like, -1, most_classes_of_labels);
    labels.numbers = numbered_labels(numbers, known, y.name);
  }
  if (!known) labels.notes = notes_on(classes_of(labels.numbers.names, labels.numbers.places), y.name);
  return labels;
}

// The arrays of one set.
struct ArraySet {
  Dataset data;
  NumberedClasses classes;
};
ArraySet read_set(ArrayFiles& files, const std::string& name, const DataSpec& spec, const ArraySet* train) {
  const Array x = files.read("x_" + name, true), y = files.read("y_" + name, true);
  Dataset data;
  data.shape = shape_of(x, spec);
  if (train != nullptr && data.shape != train->data.shape) {
    x.fail("has samples of another shape than x_train; expected the same");
  }
  const auto known = train != nullptr ? std::optional(train->classes) : std::nullopt;
  NumberedLabels labels = labels_of(y, x.samples(), "x_" + name, known).numbers;
  data.labels = std::move(labels.places);
  data.classes = labels.classes.count;
  data.class_names = std::move(labels.names);
  read_features(x, data);
  if (train != nullptr && data.values.empty() != train->data.values.empty()) {
    x.fail("has values of another type than x_train; expected both to be uint8, or none");
  }
  if (spec.channels == Channels::last) make_planes(data);
  return {std::move(data), labels.classes};
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
  ArraySet train = read_set(files, "train", spec, nullptr);
  if (const std::string groups = name_of_groups(spec); !groups.empty()) {
    std::vector<std::uint32_t>& places = train.data.groups;
    places = whole_numbers<std::uint32_t>(files.read(groups, true), train.data.size(), "x_train", 0, 4e9);
    std::vector<std::uint32_t> values = places;  // sorted below: groups become ranks among them
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    for (std::uint32_t& group : places) {
      group = static_cast<std::uint32_t>(std::ranges::lower_bound(values, group) - values.begin());
    }
  }
  std::optional<Dataset> test;
  if (files.has("x_test") || files.has("y_test")) test = read_set(files, "test", spec, &train).data;
  return divided({std::move(train.data), std::move(test), spec.path, spec.path}, spec, seed);
}

DataShape npy_shape(const DataSpec& spec) {
  ArrayFiles files(spec.path);
  const Array x = files.read("x_train", false), y = files.read("y_train", true);
  ArrayLabels labels = labels_of(y, x.samples(), "x_train", std::nullopt);
  DataShape data{shape_of(x, spec), labels.numbers.classes.count,
                 x.header.type.is_byte() ? sizeof(std::uint8_t) : sizeof(float)};
  data.notes = std::move(labels.notes);
  data.train = static_cast<std::int64_t>(x.samples());
  data.spec = spec;
  if (x.header.axes.size() == 4 && !spec.channels) data.spec.channels = Channels::first;
  if (files.has("x_test")) data.test = static_cast<std::int64_t>(files.read("x_test", false).samples());
  return data;
}

std::vector<std::string> npy_files(const DataSpec& spec) {
  std::vector<std::string> names = {"x_train", "y_train", "x_test", "y_test"};
  if (spec.column) names.push_back(name_of_groups(spec));
  return ArrayFiles(spec.path).files(names);
}

}  // namespace ddl::data
