#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/jobs/expect/expect.hpp"
#include "sim/jobs/sweep/run_sweep.hpp"
#include "sim/scenario/checks/checks.hpp"

namespace ddl::jobs {
namespace {

namespace fs = std::filesystem;
using scenario::Scenario;

class Planner {
 public:
  Planner(const Registry& systems, const ExpectRequest& request) : systems_(systems), request_(request) {}

  ExpectPlan plan() {
    std::vector<const Scenario*> asked;
    for (const std::string& file : request_.files) {
      const Scenario* scenario = read(file);
      if (scenario == nullptr) continue;
      scenario::Findings findings(file);
      scenario::check_judgeable(*scenario, findings);
      for (const std::string& line : findings.lines()) lines_.push_back(line);
      if (findings.empty()) asked.push_back(scenario);
    }
    for (const Scenario* scenario : asked) add(*scenario);
    if (!lines_.empty()) throw scenario::ScenarioErrors(lines_);
    return std::move(plan_);
  }

 private:
  // Each file once. Null: it is not right, and said so.
  const Scenario* read(const std::string& file) {
    std::error_code ignored;
    const std::string path = fs::weakly_canonical(file, ignored).string();
    const auto [known, fresh] = read_.emplace(path, nullptr);
    if (!fresh) return known->second;
    try {
      plan_.scenarios.push_back(scenario::read_scenario(systems_, file, request_.overrides));
      known->second = &plan_.scenarios.back();
    } catch (const scenario::ScenarioErrors& errors) {
      lines_.insert(lines_.end(), errors.lines.begin(), errors.lines.end());
    }
    return known->second;
  }

  void add(const Scenario& scenario) {
    ExpectedScenario expected{&scenario, request_.seeds, {}, {}};
    if (expected.seeds.empty()) expected.seeds = {scenario.seed};
    expected.jobs = jobs_of(scenario, expected.seeds);
    for (const scenario::Expectation& expectation : scenario.expect) {
      expected.rivals.emplace_back();
      if (expectation.better_than.empty()) continue;
      const Scenario* rival = read(scenario::resolve_path(scenario, expectation.better_than));
      if (rival == nullptr) continue;
      const std::string_view ours = scenario.evaluate.judged_by().word, theirs = rival->evaluate.judged_by().word;
      if (ours == theirs) {
        expected.rivals.back() = jobs_of(*rival, expected.seeds);
      } else {
        lines_.push_back(
            fmt::format("{}: $.expect[{}].better_than: is judged by {}, this scenario by {}; expected one "
                        "evaluate.metric for both",
                        scenario.file, expected.rivals.size() - 1, theirs, ours));
      }
    }
    plan_.expected.push_back(std::move(expected));
  }

  std::vector<std::size_t> jobs_of(const Scenario& scenario, const std::vector<std::uint64_t>& seeds) {
    std::vector<std::size_t> jobs;
    for (const std::uint64_t seed : seeds) {
      const std::string name = scenario.name + "/" + std::to_string(seed);
      const auto [known, fresh] = jobs_.emplace(name, plan_.jobs.size());
      if (fresh) {
        plan_.jobs.push_back({&scenario, seed, fs::path(request_.out) / name, name});
      } else if (const Scenario& owner = *plan_.jobs[known->second].scenario; &owner != &scenario) {
        lines_.push_back(scenario.file + ": $.name: its results would replace those of " + owner.file +
                         "; expected another name");
        break;
      }
      jobs.push_back(known->second);
    }
    return jobs;
  }

  const Registry& systems_;
  const ExpectRequest& request_;
  ExpectPlan plan_;
  std::vector<std::string> lines_;
  std::map<std::string, const Scenario*> read_;  // by canonical path
  std::map<std::string, std::size_t> jobs_;      // by name
};

}  // namespace

ExpectPlan plan_expectations(const Registry& systems, const ExpectRequest& request) {
  return Planner(systems, request).plan();
}

std::vector<std::string> run_expectations(const ExpectPlan& plan, int at_once,
                                          const std::function<void(const RunsProgress&)>& progress) {
  JobOptions options;
  options.at_once = at_once;
  options.threads = std::max(1, usable_cores() / at_once);
  options.replace = results::Replace::any_scenario;
  options.progress = progress;
  std::vector<std::string> failures(plan.jobs.size());
  run_jobs(plan.jobs, FinishedRuns().open_of(plan.jobs), options,
           [&](std::size_t job, const JobEnd& end) { failures[job] = why_failed(end); });
  return failures;
}

}  // namespace ddl::jobs
