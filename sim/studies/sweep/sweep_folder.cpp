#include "sim/studies/sweep/sweep_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.hpp"
#include "sim/results/writing/run_json.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::studies {
namespace fs = std::filesystem;
namespace {

constexpr const char* marker = "sweep.json";

bool is_leftover(const std::string& name) {
  if (!name.starts_with('.')) return false;
  if (name.find(".partial-") != std::string::npos) return true;
  for (const char* file : {".sweep.json.", ".sweep.csv.", ".means.csv."}) {
    if (name.starts_with(file)) return true;
  }
  return false;
}

void remove_leftovers_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_leftover(entry.path().filename().string())) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove_all(path, error);
}

}  // namespace

fs::path sweep_place(const std::string& out, const SweepPlan& plan) {
  fs::path path = fs::path(out.empty() ? "." : out) / plan.name;
  std::error_code error;
  if (!fs::exists(path, error)) return path;
  if (!fs::is_directory(path, error)) throw InputError(path.string() + ": is not a folder; expected one, or none");
  if (fs::exists(path / marker, error)) return path;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (is_leftover(entry.path().filename().string())) continue;
    throw InputError(path.string() + ": holds no sweep (no " + marker +
                     ") and is left alone; expected another name or --out");
  }
  return path;
}

OwnResults::OwnResults() : identity_(results::program_identity()) {}

bool OwnResults::has(const fs::path& folder, const scenario::Scenario& scenario) const {
  const std::string text = results::content_of((folder / "run.json").string());
  return !text.empty() && results::is_run_json_of(scenario, identity_, text);
}

std::vector<std::size_t> OwnResults::open_runs(const fs::path& folder, const SweepPlan& plan) const {
  std::vector<std::size_t> open;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (!has(folder / plan.name_of(run), plan.scenario_of(run))) open.push_back(run);
  }
  return open;
}

SweepFolder::SweepFolder(fs::path path, const SweepPlan& plan, Use use) : path_(std::move(path)), use_(use) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw InputError(path_.string() + ": cannot be made: " + error.message());
  lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw InputError(path_.string() + ": cannot be read: " + std::strerror(errno));
  // Some network file systems cannot lock folders; then nobody is kept out.
  if (flock(lock_, (use == Use::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    throw InputError(path_.string() + ": another program is at work in it; expected to be alone");
  }
  try {
    const std::string file = (path_ / marker).string();
    if (use == Use::alone) remove_leftovers();
    if (results::content_of(file) != plan.text) results::write_whole(file, plan.text);
  } catch (...) {
    close(lock_);
    throw;
  }
}

SweepFolder::~SweepFolder() {
  if (use_ == Use::alone) remove_leftovers();
  close(lock_);
}

void SweepFolder::remove_leftovers() const {
  remove_leftovers_in(path_);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    if (entry.is_directory(error)) remove_leftovers_in(entry.path());
  }
}

}  // namespace ddl::studies
