#include "sim/advise/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/advise/tuning.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/learning/learner.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {

extern const std::string_view shipped_scenario;  // scenarios/het_wan_ako_p3.json, whose task all shipped ones share

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Settings that are tried wherever a system has them, beside its defaults.
struct Knob {
  std::string_view key;
  std::vector<const char*> values;  // JSON
};
const Knob knobs[] = {{"partitions", {"1", "2", "4", R"("auto")"}},
                      {"local_steps", {"8", "32", "128"}},
                      {"sync_every", {"30", "100"}},
                      {"overlap", {R"("layers")", "true"}},
                      {"codec", {R"({"type": "qsgd"})", R"({"type": "top_k"})"}}};

// No worker can get far ahead of another, so that the lower bound of a step is that of all of them.
constexpr std::string_view in_step[] = {"ps_sync",
                                        "ps_ssp",
                                        "ring_allreduce",
                                        "tree_allreduce",
                                        "star_allreduce",
                                        "hierarchical_allreduce",
                                        "butterfly_allreduce",
                                        "local_sgd",
                                        "diloco",
                                        "d_psgd",
                                        "choco",
                                        "partial_allreduce"};

// A gradient of a distributed worker is worth at most as much as one of a worker alone, in the time to an accuracy;
// this leaves room for that being wrong. Accuracy at the end asks for more room: one worker may have long stopped
// learning.
constexpr double room_for_time = 2, room_for_accuracy = 10;  // "half", "a tenth" where it is told

constexpr std::int64_t evaluated_samples = 1000;  // a ranking needs no more
constexpr double evaluations = 60;

bool has(const std::vector<std::string>& list, const std::string& name) { return std::ranges::count(list, name) > 0; }

// What a question may be about, and what it is about: the baseline first, if there is one.
struct Names {
  std::vector<std::string> known, asked;
  std::string baseline = {};
};

