#include "sim/jobs/batch/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/check.hpp"
#include "sim/jobs/batch/job_line.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/process/child.hpp"
#include "sim/process/failures.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_line = 16 << 20, most_waiting_bytes = 64 << 20;

// Lines of a descriptor that is read without ever waiting. Of a line that is too long the beginning is kept, so that it
// is known for what it is.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  // Call when there is something to read; at the end the last line needs no newline. False: it was the end.
  bool read_some(const std::function<void(std::string line)>& take) {
    char bytes[1 << 16];
    const ssize_t count = read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return true;
    if (count < 0) throw InputError(std::string("the standard input cannot be read: ") + std::strerror(errno));
    for (const char* next = bytes; next != bytes + count;) {
      const char* const end = std::find(next, static_cast<const char*>(bytes + count), '\n');
      if (line_.size() <= longest_line) line_.append(next, end);
      if (end == bytes + count) break;
      take(std::exchange(line_, {}));
      next = end + 1;
    }
    if (count == 0 && !line_.empty()) take(std::exchange(line_, {}));
    return count > 0;
  }

 private:
  const int descriptor_;
  std::string line_;
};

class Batch {
 public:
  Batch(const Registry& systems, const BatchOptions& options, const std::function<void(const std::string&)>& answer)
      : systems_(systems), options_(options), answer_(answer), jobs_(options_of(options)), runs_(jobs_) {
    systems_.open_libraries(options.trusted);
  }

  BatchOutcome run(int input) {
    LineReader lines(input);
    for (bool goes_on = true; goes_on || !waiting_.empty() || children_.size() > 0;) {
      const auto next =
          std::ranges::find_if(waiting_, [&](const auto& job) { return !runs_.is_learning(job.learning); });
      const bool can_start = next != waiting_.end() && children_.size() < static_cast<std::size_t>(options_.at_once);
      const bool listens = goes_on && waiting_bytes_ < most_waiting_bytes;
      const auto done = [this](std::size_t number, const process::ChildAnswer& child) { end(number, child); };
      if (children_.wait(done, can_start ? 0 : process::Children::between_looks, listens ? input : -1)) {
        goes_on = lines.read_some([this](const std::string& line) { take(line); });
      } else if (can_start) {
        start_next(next);
      }
    }
    return outcome_;
  }

 private:
  // A line until its job starts.
  struct Waiting {
    nlohmann::json id;
    std::string folder, place, line, name;
    std::string learning{};  // empty, unless it waits for a job that learns the same
  };
  struct AtWork {
    nlohmann::json id;
    std::string place;
    scenario::Scenario scenario;
    Job job{};
  };

  static JobOptions options_of(const BatchOptions& options) {
    JobOptions jobs;
    jobs.at_once = options.at_once;
    jobs.threads = std::max(1, usable_cores() / options.at_once);
    return jobs;
  }

  // --- lines ---

  void take(const std::string& line) {
    const std::string name = fmt::format("line {}", ++lines_);
    if (line.find_first_not_of(" \t\r") == std::string::npos) return;
    if (line.size() > longest_line) {
      return refuse({}, {}, fmt::format("{}: has more than {} bytes; expected less", name, longest_line));
    }
    const JobLine job = read_job_line(line, name);
    if (!job.errors.empty()) return refuse(job.id, job.out, fmt::format("{}", fmt::join(job.errors, "\n")));
    if (job.cancel) return cancel(*job.cancel);
    std::string place = job.place().string();
    if (!places_.insert(place).second) {
      return refuse(job.id, job.out,
                    fmt::format("{}: $.out: another job has the folder {}; expected one of its own, or a line after "
                                "the answer to that",
                                name, scenario::in_quotes(job.out)));
    }
    waiting_bytes_ += line.size();
    waiting_.push_back({job.id, job.out, std::move(place), line, name});
  }

  void cancel(const nlohmann::json& id) {
    for (auto job = waiting_.begin(); job != waiting_.end();) {
      if (job->id != id) {
        ++job;
        continue;
      }
      say(job->id, "cancelled", job->folder);
      waiting_bytes_ -= job->line.size();
      places_.erase(job->place);
      job = waiting_.erase(job);
    }
    for (auto job = at_work_.begin(); job != at_work_.end();) {
      if (job->second.id != id) {
        ++job;
        continue;
      }
      children_.end(job->first);
      runs_.drop(job->first);
      say(id, "cancelled", job->second.job.name);
      places_.erase(job->second.place);
      job = at_work_.erase(job);
    }
  }

  // --- jobs ---

