// A folder that appears whole or not at all: it is filled under a hidden name beside its place and renamed into it.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"

namespace ddl::results {

// Another program has put a folder in the place of one that was about to appear there.
struct TargetAppeared : InputError {
  using InputError::InputError;
};

// Empty if the folder cannot be read.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);
// Removes the files of a folder that are `ours`, and the folder itself if nothing else is in it.
void remove_ours(const std::filesystem::path& folder, const std::function<bool(const std::string& name)>& ours);

// Removes the files that are `ours` from hidden folders that killed processes of this machine have left beside
// `target`. Those of other machines stay: their processes may be alive.
void remove_left_over(const std::filesystem::path& target, const std::function<bool(const std::string& name)>& ours);

// The process that makes it publishes it; in between, a forked one may fill it. Its maker removes what was not
// published, whatever has become of that process. Its hidden name tells its maker, so that others know what is left
// over.
class StagedFolder {
 public:
  // Makes nothing yet.
  explicit StagedFolder(std::filesystem::path target);
  // Removes what was not published, and the folders that it needed.
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& place() const { return staged_; }  // until it is published
  // Makes the hidden folder, and the folders above `target` that are missing. Throws InputError.
  void make() const;
  // One file of the hidden folder, its content in pieces. Throws InputError (a full disk, say).
  void write(const std::string& name, std::initializer_list<std::string_view> pieces) const;

  // Puts the folder in its place, at once. If there is one already it is removed, but for its files that are not
  // `ours`, which move over. With `exchange` the two swap in one step where the file system can; otherwise the old one
  // is moved aside and comes back if the new one cannot take its place. Throws InputError, and then the old one is
  // still there: TargetAppeared if there was none before; the call may then be repeated. Files that are `ours` in what
  // killed processes of this machine have left of the same target go.
  void publish(const std::function<bool(const std::string& name)>& ours, bool exchange = true);

 private:
  void remove_all() noexcept;

  std::filesystem::path target_;
  std::filesystem::path staged_;                // empty once there is nothing to remove
  std::vector<std::filesystem::path> parents_;  // missing before, outermost first
};

// Tries whether `target` could be made, and leaves no trace. Throws InputError.
void check_can_make(const std::filesystem::path& target);

}  // namespace ddl::results
