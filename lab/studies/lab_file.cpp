#include "lab/studies/lab_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/base/check.hpp"

namespace ddl::studies {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of_files() {
  if (const char* home = std::getenv("DDLSIM_HOME"); home != nullptr && *home != '\0') return {home};
  std::vector<fs::path> folders = {"."};
  std::error_code unreadable;
  fs::path above = fs::read_symlink("/proc/self/exe", unreadable);
  while (above.has_relative_path()) {
    above = above.parent_path();
    folders.push_back(above);
    folders.push_back(above / "share" / "ddlsim");
  }
  return folders;
}

}  // namespace

std::string lab_file(const std::string& name) {
  for (const fs::path& folder : folders_of_files()) {
    const fs::path file = (folder / name).lexically_normal();
    if (std::ifstream(file, std::ios::binary)) return file.string();
  }
  throw InputError(name + ": no such file; expected it in the current folder, in a folder above the program, in " +
                   "share/ddlsim or, if that is set, in $DDLSIM_HOME");
}

std::vector<std::string> lab_folders(const std::string& folder, const std::string& file) {
  std::vector<std::string> names;
  for (const fs::path& root : folders_of_files()) {
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / folder, none)) {
      if (fs::exists(entry.path() / file, none)) names.push_back(entry.path().filename().string());
    }
    if (!names.empty()) break;
  }
  std::ranges::sort(names);
  return names;
}

std::string lab_text(const std::string& name) {
  std::ifstream file(lab_file(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ddl::studies
