#include "sim/cli/laboratory.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/check.hpp"

namespace ddl::cli {

const std::vector<std::string>& laboratory_words() {
  static const std::vector<std::string> words = {"emulate", "bench", "laws"};
  return words;
}

void hand_to_laboratory(const std::vector<std::string>& arguments) {
  std::error_code unreadable;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  std::string program = (folder / "ddlsim-lab").string();
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers = {program.data()};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  const std::string why =
      errno == ENOENT ? "which is not installed" : std::string("which fails: ") + std::strerror(errno);
  throw InputError(arguments.front() + ": belongs to the laboratory, " + why + "; expected " + program);
}

}  // namespace ddl::cli
