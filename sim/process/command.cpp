#include "sim/process/command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/child_process.hpp"

namespace ddl::process {
namespace {

// Valid as long as `words`.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

CommandOutput output_of(const std::vector<std::string>& words) {
  const std::vector<char*> arguments = pointers_to(words);
  Pipe pipe;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.writing(), STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe.reading());
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return {127, words[0] + ": there is no such command"};
  if (error != 0) fail_with(words[0], error);
  pipe.close_end(1);
  CommandOutput output;
  char buffer[4096];
  for (ssize_t count; (count = read(pipe.reading(), buffer, sizeof buffer)) != 0;) {
    if (count < 0 && errno != EINTR) fail_with(words[0], errno);
    if (count > 0) output.text.append(buffer, static_cast<std::size_t>(count));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

int become(const std::vector<std::string>& words) {
  execvp(words[0].c_str(), pointers_to(words).data());
  return errno;
}

}  // namespace ddl::process
