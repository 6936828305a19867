// A data file read front to back, plain or compressed with gzip: its first bytes tell which.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ddl::data {

class ByteFile {
 public:
  // Opens `path`. Every error, here and below, is an InputError that starts with the path.
  explicit ByteFile(const std::string& path);

  // The most bytes the file can give: its size, or what a compressed file of its size could expand to. Announced
  // counts are held against it before memory is set aside for them.
  std::uint64_t most_bytes() const { return most_bytes_; }

  // Fills `out`; throws when the file ends before that or its compressed data are damaged. `what` is read: "labels".
  void read(std::span<std::uint8_t> out, const std::string& what);

  // Throws unless all has been read and compressed data are sound to their end. `what` came last.
  void expect_end(const std::string& what);

  [[noreturn]] void fail(const std::string& why) const;

 private:
  struct Close {
    void operator()(void* file) const;
  };
  std::size_t read_some(std::uint8_t* out, std::size_t most);

  std::string path_;
  std::unique_ptr<void, Close> file_;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace ddl::data