  void start_next(std::deque<Waiting>::iterator place) {
    Waiting next = std::move(*place);
    place = waiting_.erase(place);
    waiting_bytes_ -= next.line.size();
    try {
      if (!start(next)) {
        waiting_bytes_ += next.line.size();
        waiting_.insert(place, std::move(next));
      }
      return;
    } catch (const InputError& error) {
      refuse(next.id, next.folder, error.what());
    } catch (const scenario::ScenarioErrors& errors) {
      refuse(next.id, next.folder, errors.what());
    } catch (const process::RunFailed& error) {  // from asking a program for its version
      fail(next.id, next.folder, error.what());
    }
    places_.erase(next.place);
  }

  // Unless it is finished. False: what it learns is about to be known.
  bool start(Waiting& next) {
    const JobLine line = read_job_line(next.line, next.name);
    const scenario::Scenario scenario = scenario_of(line, next.name);
    if (scenario.program && !options_.trusted) {
      throw InputError(next.name + ": $.scenario.model.command: names a program, which only --trust starts here");
    }
    const std::size_t number = ++started_;
    AtWork& work = at_work_.emplace(number, AtWork{next.id, next.place, scenario}).first->second;
    work.job = {&work.scenario, line.seed.value_or(scenario.seed), next.folder, next.folder};
    work.scenario.seed = work.job.seed;
    const auto replace = line.force ? results::Replace::any_scenario : results::Replace::same_scenario;
    try {
      const bool is_there = options_.finished_only ? finished_.has_of_any_build(work.job) : finished_.has(work.job);
      if (is_there || options_.finished_only) {
        say(next.id, is_there ? "kept" : "open", next.folder);
        places_.erase(next.place);
        at_work_.erase(number);
        return true;
      }
      results::check_place(work.job.folder, work.scenario, replace);
      next.learning = runs_.learning_of(work.job);
      if (runs_.is_learning(next.learning)) {
        at_work_.erase(number);
        return false;
      }
    } catch (...) {
      at_work_.erase(number);
      throw;
    }
    children_.start(number, runs_.begin(number, work.job, replace));
    return true;
  }

  scenario::Scenario scenario_of(const JobLine& line, const std::string& name) const {
    if (!line.text) return scenario::read_scenario(systems_, line.file, line.overrides);
    try {
      return scenario::parse_scenario(systems_, *line.text, line.file, line.overrides);
    } catch (const scenario::ScenarioErrors& errors) {
      std::vector<std::string> lines = errors.lines;
      for (std::string& error : lines) {
        const std::string file = line.file + ": $";
        if (error.starts_with(file)) error = name + ": $.scenario" + error.substr(file.size());
      }
      throw scenario::ScenarioErrors(lines);
    }
  }

  void end(std::size_t number, const process::ChildAnswer& child) {
    const JobEnd end = runs_.end(number, child);
    const auto found = at_work_.find(number);
    const AtWork work = std::move(found->second);
    at_work_.erase(found);
    places_.erase(work.place);
    try {
      static_cast<void>(end.told());
      say(work.id, "done", work.job.name, end.run_s());
    } catch (const std::exception& error) {
      fail(work.id, work.job.name, error.what());
    }
  }

  // --- answers ---

  void refuse(const nlohmann::json& id, const std::string& folder, const std::string& why) {
    ++outcome_.refused;
    say(id, "refused", folder, {}, why);
  }
  void fail(const nlohmann::json& id, const std::string& folder, const std::string& why) {
    ++outcome_.failed;
    say(id, "failed", folder, {}, why);
  }
  void say(const nlohmann::json& id, const char* state, const std::string& folder, Json seconds = {},
           const Json& error = {}) {
    const Json line = {{"id", id},
                       {"state", state},
                       {"folder", folder.empty() ? Json() : Json(folder)},
                       {"seconds", std::move(seconds)},
                       {"error", error}};
    answer_(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  Registry systems_;
  const BatchOptions options_;
  const std::function<void(const std::string&)>& answer_;
  BatchOutcome outcome_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;  // the lines of these jobs
  std::set<std::string> places_;   // jobs without an answer yet
  std::map<std::size_t, AtWork> at_work_;
  std::size_t lines_ = 0, started_ = 0;
  FinishedRuns finished_;
  const JobOptions jobs_;
  RunsAtWork runs_;
  process::Children children_;  // before `runs_` goes, they have ended
};

}  // namespace

BatchOutcome run_batch(const Registry& systems, const BatchOptions& options, int input,
                       const std::function<void(const std::string& line)>& answer) {
  return Batch(systems, options, answer).run(input);
}

}  // namespace ddl::jobs
