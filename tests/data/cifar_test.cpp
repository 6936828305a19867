#include "core/data/dataset.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::data::cifar_test {

namespace {

constexpr std::size_t record = 3073;

// Records labelled first, first + 1, ... (mod 10); red, green and blue planes hold 50, 100 and 150 plus the label.
FileBytes batch_file(std::size_t count, std::size_t first) {
  FileBytes bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>((first + i) % 10);
    bytes.push_back(label);
    for (const int plane : {50, 100, 150}) bytes.insert(bytes.end(), 1024, static_cast<std::uint8_t>(plane + label));
  }
  return bytes;
}

// Batches 1 to 3 of two records each, labelled 0 to 5, and a test batch of three.
void write_sound(const ScratchFolder& folder) {
  folder.write("data_batch_3.bin", batch_file(2, 4));
  folder.write("data_batch_2.bin", batch_file(2, 2));
  folder.write("data_batch_1.bin", batch_file(2, 0));
  folder.write("test_batch.bin", batch_file(3, 7));
  folder.write("data_batch_x.bin", FileBytes(5));  // not a batch: no number
  folder.write("batches.meta.txt", FileBytes(5));
}

DataSpec spec_of(const ScratchFolder& folder) {
  DataSpec spec;
  spec.source = DataSource::cifar_10;
  spec.path = folder.path();
  return spec;
}

}  // namespace

TEST_CASE("CIFAR batches are read in order with their channel planes") {
  const ScratchFolder folder;
  write_sound(folder);
  const DataSplit data = load_data(spec_of(folder), 1);
  CHECK(data.train.labels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5});
  CHECK(data.test.labels == std::vector<std::uint8_t>{7, 8, 9});
  CHECK(data.train.shape == Shape{3, 32, 32});
  CHECK(data.train.classes == 10);
  REQUIRE(data.train.pixels.size() == 6 * 3072);
  CHECK(data.train.pixels[5 * 3072] == 55);
  CHECK(data.train.pixels[5 * 3072 + 1024] == 105);
  CHECK(data.train.pixels[5 * 3072 + 3071] == 155);
}

TEST_CASE("CIFAR inputs do not depend on which part of the set is loaded") {
  const ScratchFolder folder;
  write_sound(folder);
  DataSpec spec = spec_of(folder);
  const DataSplit whole = load_data(spec, 1);
  spec.train = 1;
  const DataSplit part = load_data(spec, 1);
  CHECK(part.train.size() == 1);
  CHECK(part.train.mean == whole.train.mean);
  CHECK(part.test.scale == whole.train.scale);
}

