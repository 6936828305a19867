// A 64-bit digest of a result (FNV-1a): equal results have equal digests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ddl {

class Digest {
 public:
  void add(std::string_view bytes);
  void add(std::span<const float> values);
  std::string hex() const;  // 16 digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace ddl
