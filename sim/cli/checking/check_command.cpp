#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "sim/cli/checking/forecast_json.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/jobs/expect/expect.hpp"
#include "sim/jobs/sweep/run_sweep.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/run/expected_step.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/units.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

using Overrides = std::vector<scenario::Override>;

constexpr double much = 0.5;            // share of a run's cost
constexpr double long_s = 20;           // much time for messages
constexpr std::size_t most_lines = 12;  // for sites, and for links between them

// Size of a whole model on the wire, and its origin.
std::string model_text(const scenario::Scenario& scenario, double parameters) {
  if (scenario.wire.model_bytes)
    return results::readable_bytes(scenario.wire.model_bytes->value) + ", as wire.model_bytes says";
  return fmt::format("{}: {} parameters of 4 bytes", results::readable_bytes(sizeof(float) * parameters),
                     results::readable_count(parameters));
}

std::string consensus_text(const graph::Consensus& consensus, std::size_t width) {
  if (consensus.factor <= 0) {
    return results::labelled("averaging",
                             consensus.period == 1
                                 ? "after each step all models are their mean"
                                 : fmt::format("every {} steps all models become their mean", consensus.period),
                             width);
  }
  const auto rounds = [&](double share) { return fmt::format("{:.0f}", consensus.rounds_to(share)); };
  return results::labelled("averaging",
                           fmt::format("a step leaves {:.4f} of the models' distance from "
                                       "their mean; spectral gap {:.4f}",
                                       consensus.factor, consensus.spectral_gap()),
                           width) +
         results::labelled("consensus",
                           fmt::format("steps until 1/e of that distance is left: {}; until 1/1000 is: {}",
                                       rounds(1 / std::numbers::e), rounds(1e-3)),
                           width);
}

// "4 workers, w0 to w3", or of a file their list.
std::string hosts_text(const std::vector<std::string>& names, const char* one, bool numbered) {
  const std::string count = counted(static_cast<std::int64_t>(names.size()), one);
  if (names.empty()) return count;
  const bool all = names.size() == 1 || !numbered;
  return fmt::format("{}, {}", count,
                     all ? scenario::listed(names) : fmt::format("{} to {}", names.front(), names.back()));
}

// Sites with their hosts, and what joins them where the scenario says so.
std::string sites_text(const scenario::PlatformSpec& platform, const std::vector<run::SiteForecast>& sites,
                       std::size_t width) {
  std::string text;
  const auto add = [&](const char* label, const std::string& value) { text += results::labelled(label, value, width); };
  const auto made = scenario::sites_of(platform);
  const auto rate = [&](BytesPerSecond value) {
    return scenario::write_quantity(value.value * platform.bandwidth_factor, scenario::Dimension::bandwidth);
  };
  const auto latency = [&](Seconds value) { return results::readable_seconds(value.value * platform.latency_factor); };
  const auto tell_rest = [&](std::size_t all, const char* what) {
    if (all > most_lines) add("", "and " + counted(static_cast<std::int64_t>(all - most_lines), what));
  };
  for (std::size_t i = 0; i < std::min(sites.size(), most_lines); ++i) {
    std::string value = fmt::format("{}: {}", sites[i].name, hosts_text(sites[i].workers, "worker", made.has_value()));
    if (!sites[i].servers.empty()) value += "; " + hosts_text(sites[i].servers, "server", made.has_value());
    if (made) value += fmt::format("; {} each, {}", rate(made->sites[i].bandwidth), latency(made->sites[i].latency));
    add(i == 0 ? "sites" : "", value);
  }
  tell_rest(sites.size(), "more site");
  if (std::holds_alternative<scenario::MeasuredPlatform>(platform.hosts)) return text;  // its connections say more
  for (std::size_t i = 0; made && i < std::min(made->links.size(), most_lines); ++i) {
    const scenario::SiteLink& link = made->links[i];
    const std::string both = link.back() == link.up ? "" : fmt::format(" there, {} back", rate(link.back()));
    add(i == 0 ? "between sites" : "",
        fmt::format("{}: {}{}, {}", link.name(), rate(link.up), both, latency(link.latency)));
  }
  if (made) tell_rest(made->links.size(), "more link");
  return text;
}

