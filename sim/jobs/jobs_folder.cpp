#include "sim/jobs/jobs_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/staged_folder.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

// Files of others in a hidden folder stay: a program that was killed while it replaced a result has left them there.
void remove_leftovers_in(const fs::path& folder, const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const fs::path& path : results::paths_in(folder)) {
    if (!is_leftover(path.filename().string(), files)) continue;
    if (fs::is_directory(fs::symlink_status(path, ignored))) {
      results::remove_ours(path, results::is_result_file);
    } else {
      fs::remove(path, ignored);
    }
  }
}

}  // namespace

bool is_leftover(const std::string& name, const std::vector<std::string>& files) {
  if (!name.starts_with('.')) return false;
  if (name.find(".partial-") != std::string::npos) return true;
  return std::ranges::any_of(files, [&](const std::string& file) { return name.starts_with("." + file + "."); });
}

JobsFolder::JobsFolder(fs::path path, Use use, std::vector<std::string> files)
    : path_(std::move(path)), use_(use), files_(std::move(files)) {
  std::error_code error;
  made_ = fs::create_directories(path_, error);
  if (error) fail_with(path_.string() + ": cannot be made", error.value());
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) fail_with(path_.string() + ": cannot be read", errno);
  // Some network file systems cannot lock folders; then other programs are not kept out.
  if (flock(lock_, (use == Use::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    throw InputError(path_.string() + ": another program is at work in it; expected to be alone");
  }
  if (use == Use::alone) remove_leftovers();
}

JobsFolder::~JobsFolder() {
  if (use_ == Use::alone) remove_leftovers();
  if (made_) rmdir(path_.c_str());  // unless something has come into it
  close(lock_);
}

void JobsFolder::remove_leftovers() const {
  remove_leftovers_in(path_, files_);
  std::error_code ignored;
  for (const fs::path& path : results::paths_in(path_)) {
    if (fs::is_directory(fs::symlink_status(path, ignored))) remove_leftovers_in(path, files_);
  }
}

}  // namespace ddl::jobs
