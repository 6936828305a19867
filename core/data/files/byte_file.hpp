// A data file read front to back, plain or compressed with gzip, told apart by its first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ddl::data {

class ByteFile {
 public:
  // Opens `path`. Every error, here and below, is an InputError that begins with the path.
  explicit ByteFile(const std::string& path);

  // Upper bound on the file's bytes: its size, or the most that a compressed file of its size could expand to. Check
  // counts in headers against it before allocating memory for them.
  std::uint64_t most_bytes() const { return most_bytes_; }

  // Fills `out`; throws if the file ends before that or its compressed data are damaged. `what` names the data in
  // errors, such as "labels".
  void read(std::span<std::uint8_t> out, const std::string& what);

  // Fills `out`, or its beginning if the file ends, and returns the number of bytes.
  std::size_t read_some(std::span<std::uint8_t> out);

  // The rest of the file; throws if that is more than `most` bytes, a whole number of mebibytes.
  std::string read_all(std::size_t most);

  // Throws unless the whole file has been read and its compressed data are intact. `what` names the last data read.
  void expect_end(const std::string& what);

  [[noreturn]] void fail(const std::string& why) const;

 private:
  struct Close {
    void operator()(void* file) const;
  };
  std::string path_;
  std::unique_ptr<void, Close> file_;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace ddl::data
