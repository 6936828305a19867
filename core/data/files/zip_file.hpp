// Archives in the ZIP format (PKWARE's APPNOTE 6.3), as NumPy writes them: members stored or deflated, below 4 GiB.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ddl::data {

class ZipFile {
 public:
  // Reads the directory of members. Every error, here and below, is an InputError that begins with the path.
  explicit ZipFile(const std::string& path);

  struct Member {
    std::string name;
    bool deflated = false;
    std::uint32_t checksum = 0;
    std::uint64_t stored_bytes = 0, bytes = 0, header_at = 0;
  };
  const Member* find(const std::string& name) const;  // null if absent

  // Its first `most` bytes, or all; the checksum is verified only for all.
  std::vector<std::uint8_t> read(const Member& member, std::uint64_t most);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  std::vector<std::uint8_t> bytes_at(std::uint64_t begin, std::uint64_t count);
  std::uint64_t begin_of(const Member& member);

  std::string path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, directory_at_ = 0;
  std::vector<Member> members_;
};

}  // namespace ddl::data