std::string binding_text(const network::SiteConnection& it, double message_bytes) {
  const std::string least = fmt::format("{} take {} at least", results::readable_bytes(message_bytes),
                                        results::readable_seconds(it.message_s));
  const std::string rate = results::readable_bits_per_s(it.bytes_per_s);
  switch (it.binding) {
    case network::Binding::window:
      return fmt::format("its window of {} binds: {}; {}", results::readable_bytes(it.window_bytes), rate, least);
    case network::Binding::route:
      return fmt::format("the route binds: {}; {}", rate, least);
    case network::Binding::host:
      return fmt::format("hosts' links bind: {}; {}", rate, least);
    case network::Binding::latency:
      return "latency binds; " + least;
  }
  return "";
}

// One connection between each two sites, alone; both ways at once where they are the same.
std::string connections_text(const run::Forecast& forecast, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> lines;  // ends, what binds
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (const network::SiteConnection& it : forecast.connections) {
    known[{it.from, it.to}] = binding_text(it, forecast.message_bytes);
  }
  for (const network::SiteConnection& it : forecast.connections) {
    const auto there = known.find({it.from, it.to}), back = known.find({it.to, it.from});
    if (there == known.end()) continue;  // said with the way back
    const bool same = back != known.end() && back->second == there->second;
    lines.emplace_back(it.from + (same ? " and " : " to ") + it.to, there->second);
    if (same) known.erase(back);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) {
    text += results::labelled(i == 0 ? "a connection" : "", lines[i].first + ": " + lines[i].second, width);
  }
  if (lines.size() <= most_lines) return text;
  const auto more = static_cast<std::int64_t>(lines.size() - most_lines);
  return text + results::labelled("", "and " + counted(more, "more pair"), width);
}

// The cause of the lower bound of a step. An expected step says by itself what takes its time.
std::string cause_of(const network::Bounds& bounds, const std::optional<run::ExpectedStep>& expected) {
  const bool known = expected && expected->layers_known;
  const bool waits = known && expected->step.compute_share < 0.98;
  if (bounds.bottleneck.empty() && waits) return ", of computing alone: the system lists no traffic that a step needs";
  if (known) return "";
  return bounds.network_bound ? ": network-bound" : ": compute-bound";
}

// The lower bound of a step, and the expected step. The size of the model must be known.
std::string bounds_text(const scenario::Scenario& scenario, const run::Forecast& forecast,
                        const std::optional<run::ExpectedStep>& expected, std::size_t width) {
  const network::Bounds& bounds = forecast.bounds;
  std::string text;
  const auto add = [&](const char* label, const std::string& value) { text += results::labelled(label, value, width); };
  add("lower bound", fmt::format("{} a step of the slowest worker in the long run{}",
                                 results::readable_seconds(bounds.step_s), cause_of(bounds, expected)));
  if (const double core_s = run::seconds_to_expect(scenario, forecast); core_s > run::most_seconds_to_expect) {
    add("expected",
        fmt::format("unknown, for the steps that would tell take one core roughly {}: run fewer workers, or "
                    "a shorter run",
                    results::readable_seconds(core_s)));
  } else if (expected && !expected->layers_known) {
    add("expected", "unknown, for it exchanges layer by layer: --trust asks the program for its layers");
  } else if (expected) {
    add("expected",
        fmt::format("{} a step, the mean over workers, {} of the time computing, by {} without learning{}",
                    results::readable_seconds(expected->step.seconds),
                    results::readable_share(expected->step.compute_share),
                    counted(expected->steps, "step") + " simulated", scenario.faults.empty() ? "" : ", or faults"));
    if (const auto& rest = expected->rest) {
      const bool overlaps = expected->step.compute_share + rest->latency + rest->bandwidth > 1.005;
      add("", fmt::format("{}: {} latency, {} bandwidth, {} waiting for others",
                          overlaps ? "of the same time, of which messages take some beside computing" : "the rest",
                          results::readable_share(rest->latency), results::readable_share(rest->bandwidth),
                          results::readable_share(rest->waiting)));
    }
  }
  return text;
}

