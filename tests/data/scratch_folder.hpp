// A folder of small data files that lasts as long as a test, and the bytes to fill it with.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "core/data/dataset.hpp"

namespace ddl::data {

using FileBytes = std::vector<std::uint8_t>;

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ddlsim-data-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  void write(const std::string& name, const FileBytes& bytes) const {
    std::ofstream out(file(name), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(out.good());
  }
  void write_compressed(const std::string& name, const FileBytes& bytes) const {
    gzFile out = gzopen(file(name).c_str(), "wb");
    REQUIRE(out != nullptr);
    REQUIRE(gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
    REQUIRE(gzclose(out) == Z_OK);
  }
  FileBytes read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

// What load_data says is wrong with the folder, or "" when it says nothing.
inline std::string error_text(const DataSpec& spec) {
  try {
    load_data(spec, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ddl::data
