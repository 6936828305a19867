// Damaged data files: each is refused in one line that names the file and the error.
#include <filesystem>
#include <functional>

#include "tests/data/sound_files.hpp"

namespace ddl::data::broken_files_test {

namespace {

FileBytes changed(FileBytes bytes, std::size_t at, std::uint8_t value) {
  bytes[at] = value;
  return bytes;
}
FileBytes cut(FileBytes bytes, std::size_t size) {
  bytes.resize(size);
  return bytes;
}

struct Damage {
  std::string what;
  std::string file;  // the damaged file; the error names it, and says
  std::string phrase;
  FileBytes bytes;
};

// For a folder of sound files with one replaced at a time; a compressed replacement removes the plain file.
void check_damage(const std::vector<Damage>& table, DataSource source, void (*write_sound)(const ScratchFolder&)) {
  for (const Damage& damage : table) {
    CAPTURE(damage.what);
    const ScratchFolder folder;
    write_sound(folder);
    DataSpec spec = spec_of(folder, source);
    REQUIRE(error_text(spec) == "");
    if (damage.file.ends_with(".gz"))
      std::filesystem::remove(folder.file(damage.file.substr(0, damage.file.size() - 3)));
    folder.write(damage.file, damage.bytes);
    spec.train = spec.test = 1;  // damage behind the samples used shows all the same
    const std::string said = error_text(spec);
    CHECK_MESSAGE(said.starts_with(folder.file(damage.file) + ": "), said);
    CHECK_MESSAGE(said.find(damage.phrase) != std::string::npos, said);
    CHECK(said.find('\n') == std::string::npos);
  }
}

FileBytes compressed(const FileBytes& bytes) {
  const ScratchFolder folder;
  folder.write_compressed("x", bytes);
  return folder.read("x");
}

}  // namespace

TEST_CASE("each kind of damage to an IDX file is one line that names the file and the fault") {
  const FileBytes images = image_file(25), labels = label_file(25);
  const std::vector<Damage> table = {
      {"images where labels belong", train_labels, "starts with 0x00000803; expected 0x00000801, an IDX file of labels",
       image_file(25)},
      {"labels where images belong", train_images, "starts with 0x00000801; expected 0x00000803, an IDX file of images",
       labels},
      {"another kind of file", test_images, "starts with 0x3c3c3c3c; expected", FileBytes(2000, '<')},
      {"no bytes", train_images, "is short: ends after 0 bytes of its header; expected", {}},
      {"part of a header", train_images, "of its header; expected", cut(images, 10)},
      {"no images", train_images, "announces 0 samples; expected", image_file(0)},
      {"another size of image", train_images, "has images of 32 x 32; expected 28 x 28", image_file(25, 32)},
      {"another width", train_images, "has images of 28 x 29; expected 28 x 28", changed(images, 15, 29)},
      {"a side of 4 thousand million", train_images, "has images of 4278190108 x 28; expected",
       changed(images, 8, 0xff)},
      {"a count of 4 thousand million", train_images,
       "is short: announces 4278190105 samples, which take 3354101042336 bytes; it holds at most 19616",
       changed(images, 4, 0xff)},
      {"a missing byte of images", train_images,
       "is short: announces 25 samples, which take 19616 bytes; it holds at most 19615",
       cut(images, images.size() - 1)},
      {"a missing label", train_labels, "is short: announces 25 samples, which take 33 bytes; it holds at most 32",
       cut(labels, labels.size() - 1)},
      {"a byte after the images", train_images, "has more bytes after its images; expected",
       cut(images, images.size() + 1)},
      {"a byte after the labels", train_labels, "has more bytes after its labels; expected",
       cut(labels, labels.size() + 1)},
      {"a label of 10", train_labels, "label 4 is 10; expected 0 to 9", changed(labels, 8 + 4, 10)},
      {"fewer labels than images", train_labels, "announces 24 labels; expected 25, as many as images", label_file(24)},
      {"more labels than images", test_labels, "announces 13 labels; expected 12, as many as images", label_file(13)},
  };
  check_damage(table, DataSource::mnist, write_mnist);
}

TEST_CASE("each kind of damage to a compressed IDX file is one line that names the file and the fault") {
  // Random pixels, so that the compressed file is about as long as the plain one and a change hits its data.
  FileBytes images = image_file(25);
  Stream random(1);
  for (std::size_t i = 16; i < images.size(); ++i) images[i] = static_cast<std::uint8_t>(random.below(256));
  const FileBytes sound = compressed(images);
  REQUIRE(sound.size() > 10000);
  const std::size_t middle = sound.size() / 2, checksum = sound.size() - 8;
  const std::string file = train_images + ".gz";
  const std::vector<Damage> table = {
      {"cut in the middle", file, "compressed data end early", cut(sound, middle)},
      {"cut in the checksum", file, "compressed data end early", cut(sound, sound.size() - 3)},
      {"a changed byte", file, "cannot be read; zlib says:", changed(sound, middle, sound[middle] ^ 0x55)},
      {"a wrong checksum", file, "cannot be read; zlib says:", changed(sound, checksum, sound[checksum] ^ 1)},
      {"too few images", file, "is short: ends after 19599 bytes of its images; expected 19600",
       compressed(cut(images, images.size() - 1))},
      {"too many images", file, "has more bytes after its images", compressed(cut(images, images.size() + 1))},
      {"a count of 4 thousand million", file, "announces 4278190105 samples", compressed(changed(images, 4, 0xff))},
  };
  check_damage(table, DataSource::mnist, write_mnist);
}

TEST_CASE("each kind of damage to a CIFAR folder is one line that names the file and the fault") {
  const FileBytes sound = cifar_file(2, 0), wrong_label = changed(sound, sound.size() / 2, 10),
                  file = compressed(sound);
  const std::vector<Damage> table = {
      {"one byte too many", "data_batch_2.bin", "has 6147 bytes; expected a multiple of 3073", cut(sound, 6147)},
      {"one byte too few", "test_batch.bin", "has 6145 bytes; expected a multiple of 3073", cut(sound, 6145)},
      {"no bytes", "data_batch_1.bin", "has 0 bytes; expected a multiple of 3073", {}},
      {"a label of 10", "data_batch_3.bin", "label of record 1 is 10; expected 0 to 9", wrong_label},
      {"a label of 10 in the test set", "test_batch.bin", "label of record 1 is 10; expected 0 to 9", wrong_label},
      {"a cut compressed file", "data_batch_3.bin.gz", "compressed data end early", cut(file, file.size() - 4)},
  };
  check_damage(table, DataSource::cifar_10, write_cifar);
}

TEST_CASE("files and folders that are not there, and more samples than there are, are named") {
  struct Row {
    DataSource source;
    std::vector<std::string> without;  // missing ones among the sound files
    std::int64_t train, test;          // asked for, or 0
    std::string said;                  // behind the folder's name
  };
  const std::string some_batch = ": has no data_batch_*.bin; expected at least one, plain or with .gz";
  const std::string up_to = " is missing; expected all batches up to data_batch_3.bin, plain or with .gz";
  const std::string b1 = "data_batch_1.bin", b2 = "data_batch_2.bin", b3 = "data_batch_3.bin";
  const Row rows[] = {
      {DataSource::mnist, {}, 26, 0, "/" + train_images + ": holds 25 samples; data.train asks for 26"},
      {DataSource::mnist, {}, 25, 13, "/" + test_images + ": holds 12 samples; data.test asks for 13"},
      {DataSource::mnist, {test_labels}, 0, 0, ": has no file t10k-labels-idx1-ubyte"},
      {DataSource::cifar_10, {}, 7, 0, ": holds 6 samples; data.train asks for 7"},
      {DataSource::cifar_10, {}, 6, 4, "/test_batch.bin: holds 3 samples; data.test asks for 4"},
      {DataSource::cifar_10, {b1, b2, b3}, 0, 0, some_batch},
      {DataSource::cifar_10, {"test_batch.bin"}, 0, 0, ": test_batch.bin is missing; expected it, plain or with .gz"},
      {DataSource::cifar_10, {b2}, 0, 0, ": " + b2 + up_to},
      {DataSource::cifar_10, {b1, b2}, 0, 0, ": " + b1 + up_to},
  };
  for (const Row& row : rows) {
    CAPTURE(row.said);
    const ScratchFolder folder;
    (row.source == DataSource::mnist ? write_mnist : write_cifar)(folder);
    for (const std::string& file : row.without) std::filesystem::remove(folder.file(file));
    DataSpec spec = spec_of(folder, row.source);
    if (row.train > 0) spec.train = row.train;
    if (row.test > 0) spec.test = row.test;
    CHECK(error_text(spec).starts_with(folder.path() + row.said));
  }
  const ScratchFolder folder;
  write_mnist(folder);
  std::filesystem::remove(folder.file(test_labels));
  std::filesystem::create_directory(folder.file(test_labels));
  CHECK(error_text(spec_of(folder, DataSource::mnist)).starts_with(folder.path() + ": has no file " + test_labels));
  DataSpec spec;
  spec.source = DataSource::fashion_mnist;
  CHECK(error_text(spec) == "data.path: is missing; expected the folder of the fashion-mnist files");
  spec.path = "/nowhere/at/all";
  CHECK(error_text(spec) == "/nowhere/at/all: no such folder; expected the folder of the fashion-mnist files");
}

}  // namespace ddl::data::broken_files_test