// The model on the wire, and the traffic of a step. The size of the model must be known.
std::string traffic_text(const scenario::Scenario& scenario, const run::Forecast& forecast, std::size_t width) {
  const network::Bounds& bounds = forecast.bounds;
  std::string text =
      results::labelled("model", model_text(scenario, static_cast<double>(forecast.shape.parameters)), width);
  const auto add = [&](const char* label, const std::string& value) { text += results::labelled(label, value, width); };
  if (bounds.bottleneck.empty()) {
    add("network", "no message is known that each step waits for");
  } else {
    add("network", fmt::format("{} sent per worker and step{}", results::readable_bytes(bounds.bytes_per_step),
                               bounds.random_peers ? ", on average, for peers are drawn at random" : ""));
    add("bottleneck", fmt::format("{}: {} per step of every worker, at least {}", bounds.bottleneck,
                                  results::readable_bytes(bounds.bottleneck_bytes_per_step),
                                  results::readable_seconds(bounds.network_s)));
  }
  return text;
}

std::string cost_text(const scenario::Scenario& scenario, const run::Cost& parts, std::size_t width) {
  const double all_s = parts.core_s(), evaluation = parts.evaluation_s / all_s;
  std::string cost = fmt::format("a run takes one core roughly {}, {} of it for evaluations",
                                 results::readable_seconds(all_s), results::readable_share(evaluation));
  if (evaluation > much) {
    cost += scenario.program ? "; fewer evaluations make it quicker"
                             : "; evaluate.samples, or fewer evaluations, make it quicker";
  }
  if (parts.messages_s > std::max(long_s, much * all_s)) {
    const std::string why = parts.messages_reached > 0
                                ? fmt::format("each that starts or ends moves the shares of up to {} others; ",
                                              results::readable_count(parts.messages_reached))
                                : "they travel packet by packet; platform.network.model TCP, ";
    cost += fmt::format(", up to {} for messages: {}fewer workers or steps make it quicker",
                        results::readable_share(parts.messages_s / all_s), why);
  }
  return results::labelled("cost", cost, width);
}

// "3 classes: 0 (60), 1 (58), 2 (2)", or of many how large they are.
std::string classes_text(const data::Classes& classes) {
  constexpr std::size_t most_named = 6;
  const std::string count = counted(static_cast<std::int64_t>(classes.names.size()), "class");
  if (classes.names.size() > most_named) {
    const auto [least, most] = std::ranges::minmax(classes.samples);
    const std::string range = least == most ? "" : with_separators(std::to_string(least)) + " to ";
    return fmt::format("{} of {}{}", count, range, counted(static_cast<std::int64_t>(most), "sample"));
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < classes.names.size(); ++i) {
    parts.push_back(fmt::format("{} ({})", scenario::on_one_line(classes.names[i]), classes.samples[i]));
  }
  return fmt::format("{}: {}", count, fmt::join(parts, ", "));
}

std::string data_text(const run::DataForecast& data, std::size_t width) {
  std::string text = fmt::format("{} training and {} test samples", with_separators(std::to_string(data.train)),
                                 with_separators(std::to_string(data.test)));
  if (!data.classes.names.empty()) text += "; " + classes_text(data.classes);
  return results::labelled("data", text, width);
}

