#include "sim/advise/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/advise/tuning.hpp"
#include "sim/jobs/process/child.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {

extern const std::string_view shipped_scenario;  // scenarios/het_wan_ako_p3.json, whose task all shipped ones share

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct KnownCandidate {
  const char* name;
  const char* algorithm;  // JSON
  bool in_step = false;   // no worker can get far ahead of another, so that the lower bound is that of all of them
};

constexpr KnownCandidate known_candidates[] = {
    {"single", R"({"name": "single"})"},
    {"alone", R"({"name": "alone"})"},
    {"ps_async", R"({"name": "ps_async"})"},
    {"ps_sync", R"({"name": "ps_sync"})", true},
    {"ps_ssp", R"({"name": "ps_ssp"})", true},
    {"fedavg local_steps=8", R"({"name": "fedavg", "local_steps": 8})"},
    {"ring_allreduce", R"({"name": "ring_allreduce"})", true},
    {"ring_allreduce overlap=layers", R"({"name": "ring_allreduce", "overlap": "layers"})", true},
    {"tree_allreduce", R"({"name": "tree_allreduce"})", true},
    {"local_sgd local_steps=8", R"({"name": "local_sgd", "local_steps": 8})", true},
    {"local_sgd local_steps=32", R"({"name": "local_sgd", "local_steps": 32})", true},
    {"diloco sync_every=30", R"({"name": "diloco", "sync_every": 30})", true},
    {"diloco sync_every=100 fragments=2 delay=5",
     R"({"name": "diloco", "sync_every": 100, "fragments": 2, "fragment_sync_delay": 5})", true},
    {"ako partitions=1", R"({"name": "ako", "partitions": 1, "overflow": "merge"})"},
    {"ako partitions=2", R"({"name": "ako", "partitions": 2, "overflow": "merge"})"},
    {"ako partitions=4", R"({"name": "ako", "partitions": 4, "overflow": "merge"})"},
    {"ako partitions=auto", R"({"name": "ako", "partitions": "auto", "overflow": "merge"})"},
    {"gossip", R"({"name": "gossip"})"},
    {"d_psgd", R"({"name": "d_psgd", "topology": "ring"})", true},
    {"ad_psgd", R"({"name": "ad_psgd", "topology": "ring"})"},
    {"sgp", R"({"name": "sgp"})"},
};

// A gradient of a distributed worker is worth at most as much as one of a worker alone, in the time to an accuracy;
// this leaves room for that being wrong. Accuracy at the end asks for more room: one worker may have long stopped
// learning.
constexpr double room_for_time = 2, room_for_accuracy = 10;  // "half", "a tenth" where it is told

constexpr std::int64_t evaluated_samples = 1000;  // a ranking needs no more
constexpr double evaluations = 60;

// The system is the first word of a candidate's name.
std::string system_of(const KnownCandidate& known) {
  const std::string name = known.name;
  return name.substr(0, name.find(' '));
}

bool is_asked(const std::string& system, const std::vector<std::string>& systems) {
  return systems.empty() || system == "single" || std::ranges::count(systems, system) > 0;
}

void check_systems(const std::vector<std::string>& systems) {
  std::vector<std::string> known;
  for (const KnownCandidate& candidate : known_candidates) {
    if (std::ranges::count(known, system_of(candidate)) == 0) known.push_back(system_of(candidate));
  }
  for (const std::string& system : systems) {
    if (std::ranges::count(known, system) > 0) continue;
    throw InputError("--systems: " + scenario::in_quotes(system) + " is no candidate; " +
                     scenario::nearest_or(system, known, fmt::format("candidates are {}", fmt::join(known, ", "))));
  }
}

// ps0, ps1 and so on.
bool is_server_name(std::string_view name) {
  return name.starts_with("ps") && name.size() > 2 && name.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

std::string scenario_of_platform(const std::string& file, std::vector<std::string>& notes) {
  const std::string text = scenario::scenario_text(file, "a platform or a scenario");
  std::vector<std::string> servers = platform::read_platform_text(text, file).hosts;
  std::erase_if(servers, [](const std::string& name) { return !is_server_name(name); });
  notes.push_back(servers.empty() ? "All hosts are workers, for none is named ps0, ps1, ..."
                                  : fmt::format("Servers: {}; all other hosts are workers.", fmt::join(servers, ", ")));
  notes.emplace_back("No task was given: it is the one of the shipped scenarios, as in scenarios/het_wan_ako_p3.json.");
  Json scenario = Json::parse(shipped_scenario, nullptr, true, true);
  for (const char* own : {"name", "description", "expect"}) scenario.erase(own);
  scenario["platform"] = {{"file", fs::path(file).filename().string()}, {"servers", servers}};
  scenario["algorithm"] = "single";
  return scenario.dump(2);
}

// The test samples that there are, where that is known without reading them.
std::int64_t test_samples(const scenario::Scenario& scenario) {
  if (scenario.data.test) return *scenario.data.test;
  if (scenario.own_data) return *scenario.own_data->test;
  return scenario.data.source == data::DataSource::synthetic ? data::synthetic_test_samples : 10000;
}

scenario::Scenario scenario_with(const Question& question, const std::vector<scenario::Override>& changes) {
  return scenario::parse_scenario(question.systems, question.text, question.file, joined(question.set, changes));
}

std::string algorithm_text(const scenario::Scenario& scenario) {
  return Json::parse(scenario::describe_run(scenario))["algorithm"].dump();
}

// "FILE: $.algorithm.name: ..." without its place.
std::string bare(std::string line, const Question& question) {
  if (line.starts_with(question.file + ": ")) line = line.substr(question.file.size() + 2);
  const std::size_t colon = line.find(": ");
  return line.starts_with('$') && colon != std::string::npos ? line.substr(colon + 2) : line;
}

struct Entry {
  Candidate candidate;
  bool in_step = false;
  scenario::Scenario scenario;  // the question's own where this candidate's cannot be
  std::optional<run::Forecast> forecast = std::nullopt;
};

// In the long run a candidate whose workers keep in step takes no more gradients than one of each per least step time.
void exclude_by_bounds(std::vector<Entry>& entries, const scenario::Scenario& own, const Goal& goal) {
  const auto workers = scenario::workers_known(own.platform);  // none where only the loaded platform tells
  const double room = goal.target ? room_for_time : room_for_accuracy;
  const double of_one = 1 / entries.front().forecast->bounds.step_s;
  for (Entry& entry : entries) {
    if (!workers || !entry.forecast || !entry.in_step) continue;
    const double most = *workers / entry.forecast->bounds.step_s;
    if (most * room >= of_one) continue;
    entry.candidate.excluded = fmt::format(
        "can take at most {:.2g} gradients/s in all (by the lower bound of its step), less than {} of the {:.2g} of "
        "one worker alone (single)",
        most, goal.target ? "half" : "a tenth", of_one);
  }
}

}  // namespace

