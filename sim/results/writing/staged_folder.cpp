#include "sim/results/writing/staged_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/signals_held.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

// A parent was gone again: another run that had made it has tidied up after itself.
struct ParentVanished : InputError {
  using InputError::InputError;
};

[[noreturn]] void fail_making(const fs::path& path, const char* what, int error) {
  if (error == ENOENT) throw ParentVanished(path.string() + ": " + what + ": " + std::strerror(error));
  fail_with(path.string() + ": " + what, error);
}

// The beginning of hidden names beside `target` that processes of this machine give: ".1.partial-host-".
std::string hidden_prefix(const fs::path& target) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return "." + target.filename().string() + ".partial-" + host.data() + "-";
}

// The process in a hidden name behind its prefix, "4711-0"; 0 if it is none of ours.
pid_t process_in(std::string_view rest) {
  long process = 0;
  int attempt = 0;
  const char* const end = rest.data() + rest.size();
  const auto number = std::from_chars(rest.data(), end, process);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '-') return 0;
  const auto last = std::from_chars(number.ptr + 1, end, attempt);
  return last.ec == std::errc() && last.ptr == end ? static_cast<pid_t>(process) : 0;
}

// Also of one that has ended and that its parent has not waited for, as where nothing reaps the orphans of a container.
bool is_gone(pid_t process) {
  if (kill(process, 0) != 0) return errno == ESRCH;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");  // a name may have brackets of its own
  return name_end != std::string::npos && (text[name_end + 2] == 'Z' || text[name_end + 2] == 'X');
}

// The first hidden name beside `target` that is free, of this process.
fs::path free_sibling(const fs::path& target) {
  std::error_code ignored;
  for (int attempt = 0;; ++attempt) {
    const std::string name = hidden_prefix(target) + std::to_string(getpid()) + "-" + std::to_string(attempt);
    fs::path sibling = target.parent_path() / name;
    if (!fs::exists(fs::symlink_status(sibling, ignored))) return sibling;
  }
}

void make_folder(const fs::path& folder, const fs::path& target) {
  if (mkdir(folder.c_str(), 0777) != 0) fail_making(target, "cannot be written", errno);
}

// Outermost first.
std::vector<fs::path> missing_parents(const fs::path& target) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path folder = target.parent_path(); !folder.empty() && !fs::exists(folder, ignored);
       folder = folder.parent_path()) {
    missing.insert(missing.begin(), folder);
    if (folder == folder.parent_path()) break;
  }
  return missing;
}

void keep_others(const fs::path& from, const fs::path& to, const std::function<bool(const std::string&)>& ours) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(from)) names.push_back(entry.path().filename().string());
  for (const std::string& name : names) {
    if (!ours(name)) fs::rename(from / name, to / name);
  }
}

}  // namespace

std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator next(folder, error); !error && next != fs::directory_iterator(); next.increment(error)) {
    paths.push_back(next->path());
  }
  return paths;
}

void remove_ours(const fs::path& folder, const std::function<bool(const std::string& name)>& ours) {
  std::error_code ignored;
  for (const fs::path& path : paths_in(folder)) {
    if (ours(path.filename().string())) fs::remove(path, ignored);
  }
  rmdir(folder.c_str());
}

StagedFolder::StagedFolder(fs::path target)
    : target_(std::move(target)), staged_(free_sibling(target_)), parents_(missing_parents(target_)) {}

StagedFolder::~StagedFolder() { remove_all(); }

void StagedFolder::remove_all() noexcept {
  std::error_code ignored;
  if (!staged_.empty()) fs::remove_all(staged_, ignored);
  // rmdir spares what another run has put there meanwhile.
  for (auto path = parents_.rbegin(); path != parents_.rend(); ++path) rmdir(path->c_str());
}

void StagedFolder::make() const {
  constexpr int most_attempts = 100;
  for (int attempt = 1;; ++attempt) {
    try {
      for (const fs::path& folder : missing_parents(target_)) {
        if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) fail_making(folder, "cannot be made", errno);
      }
      make_folder(staged_, target_);
      return;
    } catch (const ParentVanished&) {
      if (attempt == most_attempts) throw;
    }
  }
}

void StagedFolder::write(const std::string& name, std::initializer_list<std::string_view> pieces) const {
  const fs::path place = target_ / name;  // where the reader would have found it
  std::FILE* file = std::fopen((staged_ / name).c_str(), "wbe");
  if (file == nullptr) fail_with(place.string() + ": cannot be written", errno);
  int error = 0;
  for (const std::string_view piece : pieces) {
    if (error == 0 && std::fwrite(piece.data(), 1, piece.size(), file) != piece.size()) error = errno;
  }
  // A full disk may show only when the buffer is emptied or the file is closed.
  if (std::fflush(file) != 0 && error == 0) error = errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error != 0) fail_with(place.string() + ": cannot be written", error);
}

void remove_left_over(const fs::path& target, const std::function<bool(const std::string&)>& ours) {
  const std::string prefix = hidden_prefix(target);
  for (const fs::path& path : paths_in(target.parent_path())) {
    const std::string name = path.filename().string();
    if (!name.starts_with(prefix)) continue;
    const pid_t process = process_in(std::string_view(name).substr(prefix.size()));
    if (process > 0 && is_gone(process)) remove_ours(path, ours);
  }
}

void StagedFolder::publish(const std::function<bool(const std::string& name)>& ours, bool exchange) {
  const process::SignalsHeld held;
  std::error_code unreadable;
  if (!fs::exists(fs::symlink_status(target_, unreadable))) {
    if (rename(staged_.c_str(), target_.c_str()) != 0) {
      if (errno == ENOTEMPTY || errno == EEXIST) throw TargetAppeared(target_.string() + ": another program writes it");
      fail_with(target_.string() + ": cannot be written", errno);
    }
    staged_.clear();
    parents_.clear();
    remove_left_over(target_, ours);
    return;
  }
  if (exchange && renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    // staged_ now names the old folder.
  } else {
    const fs::path old = free_sibling(target_);
    make_folder(old, target_);
    if (rename(target_.c_str(), old.c_str()) != 0) {
      const int error = errno;
      rmdir(old.c_str());
      fail_with(target_.string() + ": cannot be replaced", error);
    }
    if (rename(staged_.c_str(), target_.c_str()) != 0) {
      const int error = errno;
      rename(old.c_str(), target_.c_str());
      fail_with(target_.string() + ": cannot be replaced", error);
    }
    staged_ = old;
  }
  parents_.clear();
  try {
    keep_others(staged_, target_, ours);
  } catch (const std::exception&) {
    // The new folder stands; whatever could not be moved stays in the old one, under its hidden name.
    staged_.clear();
    return;
  }
  remove_left_over(target_, ours);
}

void check_can_make(const fs::path& target) {
  StagedFolder probe(target);
  probe.make();
}

}  // namespace ddl::results
