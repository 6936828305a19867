// Files of the repository that the program makes: schemas, goldens.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ddl {

// With DDLSIM_ACCEPT in the environment the program's present output is written, instead of compared (tests/renew).
inline bool accepting() { return std::getenv("DDLSIM_ACCEPT") != nullptr; }

// True if the file, named from the root of the repository, contains this text.
inline bool is_accepted(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(DDLSIM_SOURCE_DIR) / name;
  if (accepting()) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    return file.flush().good();
  }
  std::ifstream file(path, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()} == text;
}

}  // namespace ddl
