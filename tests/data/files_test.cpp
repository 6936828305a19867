// Contents read from files of MNIST and CIFAR-10.
#include <filesystem>

#include "tests/data/sound_files.hpp"

namespace ddl::data::files_test {

TEST_CASE("IDX files are read plain and compressed and with the dotted names") {
  for (const bool dotted : {false, true}) {
    for (const bool compressed : {false, true}) {
      const ScratchFolder source, folder;
      write_mnist(source);
      for (std::string name : {train_images, train_labels, test_images, test_labels}) {
        const FileBytes bytes = source.read(name);
        if (dotted) name[name.find("-idx")] = '.';
        if (compressed) folder.write_compressed(name + ".gz", bytes);
        if (!compressed) folder.write(name, bytes);
      }
      const DataSplit data = load_data(spec_of(folder, DataSource::mnist), 1);
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
  }
}

TEST_CASE("IDX bytes become inputs from 0 to 1") {
  const ScratchFolder folder;
  write_mnist(folder);
  FileBytes images = image_file(25);
  images[16] = 255;
  folder.write(train_images, images);
  Batch batch;
  gather(load_data(spec_of(folder, DataSource::mnist), 1).train, std::vector<std::uint32_t>{0}, batch);
  CHECK(batch.inputs[0] == doctest::Approx(1).epsilon(1e-6));
  CHECK(batch.inputs[1] == 0);
}

TEST_CASE("CIFAR batches are read in order with their channel planes") {
  const ScratchFolder folder;
  write_cifar(folder);
  const DataSplit data = load_data(spec_of(folder, DataSource::cifar_10), 1);
  CHECK(data.train.labels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5});
  CHECK(data.test.labels == std::vector<std::uint8_t>{7, 8, 9});
  CHECK(data.train.shape == Shape{3, 32, 32});
  CHECK(data.train.classes == 10);
  REQUIRE(data.train.pixels.size() == 6 * 3072);
  CHECK(data.train.pixels[5 * 3072] == 55);
  CHECK(data.train.pixels[5 * 3072 + 1024] == 105);
  CHECK(data.train.pixels[5 * 3072 + 3071] == 155);
}

TEST_CASE("batch 10 comes after batch 9, and batches may be counted from 0") {
  for (const std::size_t first : {0, 1}) {
    const ScratchFolder folder;
    for (std::size_t i = 0; i < 10; ++i) {
      folder.write("data_batch_" + std::to_string(first + i) + ".bin", cifar_file(1, i));
    }
    folder.write("test_batch.bin", cifar_file(1, 0));
    const DataSplit data = load_data(spec_of(folder, DataSource::cifar_10), 1);
    CHECK(data.train.labels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_CASE("each CIFAR file may be compressed, and the plain one is read where there are both") {
  const ScratchFolder folder;
  write_cifar(folder);
  const DataSpec spec = spec_of(folder, DataSource::cifar_10);
  const DataSplit plain = load_data(spec, 1);
  for (const std::string name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "test_batch.bin"}) {
    CAPTURE(name);
    folder.write_compressed(name + ".gz", folder.read(name));
    std::filesystem::remove(folder.file(name));
    const DataSplit data = load_data(spec, 1);
    CHECK(data.train.pixels == plain.train.pixels);
    CHECK(data.train.labels == plain.train.labels);
    CHECK(data.test.pixels == plain.test.pixels);
    CHECK(data.test.labels == plain.test.labels);
  }
  CHECK(data_files(spec).back() == folder.file("test_batch.bin.gz"));
  folder.write("data_batch_2.bin", cifar_file(1, 8));
  CHECK(load_data(spec, 1).train.labels == std::vector<std::uint8_t>{0, 1, 8, 4, 5});
  CHECK(data_files(spec)[1] == folder.file("data_batch_2.bin"));
}

TEST_CASE("fewer samples than there are are drawn from all files by the seed, and scaled as the whole set is") {
  for (const DataSource source : {DataSource::mnist, DataSource::cifar_10}) {
    CAPTURE(name_of(source));
    const bool is_cifar = source == DataSource::cifar_10;
    const ScratchFolder folder;
    (is_cifar ? write_cifar : write_mnist)(folder);
    DataSpec spec = spec_of(folder, source);
    const DataSplit whole = load_data(spec, 1);
    spec.train = 3;
    const DataSplit data = load_data(spec, 1);
    const std::size_t values = data.train.shape.size();
    REQUIRE(data.train.numbers.size() == 3);
    REQUIRE(data.train.pixels.size() == 3 * values);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t number = data.train.numbers[i];
      CHECK(data.train.labels[i] == number % 10);
      CHECK(data.train.pixels[i * values] == (is_cifar ? 50 + number : 7 * number));
    }
    CHECK(data.test.size() == whole.test.size());
    CHECK(data.test.numbers.empty());
    CHECK(data.train.mean == whole.train.mean);
    CHECK(data.test.scale == whole.train.scale);
    CHECK(load_data(spec, 1).train.numbers == data.train.numbers);
    CHECK(load_data(spec, 2).train.numbers != data.train.numbers);
  }
}

}  // namespace ddl::data::files_test