// A result's size, the largest part of it, and the key that leaves that out.
std::string result_text(const run::ResultBytes& bytes, std::size_t width) {
  std::string text = "some " + results::readable_bytes(bytes.all()) + " on disk";
  for (const auto& [key, part] : {std::pair("iterations", bytes.steps),
                                  {"weights", bytes.weights},
                                  {"initial_weights", bytes.initial_weights},
                                  {"batches", bytes.minibatches}}) {
    if (part > bytes.all() / 2) {
      text += fmt::format(", {} of it for record.{}; false leaves that out",
                          results::readable_share(part / bytes.all()), key);
    }
  }
  return results::labelled("result", text, width);
}

std::string forecast_text(const scenario::Scenario& scenario, run::Forecast forecast, bool costs_known,
                          std::size_t width) {
  const bool size_known = forecast.model_bytes > 0;
  const auto expected = run::expected_step(scenario, forecast);
  std::string text = size_known ? bounds_text(scenario, forecast, expected, width) : "";
  if (expected) expect_steps(forecast, scenario, *expected);
  const auto add = [&](const char* label, const std::string& value) { text += results::labelled(label, value, width); };
  add("gradient",
      fmt::format("{} on the slowest worker, {}", results::readable_seconds(forecast.bounds.compute_s),
                  scenario.compute.seconds_per_batch    ? "as compute.seconds_per_batch says"
                  : scenario.compute.seconds_per_sample ? "as compute.seconds_per_sample says"
                                                        : "from the model's operations and the host's speed"));
  for (const std::string& note : forecast.host_notes) add("", note);
  if (size_known) text += traffic_text(scenario, forecast, width);
  if (forecast.data) text += data_text(*forecast.data, width);
  for (const std::string& note : forecast.system_notes) add("algorithm", note);
  text += sites_text(scenario.platform, forecast.sites, width) + connections_text(forecast, width);
  add("network model", platform::text_of(forecast.network));
  add("", forecast.network.why);
  for (const std::string& note : forecast.platform_notes) add("platform file", note);
  if (forecast.consensus) text += consensus_text(*forecast.consensus, width);
  if (costs_known) text += cost_text(scenario, forecast.cost, width);
  return text + result_text(forecast.result, width);
}

// Names the programs that a run starts, and says if they were started here.
std::string program_text(const scenario::Scenario& scenario, bool asked, bool size_known, std::size_t width) {
  const scenario::ProgramSpec& program = *scenario.program;
  std::string text =
      fmt::format("{}: a run starts {} of it{}, each with all data in its memory", scenario::command_of(program),
                  counted(program.processes.value_or(jobs::usable_cores()), "process"),
                  program.processes ? "" : ", one for each of its threads");
  if (!asked) text += "; it was not started here: --trust does, and says what a run costs";
  if (!size_known) text += "; without it, or wire.model_bytes, no bounds are known";
  return results::labelled("program", text, width);
}

std::string checked_text(const scenario::Scenario& scenario, run::Programs programs, std::size_t width) {
  NotePrinter().print(scenario);
  const run::Forecast forecast = run::forecast_of(scenario, programs);
  const bool asked = programs == run::Programs::are_asked;
  std::string text = scenario.file + ": ok\n";
  if (scenario.program) text += program_text(scenario, asked, forecast.model_bytes > 0, width);
  return text + forecast_text(scenario, forecast, asked || !scenario.program, width);
}

