// The IDX files of MNIST (LeCun, Cortes, Burges, 1998) and Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017), and others in
// this format. All numbers of the header are big-endian: a magic number, the count, and for images their height and
// width; bytes follow.
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "core/base/check.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"

namespace ddl::data {
namespace {

// The magic number of unsigned bytes with `axes` axes.
constexpr std::uint32_t magic_of(std::uint32_t axes) { return 0x00000800 + axes; }
constexpr std::uint32_t image_axes = 3, label_magic = magic_of(1);

// File name stems of the two sets.
constexpr const char *training_stem = "train", *test_stem = "t10k";

// The file as published, or with a dot before `idx`, as some unpackers write it; plain files before compressed ones.
std::string find_file(const std::filesystem::path& folder, const std::string& stem, const std::string& kind) {
  for (const char* joint : {"-", "."}) {
    if (const auto file = plain_or_gzipped(folder, stem + joint + kind)) return *file;
  }
  throw InputError(folder.string() + ": has no file " + stem + "-" + kind + "; expected it, plain or with .gz");
}

std::uint32_t read_number(ByteFile& file) {
  std::array<std::uint8_t, 4> bytes{};
  file.read(bytes, "header");
  std::uint32_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

std::string hex(std::uint32_t value) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

void expect_magic(ByteFile& file, std::uint32_t magic, const char* what) {
  const std::uint32_t found = read_number(file);
  if (found != magic) {
    file.fail("starts with " + hex(found) + "; expected " + hex(magic) + ", an IDX file of " + what);
  }
}

std::size_t read_count(ByteFile& file) {
  const std::uint32_t count = read_number(file);
  if (count == 0) file.fail("announces 0 samples; expected at least 1");
  return count;
}

// Rejects a count that the file cannot hold, before memory is allocated for it.
void expect_room(ByteFile& file, std::size_t count, std::size_t item_bytes, std::size_t header_bytes) {
  const std::uint64_t needed = header_bytes + static_cast<std::uint64_t>(count) * item_bytes;
  if (needed > file.most_bytes()) {
    file.fail("is short: announces " + std::to_string(count) + " samples, which take " + std::to_string(needed) +
              " bytes; it holds at most " + std::to_string(file.most_bytes()));
  }
}

struct SetFiles {
  std::string images, labels;
  std::uint32_t axes = image_axes;
};
SetFiles files_of(const DataSpec& spec, const std::string& stem) {
  const auto folder = data_folder(spec);
  SetFiles files{.images = {}, .labels = find_file(folder, stem + "-labels", "idx1-ubyte")};
  for (const std::uint32_t axes : {2u, 4u}) {
    const std::string name = stem + "-images-idx" + std::to_string(axes) + "-ubyte";
    if (const auto file = plain_or_gzipped(folder, name); file && is_own(spec.source))
      return {*file, files.labels, axes};
  }
  files.images = find_file(folder, stem + "-images", "idx3-ubyte");
  return files;
}

// The shape in the header, for the user's own files.
Shape shape_announced(ByteFile& images, std::uint32_t axes, const DataSpec& spec) {
  std::vector<std::uint64_t> sides;
  for (std::uint32_t axis = 1; axis < axes; ++axis) sides.push_back(read_number(images));
  return shape_of_axes(sides, spec.channels, [&](const std::string& why) { images.fail(why); });
}

void expect_sides(ByteFile& images, Shape shape) {
  const std::uint32_t height = read_number(images);
  const std::uint32_t width = read_number(images);
  if (height != static_cast<std::uint32_t>(shape.height) || width != static_cast<std::uint32_t>(shape.width)) {
    images.fail("has images of " + std::to_string(height) + " x " + std::to_string(width) + "; expected " +
                std::to_string(shape.height) + " x " + std::to_string(shape.width));
  }
}

std::vector<int> read_labels(const std::string& path, std::size_t count) {
  ByteFile file(path);
  expect_magic(file, label_magic, "labels");
  const std::size_t label_count = read_count(file);
  if (label_count != count) {
    file.fail("announces " + std::to_string(label_count) + " labels; expected " + std::to_string(count) +
              ", as many as images");
  }
  expect_room(file, count, 1, 8);
  std::vector<std::uint8_t> labels(count);
  file.read(labels, "labels");
  file.expect_end("labels");
  return {labels.begin(), labels.end()};
}

struct IdxSet {
  Dataset data;
  NumberedClasses classes;
};
// `expected`: empty for a user's own training set, whose files give shape and classes.
struct Expected {
  Shape shape;
  NumberedClasses classes;
};
IdxSet read_set(const DataSpec& spec, const std::string& stem, const std::optional<Expected>& expected) {
  const auto [image_path, label_path, axes] = files_of(spec, stem);
  Dataset data;
  data.mean = {0};
  data.scale = {1.0f / 255};

  ByteFile images(image_path);
  expect_magic(images, magic_of(axes), "images");
  const std::size_t count = read_count(images);
  if (expected && !is_own(spec.source)) {
    data.shape = expected->shape;
    expect_sides(images, data.shape);
  } else {
    data.shape = shape_announced(images, axes, spec);
    data.mean.assign(unsigned_of(data.shape.channels), data.mean[0]);
    data.scale.assign(unsigned_of(data.shape.channels), data.scale[0]);
    if (expected && data.shape != expected->shape) {
      images.fail("has samples of another shape than those for training; expected the same");
    }
  }
  expect_room(images, count, data.shape.size(), 4 + 4 * axes);

  // Reads both files to their end, so that all damage is found, even in unused parts.
  const auto known = expected ? std::optional(expected->classes) : std::nullopt;
  NumberedLabels labels = numbered_labels(read_labels(label_path, count), known, label_path);
  data.classes = labels.classes.count;
  data.class_names = std::move(labels.names);
  data.labels = std::move(labels.places);
  if (!expected) notes_on(classes_of(data), label_path);
  data.pixels.resize(count * data.shape.size());
  images.read(data.pixels, "images");
  images.expect_end("images");
  if (spec.channels == Channels::last) make_planes(data);
  return {std::move(data), labels.classes};
}

}  // namespace

DataSplit read_idx(const DataSpec& spec, std::uint64_t seed) {
  std::optional<Expected> expected;
  if (!is_own(spec.source)) {
    const DataShape published = data_shape(spec.source);
    expected = {published.shape, {.first = 0, .step = 1, .count = published.classes}};
  }
  IdxSet train = read_set(spec, training_stem, expected);
  Dataset test = read_set(spec, test_stem, Expected{train.data.shape, train.classes}).data;
  const std::string where = files_of(spec, training_stem).images, test_where = files_of(spec, test_stem).images;
  return divided({std::move(train.data), std::move(test), where, test_where}, spec, seed);
}

DataShape idx_shape(const DataSpec& spec) {
  const auto count_of = [](ByteFile& images, std::uint32_t axes) {
    expect_magic(images, magic_of(axes), "images");
    return read_count(images);
  };
  const SetFiles train = files_of(spec, training_stem), test = files_of(spec, test_stem);
  ByteFile images(train.images), test_images(test.images);
  const std::size_t count = count_of(images, train.axes);
  DataShape data{shape_announced(images, train.axes, spec)};
  data.spec = spec;
  if (train.axes == 4 && !spec.channels) data.spec.channels = Channels::first;
  expect_room(images, count, data.shape.size(), 4 + 4 * train.axes);
  const NumberedLabels labels = numbered_labels(read_labels(train.labels, count), std::nullopt, train.labels);
  data.classes = labels.classes.count;
  data.notes = notes_on(classes_of(labels.names, labels.places), train.labels);
  data.train = static_cast<std::int64_t>(count);
  data.test = static_cast<std::int64_t>(count_of(test_images, test.axes));
  return data;
}

std::vector<std::string> idx_files(const DataSpec& spec) {
  const SetFiles training = files_of(spec, training_stem), test = files_of(spec, test_stem);
  return {training.images, training.labels, test.images, test.labels};
}

}  // namespace ddl::data