TEST_CASE("batch 10 comes after batch 9, and batches may be counted from 0") {
  for (const std::size_t first : {0, 1}) {
    const ScratchFolder folder;
    for (std::size_t i = 0; i < 10; ++i) {
      folder.write("data_batch_" + std::to_string(first + i) + ".bin", batch_file(1, i));
    }
    folder.write("test_batch.bin", batch_file(1, 0));
    CHECK(load_data(spec_of(folder), 1).train.labels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_CASE("each CIFAR file may be compressed, and the plain one is read where there are both") {
  const ScratchFolder folder;
  write_sound(folder);
  const DataSplit plain = load_data(spec_of(folder), 1);
  for (const std::string name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "test_batch.bin"}) {
    CAPTURE(name);
    folder.write_compressed(name + ".gz", folder.read(name));
    std::filesystem::remove(folder.file(name));
    const DataSplit data = load_data(spec_of(folder), 1);
    CHECK(data.train.pixels == plain.train.pixels);
    CHECK(data.train.labels == plain.train.labels);
    CHECK(data.test.pixels == plain.test.pixels);
    CHECK(data.test.labels == plain.test.labels);
  }
  CHECK(data_files(spec_of(folder)).back() == folder.file("test_batch.bin.gz"));
  folder.write("data_batch_2.bin", batch_file(1, 8));
  CHECK(load_data(spec_of(folder), 1).train.labels == std::vector<std::uint8_t>{0, 1, 8, 4, 5});
  CHECK(data_files(spec_of(folder))[1] == folder.file("data_batch_2.bin"));
  FileBytes cut = folder.read("data_batch_3.bin.gz");
  cut.resize(cut.size() - 4);
  folder.write("data_batch_3.bin.gz", cut);
  CHECK(error_text(spec_of(folder)).starts_with(folder.file("data_batch_3.bin.gz") + ": compressed data end early"));
}

TEST_CASE("CIFAR samples are drawn across files and too many are an error") {
  const ScratchFolder folder;
  write_sound(folder);
  DataSpec spec = spec_of(folder);
  spec.train = 3;
  spec.test = 2;
  const DataSplit data = load_data(spec, 1);
  REQUIRE(data.train.numbers.size() == 3);
  CHECK(data.train.pixels.size() == 3 * 3072);
  for (std::size_t i = 0; i < 3; ++i) {  // sample n is labelled n
    CHECK(data.train.labels[i] == data.train.numbers[i]);
    CHECK(data.train.pixels[i * 3072] == 50 + data.train.labels[i]);
  }
  CHECK(data.test.size() == 2);
  spec.train = 7;
  CHECK(error_text(spec) == folder.path() + ": holds 6 samples; data.train asks for 7");
  spec.train = 6;
  spec.test = 4;
  CHECK(error_text(spec) == folder.file("test_batch.bin") + ": holds 3 samples; data.test asks for 4");
}

TEST_CASE("each kind of damage to a CIFAR folder is one line that names the file and the fault") {
  FileBytes wrong_label = batch_file(2, 0);
  wrong_label[record] = 10;
  FileBytes longer = batch_file(2, 0);
  longer.push_back(0);
  FileBytes shorter = batch_file(2, 0);
  shorter.pop_back();
  struct Damage {
    const char* what;
    const char* file;
    FileBytes bytes;
    const char* phrase;
  };
  const std::vector<Damage> table = {
      {"one byte too many", "data_batch_2.bin", longer, "has 6147 bytes; expected a multiple of 3073"},
      {"one byte too few", "test_batch.bin", shorter, "has 6145 bytes; expected a multiple of 3073"},
      {"no bytes", "data_batch_1.bin", {}, "has 0 bytes; expected a multiple of 3073"},
      {"a label of 10", "data_batch_3.bin", wrong_label, "label of record 1 is 10; expected 0 to 9"},
      {"a label of 10 in the test set", "test_batch.bin", wrong_label, "label of record 1 is 10; expected 0 to 9"},
  };
  for (const Damage& damage : table) {
    CAPTURE(damage.what);
    const ScratchFolder folder;
    write_sound(folder);
    REQUIRE(error_text(spec_of(folder)) == "");
    folder.write(damage.file, damage.bytes);
    DataSpec spec = spec_of(folder);
    spec.train = 1;  // damage behind the samples used shows all the same
    spec.test = 1;
    const std::string said = error_text(spec);
    CHECK_MESSAGE(said.starts_with(folder.file(damage.file) + ": "), said);
    CHECK_MESSAGE(said.find(damage.phrase) != std::string::npos, said);
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("a missing CIFAR file is named") {
  const ScratchFolder folder;
  const std::string in = folder.path() + ": ";
  CHECK(error_text(spec_of(folder)) == in + "has no data_batch_*.bin; expected at least one, plain or with .gz");
  write_sound(folder);
  std::filesystem::remove(folder.file("test_batch.bin"));
  CHECK(error_text(spec_of(folder)) == in + "test_batch.bin is missing; expected it, plain or with .gz");
  for (const std::string name : {"data_batch_2.bin", "data_batch_1.bin"}) {  // the first that is missing
    std::filesystem::remove(folder.file(name));
    CHECK(error_text(spec_of(folder)) ==
          in + name + " is missing; expected all batches up to data_batch_3.bin, plain or with .gz");
  }
}

}  // namespace ddl::data::cifar_test
