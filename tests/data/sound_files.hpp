// Small files of MNIST and CIFAR-10 with pixels and labels that identify their sample.
#pragma once

#include "core/data/dataset.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::data {

inline const std::string train_images = "train-images-idx3-ubyte", train_labels = "train-labels-idx1-ubyte",
                         test_images = "t10k-images-idx3-ubyte", test_labels = "t10k-labels-idx1-ubyte";

inline void put_number(FileBytes& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}
// Image i has every pixel equal to (7 i) mod 256, and label i mod 10.
inline FileBytes image_file(std::uint32_t count, std::uint32_t side = 28) {
  FileBytes bytes;
  for (const std::uint32_t value : {0x803u, count, side, side}) put_number(bytes, value);
  for (std::uint32_t i = 0; i < count; ++i) bytes.insert(bytes.end(), side * side, static_cast<std::uint8_t>(7 * i));
  return bytes;
}
inline FileBytes label_file(std::uint32_t count) {
  FileBytes bytes;
  for (const std::uint32_t value : {0x801u, count}) put_number(bytes, value);
  for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(i % 10));
  return bytes;
}
inline void write_mnist(const ScratchFolder& folder) {
  folder.write(train_images, image_file(25));
  folder.write(train_labels, label_file(25));
  folder.write(test_images, image_file(12));
  folder.write(test_labels, label_file(12));
}

// Records labelled first, first + 1, ... (mod 10); red, green and blue planes hold 50, 100 and 150 plus the label.
inline FileBytes cifar_file(std::size_t count, std::size_t first) {
  FileBytes bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>((first + i) % 10);
    bytes.push_back(label);
    for (const int plane : {50, 100, 150}) bytes.insert(bytes.end(), 1024, static_cast<std::uint8_t>(plane + label));
  }
  return bytes;
}
// Batches 1 to 3 of two records each, labelled 0 to 5, and a test batch of three.
inline void write_cifar(const ScratchFolder& folder) {
  folder.write("data_batch_3.bin", cifar_file(2, 4));
  folder.write("data_batch_2.bin", cifar_file(2, 2));
  folder.write("data_batch_1.bin", cifar_file(2, 0));
  folder.write("test_batch.bin", cifar_file(3, 7));
  folder.write("data_batch_x.bin", FileBytes(5));  // not a batch: no number
  folder.write("batches.meta.txt", FileBytes(5));
}

inline DataSpec spec_of(const ScratchFolder& folder, DataSource source) {
  DataSpec spec;
  spec.source = source;
  spec.path = folder.path();
  return spec;
}

}  // namespace ddl::data
