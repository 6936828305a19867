// Files of tensors in the safetensors format: huggingface.co/docs/safetensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace ddl::run {

class TensorFile {
 public:
  // Reads the header. Every error, here and below, is an InputError that starts with the path: of a file that breaks a
  // rule of the format, whichever of its tensors are used.
  explicit TensorFile(const std::string& path);

  std::vector<std::string> names() const;
  // A tensor's values, which must be there, finite, of this shape, and floats that float32 holds without rounding.
  std::vector<float> read(const std::string& name, const std::vector<std::size_t>& shape);

  [[noreturn]] void fail(const std::string& why) const;

 private:
  struct Tensor {
    std::string type;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0, end = 0;  // bytes behind the header
  };
  std::string header();
  void read_tensors(const std::string& header);
  void check_places() const;
  void check_place(const std::string& name, const Tensor& tensor, std::uint64_t begin) const;
  [[noreturn]] void fail_for(const std::string& name, const std::string& why) const;

  const std::string path_;
  std::ifstream file_;
  std::map<std::string, Tensor> tensors_;
  std::uint64_t begin_ = 0, bytes_ = 0;  // the part behind the header
};

}  // namespace ddl::run
