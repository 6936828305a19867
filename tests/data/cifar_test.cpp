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

// Batches 1, 2 and 10 of two records each, labelled 0 to 5, and a test batch of three.
void write_sound(const ScratchFolder& folder) {
  folder.write("data_batch_10.bin", batch_file(2, 4));
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

TEST_CASE("CIFAR batches are read in natural order with their channel planes") {
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

TEST_CASE("the first CIFAR samples are used across files and too many are an error") {
  const ScratchFolder folder;
  write_sound(folder);
  DataSpec spec = spec_of(folder);
  spec.train = 3;
  spec.test = 2;
  const DataSplit data = load_data(spec, 1);
  CHECK(data.train.labels == std::vector<std::uint8_t>{0, 1, 2});
  CHECK(data.train.pixels.size() == 3 * 3072);
  CHECK(data.test.labels == std::vector<std::uint8_t>{7, 8});
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
      {"a label of 10", "data_batch_10.bin", wrong_label, "label of record 1 is 10; expected 0 to 9"},
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

TEST_CASE("a CIFAR folder without training or test files is an error") {
  const ScratchFolder folder;
  CHECK(error_text(spec_of(folder)) == folder.path() + ": has no data_batch_*.bin; expected at least one");
  folder.write("data_batch_1.bin", batch_file(1, 0));
  CHECK(error_text(spec_of(folder)).starts_with(folder.file("test_batch.bin") + ": no such file"));
}

}  // namespace ddl::data::cifar_test
