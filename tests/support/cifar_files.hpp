// A training set and a test set in CIFAR-10's files.
#pragma once

#include "tests/data/scratch_folder.hpp"

namespace ddl {

// Writes files of `images` images each: a label and three planes of 32 x 32 bytes.
inline void write_cifar(const data::ScratchFolder& scratch, int images) {
  data::FileBytes bytes;
  for (int image = 0; image < images; ++image) {
    bytes.push_back(static_cast<std::uint8_t>(image % 10));
    for (int value = 0; value < 3072; ++value)
      bytes.push_back(static_cast<std::uint8_t>((value * 7 + image * 31) % 251));
  }
  scratch.write("data_batch_1.bin", bytes);
  scratch.write("test_batch.bin", bytes);
}

}  // namespace ddl
