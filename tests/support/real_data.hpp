// The folder of real data sets (mnist/, fashion-mnist/, cifar-10/, tinyshakespeare/), from the environment variable
// DDLSIM_DATA.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace ddl {

// DDLSIM_DATA/<name>, or nothing after saying why the test is skipped: `const auto path = real_data("mnist"); if
// (!path) return;`
inline std::optional<std::string> real_data(const std::string& name) {
  const char* root = std::getenv("DDLSIM_DATA");
  if (root != nullptr && std::filesystem::is_directory(std::filesystem::path(root) / name)) {
    return (std::filesystem::path(root) / name).string();
  }
  std::printf("[skipped] %s: DDLSIM_DATA names no folder that holds it\n", name.c_str());
  return std::nullopt;
}

}  // namespace ddl
