#include "sim/cli/laboratory.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/check.hpp"
#include "sim/process/command.hpp"

namespace ddl::cli {

const std::vector<std::string>& laboratory_words() {
  static const std::vector<std::string> words = {"emulate", "bench", "laws"};
  return words;
}

void hand_to_laboratory(const std::vector<std::string>& arguments) {
  std::error_code unreadable;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  const std::string program = (folder / "ddlsim-lab").string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int error = process::become(words);
  const std::string why =
      error == ENOENT ? "which is not installed" : std::string("which fails: ") + std::strerror(error);
  throw InputError(arguments.front() + ": belongs to the laboratory, " + why + "; expected " + program);
}

}  // namespace ddl::cli
