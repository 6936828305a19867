#include "sim/studies/jobs_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::studies {
namespace fs = std::filesystem;
namespace {

void remove_leftovers_in(const fs::path& folder, const std::vector<std::string>& files) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_leftover(entry.path().filename().string(), files)) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove_all(path, error);
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
  if (error) throw InputError(path_.string() + ": cannot be made: " + error.message());
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw InputError(path_.string() + ": cannot be read: " + std::strerror(errno));
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
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (entry.is_directory(error)) remove_leftovers_in(entry.path(), files_);
  }
}

}  // namespace ddl::studies