Question question_of(const Registry& systems, const std::string& file, const std::vector<scenario::Override>& overrides,
                     const Goal& goal) {
  Question question;
  question.systems = systems;
  question.file = file;
  question.set = overrides;
  const bool is_platform = fs::path(file).extension() == ".xml";
  question.text = is_platform ? scenario_of_platform(file, question.notes) : scenario::scenario_text(file);
  scenario::Scenario scenario = scenario::parse_scenario(systems, question.text, file, overrides);
  question.notes.insert(question.notes.end(), scenario.notes.begin(), scenario.notes.end());
  if (!scenario.stop.time) {
    throw scenario::ScenarioErrors(
        {file + ": $.stop.time: is missing; expected a time that all candidates may take, " + "such as \"600s\""});
  }
  if (!scenario.evaluate.every && !scenario.evaluate.every_iterations) {
    const double every = scenario.stop.time->value / evaluations;
    question.set.push_back({"evaluate.every", fmt::format("\"{}ms\"", std::max(1.0, std::floor(1e3 * every)))});
  }
  if (!scenario.evaluate.samples && test_samples(scenario) > evaluated_samples) {
    question.set.push_back({"evaluate.samples", std::to_string(evaluated_samples)});
    question.notes.push_back(
        fmt::format("Accuracy is that of {} test samples, which a ranking needs no more than.", evaluated_samples));
  }
  question.set.push_back({"record.iterations", "false"});
  check_tunable(scenario_with(question, {}), goal);
  question.name = jobs::changed_name(scenario.name, overrides);
  return question;
}

std::vector<Candidate> candidates_of(const Question& question, const Goal& goal,
                                     const std::vector<std::string>& systems, int at_once) {
  check_systems(systems);
  const scenario::Scenario own = scenario_with(question, {});
  std::vector<Entry> entries;
  const auto add = [&](Candidate candidate, bool in_step) {
    Entry& entry = entries.emplace_back(Entry{std::move(candidate), in_step, own});
    try {
      entry.scenario = scenario_with(question, entry.candidate.changes);
    } catch (const scenario::ScenarioErrors& errors) {
      entry.candidate.excluded = bare(errors.lines.front(), question);
    }
    const SystemFacts& facts = entry.scenario.algorithm->facts();
    entry.candidate.sends = !facts.one_trains && std::string_view(facts.name) != "alone";
  };
  for (const KnownCandidate& known : known_candidates) {
    if (is_asked(system_of(known), systems)) add({known.name, {{"algorithm", known.algorithm}}}, known.in_step);
  }
  const bool has_own = std::ranges::any_of(entries, [&](const Entry& entry) {
    return entry.candidate.excluded.empty() && algorithm_text(entry.scenario) == algorithm_text(own);
  });
  const std::string own_name = own.algorithm->facts().name;
  if (!has_own && is_asked(own_name, systems)) add({own_name + " as given", {}}, false);
  process::in_children(
      entries.size(), at_once,
      [&](std::size_t i) -> std::function<std::string()> {
        if (!entries[i].candidate.excluded.empty()) return nullptr;
        return [&, i] { return run::forecast_as_bytes(entries[i].scenario); };
      },
      [&](std::size_t i, const process::ChildAnswer& answer) {
        try {
          entries[i].forecast = run::forecast_from(answer.text());
        } catch (const InputError& error) {
          entries[i].candidate.excluded = bare(error.what(), question);
        }
      });
  const std::string& why = entries.front().candidate.excluded;
  if (!why.empty()) throw InputError(question.file + ": one worker alone cannot be run: " + why);
  exclude_by_bounds(entries, own, goal);
  std::vector<Candidate> candidates;
  for (Entry& entry : entries) candidates.push_back(std::move(entry.candidate));
  return candidates;
}

}  // namespace ddl::advise
