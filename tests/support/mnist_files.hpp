// A training set and a test set in MNIST's files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace ddl {

// Four files of 30 images of 28 x 28 in `folder`; `first` is the first pixel of the training images.
inline void write_mnist(const std::filesystem::path& folder, char first) {
  std::filesystem::create_directories(folder);
  constexpr int count = 30, pixels = 28 * 28;
  const std::string images = std::string("\0\0\x08\x03\0\0\0\x1e\0\0\0\x1c\0\0\0\x1c", 16);
  const std::string labels = std::string("\0\0\x08\x01\0\0\0\x1e", 8);
  std::string grey, classes;
  for (int i = 0; i < count * pixels; ++i) grey += static_cast<char>(i % 251);
  for (int i = 0; i < count; ++i) classes += static_cast<char>(i % 10);
  for (const std::string set : {"train", "t10k"}) {
    std::string here = grey;
    if (set == "train") here[0] = first;
    std::ofstream(folder / (set + "-images-idx3-ubyte"), std::ios::binary) << images << here;
    std::ofstream(folder / (set + "-labels-idx1-ubyte"), std::ios::binary) << labels << classes;
  }
}

}  // namespace ddl
