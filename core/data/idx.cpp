// The IDX files of MNIST (LeCun, Cortes, Burges, 1998) and Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017). All numbers of
// the header are big-endian: a magic number, the count, and for images their height and width; bytes follow.
#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/check.hpp"
#include "core/data/byte_file.hpp"
#include "core/data/loaders.hpp"

namespace ddl::data {
namespace {

constexpr std::uint32_t image_magic = 0x00000803;  // unsigned bytes, three axes
constexpr std::uint32_t label_magic = 0x00000801;  // unsigned bytes, one axis

// How the files of the two sets are named.
constexpr const char *training_stem = "train", *test_stem = "t10k";

// `stem` as the sets are published, or with a dot before `idx`, as some unpackers write it; plain files before
// compressed ones.
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
};
SetFiles files_of(const DataSpec& spec, const std::string& stem) {
  const auto folder = data_folder(spec);
  return {find_file(folder, stem + "-images", "idx3-ubyte"), find_file(folder, stem + "-labels", "idx1-ubyte")};
}

Dataset read_set(const DataSpec& spec, const std::string& stem, const SetAsked& asked) {
  const auto [image_path, label_path] = files_of(spec, stem);
  const DataShape expected = data_shape(spec.source);
  Dataset data;
  data.shape = expected.shape;
  data.classes = expected.classes;
  data.mean = {0};
  data.scale = {1.0f / 255};

  ByteFile images(image_path);
  expect_magic(images, image_magic, "images");
  const std::size_t count = read_count(images);
  const std::uint32_t height = read_number(images);
  const std::uint32_t width = read_number(images);
  if (height != static_cast<std::uint32_t>(data.shape.height) ||
      width != static_cast<std::uint32_t>(data.shape.width)) {
    images.fail("has images of " + std::to_string(height) + " x " + std::to_string(width) + "; expected " +
                std::to_string(data.shape.height) + " x " + std::to_string(data.shape.width));
  }
  expect_room(images, count, data.shape.size(), 16);

  ByteFile labels(label_path);
  expect_magic(labels, label_magic, "labels");
  const std::size_t label_count = read_count(labels);
  if (label_count != count) {
    labels.fail("announces " + std::to_string(label_count) + " labels; expected " + std::to_string(count) +
                ", as many as images");
  }
  expect_room(labels, count, 1, 8);

  // Both files are read to their end, so that damage is found whatever part of them is used.
  data.labels.resize(count);
  labels.read(data.labels, "labels");
  labels.expect_end("labels");
  const auto wrong = std::find_if(data.labels.begin(), data.labels.end(),
                                  [&](std::uint8_t label) { return label >= expected.classes; });
  if (wrong != data.labels.end()) {
    labels.fail("label " + std::to_string(wrong - data.labels.begin()) + " is " + std::to_string(*wrong) +
                "; expected 0 to " + std::to_string(expected.classes - 1));
  }
  data.pixels.resize(count * data.shape.size());
  images.read(data.pixels, "images");
  images.expect_end("images");

  use_samples(data, image_path, asked);
  return data;
}

}  // namespace

DataSplit read_idx(const DataSpec& spec, std::uint64_t seed) {
  return {read_set(spec, training_stem, {"train", spec.train, seed}),
          read_set(spec, test_stem, {"test", spec.test, seed})};
}

std::vector<std::string> idx_files(const DataSpec& spec) {
  const SetFiles training = files_of(spec, training_stem), test = files_of(spec, test_stem);
  return {training.images, training.labels, test.images, test.labels};
}

}  // namespace ddl::data
