#include <functional>

#include "tests/data/scratch_folder.hpp"

namespace ddl::data::idx_test {

namespace {

const std::string train_images = "train-images-idx3-ubyte", train_labels = "train-labels-idx1-ubyte",
                  test_images = "t10k-images-idx3-ubyte", test_labels = "t10k-labels-idx1-ubyte";

void put_number(FileBytes& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

// Image i has every pixel equal to (7 i) mod 256, and label i mod 10.
FileBytes image_file(std::uint32_t count, std::uint32_t side = 28, std::uint32_t magic = 0x803) {
  FileBytes bytes;
  for (const std::uint32_t value : {magic, count, side, side}) put_number(bytes, value);
  for (std::uint32_t i = 0; i < count; ++i) bytes.insert(bytes.end(), side * side, static_cast<std::uint8_t>(7 * i));
  return bytes;
}
FileBytes label_file(std::uint32_t count, std::uint32_t magic = 0x801) {
  FileBytes bytes;
  for (const std::uint32_t value : {magic, count}) put_number(bytes, value);
  for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(i % 10));
  return bytes;
}

void write_sound(const ScratchFolder& folder) {
  folder.write(train_images, image_file(25));
  folder.write(train_labels, label_file(25));
  folder.write(test_images, image_file(12));
  folder.write(test_labels, label_file(12));
}

DataSpec spec_of(const ScratchFolder& folder) {
  DataSpec spec;
  spec.source = DataSource::mnist;
  spec.path = folder.path();
  return spec;
}

void check_sound(const DataSpec& spec) {
  const DataSplit data = load_data(spec, 1);
  REQUIRE(data.train.size() == 25);
  REQUIRE(data.test.size() == 12);
  CHECK(data.train.shape == Shape{1, 28, 28});
  CHECK(data.train.classes == 10);
  CHECK(data.train.pixels.size() == 25 * 784);
  for (std::size_t i = 0; i < 25; ++i) {
    CHECK(data.train.labels[i] == i % 10);
    CHECK(data.train.pixels[i * 784] == 7 * i);
    CHECK(data.train.pixels[i * 784 + 783] == 7 * i);
  }
  CHECK(data.test.labels[11] == 1);
  CHECK(data.test.pixels[11 * 784] == 77);
}

struct Damage {
  const char* what;
  std::function<void(const ScratchFolder&)> inflict;
  std::string file;    // the error names it ...
  std::string phrase;  // ... and says this
};

FileBytes changed(FileBytes bytes, std::size_t at, std::uint8_t value) {
  bytes[at] = value;
  return bytes;
}
FileBytes cut(FileBytes bytes, std::size_t size) {
  bytes.resize(size);
  return bytes;
}

}  // namespace

TEST_CASE("IDX files are read plain and compressed and with the dotted names") {
  for (const bool dotted : {false, true}) {
    for (const bool compressed : {false, true}) {
      const ScratchFolder folder;
      const auto put = [&](std::string name, const FileBytes& bytes) {
        if (dotted) name[name.find("-idx")] = '.';
        if (compressed) {
          folder.write_compressed(name + ".gz", bytes);
        } else {
          folder.write(name, bytes);
        }
      };
      put(train_images, image_file(25));
      put(train_labels, label_file(25));
      put(test_images, image_file(12));
      put(test_labels, label_file(12));
      check_sound(spec_of(folder));
    }
  }
}

TEST_CASE("IDX bytes become inputs from 0 to 1") {
  const ScratchFolder folder;
  write_sound(folder);
  folder.write(train_images, changed(image_file(25), 16, 255));
  const DataSplit data = load_data(spec_of(folder), 1);
  Batch batch;
  gather(data.train, std::vector<std::uint32_t>{0}, batch);
  CHECK(batch.inputs[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK(batch.inputs[1] == 0);
}

TEST_CASE("samples are drawn from the whole file by the seed when fewer are asked for") {
  const ScratchFolder folder;
  write_sound(folder);
  DataSpec spec = spec_of(folder);
  spec.train = 3;
  spec.test = 12;
  const DataSplit data = load_data(spec, 1);
  REQUIRE(data.train.numbers.size() == 3);
  REQUIRE(data.train.pixels.size() == 3 * 784);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(data.train.labels[i] == data.train.numbers[i] % 10);
    CHECK(data.train.pixels[i * 784 + 783] == 7 * data.train.numbers[i]);
  }
  CHECK(data.test.size() == 12);
  CHECK(data.test.numbers.empty());
  CHECK(load_data(spec, 1).train.numbers == data.train.numbers);
  CHECK(load_data(spec, 2).train.numbers != data.train.numbers);
}

TEST_CASE("asking for more samples than an IDX file holds is an error that says how many there are") {
  const ScratchFolder folder;
  write_sound(folder);
  DataSpec spec = spec_of(folder);
  spec.train = 26;
  CHECK(error_text(spec) == folder.file(train_images) + ": holds 25 samples; data.train asks for 26");
  spec.train = 25;
  spec.test = 13;
  CHECK(error_text(spec) == folder.file(test_images) + ": holds 12 samples; data.test asks for 13");
}

TEST_CASE("each kind of damage to an IDX file is one line that names the file and the fault") {
  const FileBytes images = image_file(25), labels = label_file(25);
  const std::vector<Damage> table = {
      {"images where labels belong", [&](auto& f) { f.write(train_labels, image_file(25)); }, train_labels,
       "starts with 0x00000803; expected 0x00000801, an IDX file of labels"},
      {"labels where images belong", [&](auto& f) { f.write(train_images, labels); }, train_images,
       "starts with 0x00000801; expected 0x00000803, an IDX file of images"},
      {"another kind of file", [&](auto& f) { f.write(test_images, FileBytes(2000, '<')); }, test_images,
       "starts with 0x3c3c3c3c"},
      {"no bytes", [&](auto& f) { f.write(train_images, {}); }, train_images,
       "is short: ends after 0 bytes of its header"},
      {"part of a header", [&](auto& f) { f.write(train_images, cut(images, 10)); }, train_images, "of its header"},
      {"no images", [&](auto& f) { f.write(train_images, image_file(0)); }, train_images, "announces 0 samples"},
      {"another size of image", [&](auto& f) { f.write(train_images, image_file(25, 32)); }, train_images,
       "has images of 32 x 32; expected 28 x 28"},
      {"another width", [&](auto& f) { f.write(train_images, changed(images, 15, 29)); }, train_images,
       "has images of 28 x 29; expected 28 x 28"},
      {"a side of 4 thousand million", [&](auto& f) { f.write(train_images, changed(images, 8, 0xff)); }, train_images,
       "has images of 4278190108 x 28"},
      {"a count of 4 thousand million", [&](auto& f) { f.write(train_images, changed(images, 4, 0xff)); }, train_images,
       "is short: announces 4278190105 samples, which take 3354101042336 bytes; it holds at most 19616"},
      {"a missing byte of images", [&](auto& f) { f.write(train_images, cut(images, images.size() - 1)); },
       train_images, "is short: announces 25 samples, which take 19616 bytes; it holds at most 19615"},
      {"a missing label", [&](auto& f) { f.write(train_labels, cut(labels, labels.size() - 1)); }, train_labels,
       "is short: announces 25 samples, which take 33 bytes; it holds at most 32"},
      {"a byte after the images", [&](auto& f) { f.write(train_images, cut(images, images.size() + 1)); }, train_images,
       "has more bytes after its images"},
      {"a byte after the labels", [&](auto& f) { f.write(train_labels, cut(labels, labels.size() + 1)); }, train_labels,
       "has more bytes after its labels"},
      {"a label of 10", [&](auto& f) { f.write(train_labels, changed(labels, 8 + 4, 10)); }, train_labels,
       "label 4 is 10; expected 0 to 9"},
      {"fewer labels than images", [&](auto& f) { f.write(train_labels, label_file(24)); }, train_labels,
       "announces 24 labels; expected 25, as many as images"},
      {"more labels than images", [&](auto& f) { f.write(test_labels, label_file(13)); }, test_labels,
       "announces 13 labels; expected 12, as many as images"},
      {"no file", [&](auto& f) { std::filesystem::remove(f.file(test_labels)); }, "",
       "has no file t10k-labels-idx1-ubyte"},
      {"a folder in place of a file",
       [&](auto& f) {
         std::filesystem::remove(f.file(test_labels));
         std::filesystem::create_directory(f.file(test_labels));
       },
       "", "has no file t10k-labels-idx1-ubyte"},
  };
  for (const Damage& damage : table) {
    CAPTURE(damage.what);
    const ScratchFolder folder;
    write_sound(folder);
    REQUIRE(error_text(spec_of(folder)) == "");
    damage.inflict(folder);
    const std::string said = error_text(spec_of(folder));
    CHECK_MESSAGE(said.starts_with(damage.file.empty() ? folder.path() : folder.file(damage.file)), said);
    CHECK_MESSAGE(said.find(damage.phrase) != std::string::npos, said);
    CHECK_MESSAGE((said.find("expected") != std::string::npos || said.find("at most") != std::string::npos), said);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("each kind of damage to a compressed IDX file is one line that names the file and the fault") {
  const std::string name = train_images + ".gz";
  const ScratchFolder source;
  // Random pixels, so that the compressed file is about as long as the plain one and a change hits its data.
  FileBytes images = image_file(25);
  Stream random(1);
  for (std::size_t i = 16; i < images.size(); ++i) images[i] = static_cast<std::uint8_t>(random.below(256));
  source.write_compressed(name, images);
  const FileBytes sound = source.read(name);
  REQUIRE(sound.size() > 10000);
  FileBytes flipped = sound;
  flipped[sound.size() / 2] ^= 0x55;
  const std::vector<Damage> table = {
      {"cut in the middle", [&](auto& f) { f.write(name, cut(sound, sound.size() / 2)); }, name,
       "compressed data end early"},
      {"cut in the checksum", [&](auto& f) { f.write(name, cut(sound, sound.size() - 3)); }, name,
       "compressed data end early"},
      {"a changed byte", [&](auto& f) { f.write(name, flipped); }, name, "cannot be read; zlib says:"},
      {"a wrong checksum",
       [&](auto& f) { f.write(name, changed(sound, sound.size() - 8, sound[sound.size() - 8] ^ 1)); }, name,
       "cannot be read; zlib says:"},
      {"too few images", [&](auto& f) { f.write_compressed(name, cut(images, images.size() - 1)); }, name,
       "is short: ends after 19599 bytes of its images; expected 19600"},
      {"too many images", [&](auto& f) { f.write_compressed(name, cut(images, images.size() + 1)); }, name,
       "has more bytes after its images"},
      {"a count of 4 thousand million", [&](auto& f) { f.write_compressed(name, changed(images, 4, 0xff)); }, name,
       "announces 4278190105 samples"},
  };
  for (const Damage& damage : table) {
    CAPTURE(damage.what);
    const ScratchFolder folder;
    write_sound(folder);
    std::filesystem::remove(folder.file(train_images));
    folder.write(name, sound);
    REQUIRE(error_text(spec_of(folder)) == "");
    damage.inflict(folder);
    const std::string said = error_text(spec_of(folder));
    CHECK_MESSAGE(said.starts_with(folder.file(damage.file) + ": "), said);
    CHECK_MESSAGE(said.find(damage.phrase) != std::string::npos, said);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a folder that is absent or not given is an error that says what it should hold") {
  DataSpec spec;
  spec.source = DataSource::fashion_mnist;
  CHECK(error_text(spec) == "data.path is not given; expected the folder of the fashion-mnist files");
  spec.path = "/nowhere/at/all";
  CHECK(error_text(spec) == "/nowhere/at/all: no such folder; expected the folder of the fashion-mnist files");
}

}  // namespace ddl::data::idx_test