Names names_of(const Registry& systems, const Chosen& chosen) {
  Names names;
  std::string& baseline = names.baseline;
  for (const auto& system : systems) {
    const SystemFacts& facts = system->facts();
    if (facts.is_model_parallel()) continue;  // its workers have no whole model each
    names.known.emplace_back(facts.name);
    // Unasked: the first of one worker alone and the built-in system in which all are alone.
    const bool alone = facts.one_trains || names.known.back() == "alone";
    if (alone && baseline.empty() && !has(chosen.without, names.known.back())) baseline = names.known.back();
  }
  for (const auto& [option, list] : {std::pair("--systems", &chosen.only), {"--exclude", &chosen.without}}) {
    for (const std::string& name : *list) {
      if (has(names.known, name)) continue;
      throw InputError(fmt::format(
          "{}: {} is no candidate; {}", option, scenario::in_quotes(name),
          scenario::nearest_or(name, names.known, fmt::format("candidates are {}", fmt::join(names.known, ", ")))));
    }
  }
  if (!baseline.empty()) names.asked.push_back(baseline);
  for (const std::string& name : names.known) {
    const bool asked = chosen.only.empty() || has(chosen.only, name);
    if (asked && name != baseline && !has(chosen.without, name)) names.asked.push_back(name);
  }
  const auto is_asked = [&](const std::string& name) { return has(names.asked, name); };
  if (names.asked.empty() || (!chosen.only.empty() && std::ranges::none_of(chosen.only, is_asked))) {
    throw InputError("--exclude: leaves no candidate; expected one at least");
  }
  return names;
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

// The test samples that there are; none where only a program knows.
std::optional<std::int64_t> test_samples(const scenario::Scenario& scenario) {
  if (scenario.program) return std::nullopt;
  if (scenario.data.test) return *scenario.data.test;
  if (scenario.data.source == data::DataSource::synthetic) return data::synthetic_test_samples;
  try {
    return std::stoll(process::in_child([&] { return std::to_string(run::load_data(scenario).test.size()); }));
  } catch (const InputError&) {
    return std::nullopt;  // the runs will say what is wrong
  }
}

scenario::Scenario scenario_with(const Question& question, const std::vector<scenario::Override>& changes) {
  return scenario::parse_scenario(question.systems, question.text, question.file, joined(question.set, changes));
}

std::string algorithm_text(const scenario::Scenario& scenario) {
  return Json::parse(scenario::describe_run(scenario))["algorithm"].dump();
}

// "FILE: $.evaluate.samples: ..." without the file and, of what is said of a system, without that key.
std::string bare(std::string line, const Question& question) {
  for (const std::string& before : {question.file + ": ", std::string("$.algorithm.name: ")}) {
    if (line.starts_with(before)) line = line.substr(before.size());
  }
  return line;
}

// A run of a candidate, the question's own where it cannot be.
struct Entry {
  scenario::Scenario scenario;
  std::string excluded = {};
  std::optional<run::Forecast> forecast = std::nullopt;
};

Entry entry_of(const Question& question, const std::string& algorithm) {
  try {
    return {scenario_with(question, {{"algorithm", algorithm}})};
  } catch (const scenario::ScenarioErrors& errors) {
    return {scenario_with(question, {}), bare(errors.lines.front(), question)};
  }
}

void forecast(std::vector<Entry*> entries, const Question& question, int at_once) {
  std::erase_if(entries, [](const Entry* entry) { return !entry->excluded.empty(); });
  process::in_children(
      entries.size(), at_once,
      [&](std::size_t i) { return [entry = entries[i]] { return run::forecast_as_bytes(entry->scenario); }; },
      [&](std::size_t i, const process::ChildAnswer& answer) {
        try {
          entries[i]->forecast = run::forecast_from(answer.text());
        } catch (const InputError& error) {
          entries[i]->excluded = bare(error.what(), question);
        }
      });
}

// Whether its traffic tells of anything that travels; bounds know only of what a step waits for. Builds the platform.
bool sends(const Entry& entry) {
  if (entry.forecast->bounds.bytes_per_step > 0) return true;
  const auto messages = [&] {
    const platform::Fabric fabric(entry.scenario);
    const Traffic traffic =
        entry.scenario.algorithm->traffic(run::make_cluster(entry.scenario, fabric, nullptr, nullptr));
    double found = traffic.unlisted_messages + static_cast<double>(traffic.unlisted.size());
    for (const auto& flows : traffic.phases) found += static_cast<double>(flows.size());
    return std::to_string(found);
  };
  return std::stod(process::in_child(messages)) > 0;
}

// The system as given if it is the scenario's own, else with its defaults; and with each other value of a knob that it
// accepts.
std::vector<Variant> variants_of(const Question& question, const scenario::Scenario& own, const std::string& system) {
  std::vector<Variant> variants = {{"", Json{{"name", system}}.dump()}};
  if (system == own.algorithm->facts().name) variants.front().algorithm = algorithm_text(own);
  const Entry first = entry_of(question, variants.front().algorithm);
  if (!first.excluded.empty()) return variants;
  const Json settings = Json::parse(algorithm_text(first.scenario));
  std::vector<std::string> known = {settings.dump()};
  for (const Knob& knob : knobs) {
    if (!settings.contains(knob.key)) continue;
    for (const char* value : knob.values) {
      Json changed = Json::parse(variants.front().algorithm);
      changed[std::string(knob.key)] = Json::parse(value);
      const Entry entry = entry_of(question, changed.dump());
      const std::string text = entry.excluded.empty() ? algorithm_text(entry.scenario) : known.front();
      if (has(known, text)) continue;
      known.push_back(text);
      const Json shown = changed[std::string(knob.key)].is_object() ? changed[std::string(knob.key)]["type"]
                                                                    : changed[std::string(knob.key)];
      variants.push_back({fmt::format("{}={}", knob.key, shown.is_string() ? shown.get<std::string>() : shown.dump()),
                          changed.dump()});
    }
  }
  return variants;
}

// What the others are measured by.
struct Baseline {
  std::string text;
  double gradients_per_s = 0;
};

// In the long run a system whose workers keep in step takes no more gradients than one of each per least step time.
std::string too_slow(const Entry& entry, const Baseline& baseline, int workers, const Goal& goal) {
  const double room = goal.target ? room_for_time : room_for_accuracy, most = workers / entry.forecast->bounds.step_s;
  if (most * room >= baseline.gradients_per_s) return "";
  return fmt::format(
      "can take at most {:.2g} gradients/s in all (by the lower bound of its step), less than {} of the {:.2g} of {}",
      most, goal.target ? "half" : "a tenth", baseline.gradients_per_s, baseline.text);
}

// Where the bound of the first variant is too low, leaves those whose bounds are not; without any the candidate is
// excluded.
void exclude_by_bounds(Candidate& candidate, const Entry& first, const Question& question, const Baseline& baseline,
                       const Goal& goal, int at_once) {
  const auto workers = scenario::workers_known(first.scenario.platform);  // none where only the loaded platform tells
  if (!workers || !first.forecast || std::ranges::count(in_step, candidate.system) == 0) return;
  const std::string why = too_slow(first, baseline, *workers, goal);
  if (why.empty()) return;
  std::vector<Entry> others;
  std::vector<Entry*> to_forecast;
  for (std::size_t i = 1; i < candidate.variants.size(); ++i) {
    others.push_back(entry_of(question, candidate.variants[i].algorithm));
  }
  for (Entry& entry : others) to_forecast.push_back(&entry);
  forecast(to_forecast, question, at_once);
  std::vector<Variant> left;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const bool quick = others[i].forecast && too_slow(others[i], baseline, *workers, goal).empty();
    if (quick) left.push_back(candidate.variants[i + 1]);
  }
  if (left.empty()) candidate.excluded = why;
  candidate.variants = std::move(left);
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
  check_tunable(scenario_with(question, {}), goal);
  if (!scenario.evaluate.samples && test_samples(scenario).value_or(0) > evaluated_samples) {
    question.set.push_back({"evaluate.samples", std::to_string(evaluated_samples)});
    question.notes.push_back(
        fmt::format("Accuracy is that of {} test samples, which a ranking needs no more than.", evaluated_samples));
  }
  question.set.push_back({"record.iterations", "false"});
  question.name = jobs::changed_name(scenario.name, overrides);
  return question;
}

