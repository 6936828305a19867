#include "sim/jobs/live_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl::jobs {
namespace {

[[noreturn]] void fail_live(const std::string& file, int error) {
  fail_with("--live " + file + ": cannot be written", error);
}

}  // namespace

LiveLines::LiveLines(const std::string& file) : file_(file) {
  if (file == "-") {
    descriptor_ = dup(STDOUT_FILENO);
  } else {
    std::error_code ignored;  // opening says what is wrong
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
    descriptor_ = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) fail_live(file, errno);
}

LiveLines::~LiveLines() { close(descriptor_); }

std::function<void(const run::CurveRow&)> LiveLines::of(const LiveRun& run) const {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error of writing
  return [this, run](const run::CurveRow& row) {
    const std::string line = live_line(run, row);
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t written = write(descriptor_, line.data() + done, line.size() - done);
      if (written < 0 && errno != EINTR) fail_live(file_, errno);
      if (written > 0) done += static_cast<std::size_t>(written);
    }
  };
}

std::string live_line(const LiveRun& run, const run::CurveRow& row) {
  nlohmann::ordered_json json = {{"run", run.name}, {"seed", run.seed}};
  run::Table<run::CurveRow>::columns([&](const char* name, const char*, const char*, auto place) {
    if constexpr (std::is_same_v<decltype(row.*place), const std::optional<double>&>) {
      json[name] = row.*place ? nlohmann::ordered_json(*(row.*place)) : nlohmann::ordered_json();
    } else if (std::string(name) != "worker") {  // a mean over all
      json[name] = row.*place;
    }
  });
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ddl::jobs
