// A folder with the results of many jobs: <folder>/<name>/<seed>/ each, beside files of the folder's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddl::jobs {

// While it lives, the folder is there and in use. One program may use it alone, or tasks of a cluster may share it. A
// program that uses it alone removes what killed programs left half-written, before and after, but no file of others.
class JobsFolder {
 public:
  enum class Use { alone, shared };
  // `files` are those that the folder has of its own. Throws InputError: cannot be made, or another program is at work
  // in it.
  JobsFolder(std::filesystem::path path, Use use, std::vector<std::string> files);
  ~JobsFolder();
  JobsFolder(const JobsFolder&) = delete;
  JobsFolder& operator=(const JobsFolder&) = delete;

 private:
  void remove_leftovers() const;

  std::filesystem::path path_;
  Use use_;
  std::vector<std::string> files_;
  bool made_ = false;  // it was not there before
  int lock_ = -1;
};

// Whether a name in such a folder is of something that was being written.
bool is_leftover(const std::string& name, const std::vector<std::string>& files);

}  // namespace ddl::jobs