std::vector<std::string> why_excluded(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::string> names;  // by reason
  for (const Candidate& candidate : candidates) {
    // "\"ps_sync\" needs a server" is said of several.
    const std::string own = scenario::in_quotes(candidate.system) + " ";
    const std::string& why = candidate.excluded;
    std::string& some = names[why.starts_with(own) ? why.substr(own.size()) : why];
    some += (some.empty() ? "" : ", ") + candidate.system;
  }
  std::vector<std::string> lines;
  for (const auto& [why, some] : names) lines.push_back(some + ": " + why);
  return lines;
}

std::string baseline_text(const Candidate& baseline) {
  return fmt::format("{} worker alone ({})", baseline.one_trains ? "one" : "each", baseline.system);
}

std::vector<Candidate> candidates_of(const Question& question, const Goal& goal, const Chosen& chosen, int at_once) {
  const scenario::Scenario own = scenario_with(question, {});
  const Registry& systems = own.algorithm.among();
  const Names names = names_of(systems, chosen);
  std::vector<Candidate> candidates;
  std::vector<Entry> entries;
  for (const std::string& name : names.asked) {
    const auto system = std::ranges::find(systems, name, [](const auto& one) { return one->facts().name; });
    Candidate& candidate = candidates.emplace_back(Candidate{name, variants_of(question, own, name)});
    entries.push_back(entry_of(question, candidate.variants.front().algorithm));
    candidate.one_trains = (*system)->facts().one_trains;
    candidate.needs_all_data = candidate.one_trains || own.data.partition == data::PartitionKind::full;
  }
  std::vector<Entry*> all;
  for (Entry& entry : entries) all.push_back(&entry);
  forecast(all, question, at_once);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].excluded = entries[i].excluded;
    candidates[i].sends = !entries[i].forecast || sends(entries[i]);
  }
  if (!names.baseline.empty() && !candidates.front().excluded.empty()) {
    throw InputError(fmt::format("{}: {} cannot be run: {}", question.file, baseline_text(candidates.front()),
                                 candidates.front().excluded));
  }
  const auto first = std::ranges::find(candidates, false, &Candidate::sends);
  if (first == candidates.end()) return candidates;
  const auto entry = entries.begin() + (first - candidates.begin());
  std::rotate(candidates.begin(), first, std::next(first));
  std::rotate(entries.begin(), entry, std::next(entry));
  const Baseline baseline = {baseline_text(candidates.front()), 1 / entries.front().forecast->bounds.step_s};
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    exclude_by_bounds(candidates[i], entries[i], question, baseline, goal, at_once);
  }
  return candidates;
}

}  // namespace ddl::advise
