// A folder of small data files that lasts as long as a test, and the bytes to fill it with.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"
#include "tests/support/files.hpp"

namespace ddl::data {

using FileBytes = std::vector<std::uint8_t>;

class ScratchFolder {
 public:
  std::string path() const { return folder_.path().string(); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  void write(const std::string& name, const FileBytes& bytes) const {
    put(file(name), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void write_compressed(const std::string& name, const FileBytes& bytes) const {
    gzFile out = gzopen(file(name).c_str(), "wb");
    REQUIRE(out != nullptr);
    REQUIRE(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    REQUIRE(gzclose(out) == Z_OK);
  }
  FileBytes read(const std::string& name) const {
    const std::string bytes = text_of(file(name));
    return {bytes.begin(), bytes.end()};
  }

 private:
  TemporaryFolder folder_;
};

// load_data's error for the folder, or "" if it has none.
inline std::string error_text(const DataSpec& spec) {
  try {
    load_data(spec, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ddl::data
