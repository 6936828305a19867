// Files of tensors in the safetensors format: huggingface.co/docs/safetensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ddl::results {

// The text of a file, tensor after tensor. A tensor's shape has its slowest axis first.
class Safetensors {
 public:
  void add(const std::string& name, const std::vector<std::size_t>& shape, std::span<const float> values);
  void add(const std::string& name, const std::vector<std::size_t>& shape, std::span<const std::int64_t> values);
  void add(const std::string& name, const std::vector<std::size_t>& shape, std::span<const std::uint8_t> values);
  std::string text() const;

 private:
  struct Entry {
    std::string name;
    const char* type;
    std::vector<std::size_t> shape;
    std::size_t begin, end;  // bytes of the data
  };
  void add(const std::string& name, const char* type, const std::vector<std::size_t>& shape, const void* values,
           std::size_t bytes);

  std::vector<Entry> entries_;
  std::string data_;
};

}  // namespace ddl::results