// Text about a sweep without errors.
std::string checked_text(const Registry& systems, const jobs::Sweep& sweep, run::Programs programs, std::size_t width) {
  const jobs::SweepPlan plan = jobs::plan_sweep(systems, sweep);
  NotePrinter notes;
  for (const jobs::SweepPoint& point : plan.points) notes.print(point.scenario);
  const int cores = jobs::usable_cores();
  std::vector<std::size_t> points(plan.points.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  double all = 0;
  const auto costs = jobs::costs_of(sweep, plan, points, cores, programs);
  for (const auto& [point, cost] : costs) all += cost.core_s() * static_cast<double>(plan.seeds.size());
  std::vector<std::size_t> runs(plan.runs());
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  for (const std::size_t run : jobs::replays_among(jobs::jobs_of(plan, ""), runs)) {
    const run::Cost& cost = costs.at(run / plan.seeds.size());
    all -= cost.gradients_s + cost.evaluation_s;
  }
  std::string text = sweep.file + ": ok\n";
  const auto add = [&](const char* label, const std::string& value) { text += results::labelled(label, value, width); };
  add("sweep", fmt::format("{} by {}, {}", counted(plan.points.size(), "scenario"), counted(plan.seeds.size(), "seed"),
                           counted(plan.runs(), "run")));
  add("varied", fmt::format("{}", fmt::join(plan.columns, ", ")));
  if (sweep.tune) add("tuning", "of each scenario, before these runs");
  const bool left_alone = programs == run::Programs::are_left_alone &&
                          std::ranges::any_of(plan.points, [](const auto& point) { return !!point.scenario.program; });
  add("cost", fmt::format("all runs{} take {} roughly {}{}", sweep.tune ? " after tuning" : "", counted(cores, "core"),
                          results::readable_seconds(all / cores),
                          left_alone ? " without their models' programs, which only --trust starts here" : ""));
  return text;
}

}  // namespace

std::string consensus_text(const scenario::Scenario& scenario, std::size_t width, run::Programs programs) {
  if (!scenario.algorithm->has_consensus()) return "";
  try {
    const auto consensus = run::forecast_of(scenario, programs).consensus;
    return consensus ? consensus_text(*consensus, width) : "";
  } catch (const InputError&) {
    return "";  // something is missing that only a run needs, such as data
  }
}

FileKind kind_of(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false, true);
  if (!json.is_object()) return FileKind::scenario;  // whose reader says what is wrong
  if (json.contains("base")) return FileKind::sweep;
  const auto named = json.find("$schema");
  const bool schema = json.contains("properties") && named != json.end() && named->is_string() &&
                      named->get<std::string>().find("json-schema.org") != std::string::npos;
  return schema ? FileKind::schema : FileKind::scenario;
}

void check_scenarios(const Registry& systems, const std::vector<std::string>& files, const Overrides& overrides,
                     run::Programs programs, CheckOutput output) {
  Registry known = systems;
  known.open_libraries(programs == run::Programs::are_asked);
  const std::size_t width = Terminal(STDOUT_FILENO).columns();
  std::string report;
  auto forecasts = nlohmann::ordered_json::array();
  std::vector<std::string> problems;
  for (const std::string& file : files) {
    try {
      const std::string text = scenario::scenario_text(file);  // once: it may be a pipe
      if (output != CheckOutput::text) {
        const scenario::Scenario scenario = scenario::parse_scenario(known, text, file, overrides);
        const run::Forecast forecast = run::forecast_of(scenario, programs);
        const auto expected = output == CheckOutput::json ? run::expected_step(scenario, forecast) : std::nullopt;
        forecasts.push_back(forecast_json(scenario, forecast, expected, programs));
        continue;
      }
      switch (kind_of(text)) {
        case FileKind::sweep:
          report += checked_text(known, jobs::parse_sweep(text, file, overrides), programs, width);
          break;
        case FileKind::schema:
          report += file + ": a JSON Schema, which editors read\n";
          break;
        case FileKind::scenario: {
          const scenario::Scenario scenario = scenario::parse_scenario(known, text, file, overrides);
          const auto names_rival = [](const auto& expectation) { return !expectation.better_than.empty(); };
          if (std::ranges::any_of(scenario.expect, names_rival)) jobs::plan_expectations(known, {{file}, overrides});
          report += checked_text(scenario, programs, width);
        }
      }
    } catch (const scenario::ScenarioErrors& errors) {
      problems.insert(problems.end(), errors.lines.begin(), errors.lines.end());
    } catch (const InputError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) throw scenario::ScenarioErrors(problems);
  if (output != CheckOutput::text) report = (files.size() == 1 ? forecasts.front() : forecasts).dump(2) + "\n";
  std::cout << report;
}

}  // namespace ddl::cli
