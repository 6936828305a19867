// Command-line options of the commands that show finished runs.
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/plot_options.hpp"
#include "sim/cli/report_error.hpp"

namespace ddl::cli {
namespace {

// What compare is told as text.
struct TypedCompare {
  CompareSettings settings;
  std::optional<std::string> columns;
  std::vector<std::string> labels;

  CompareSettings read() const {
    CompareSettings read = settings;
    if (columns) {
      std::istringstream names(*columns + ",");
      for (std::string name; std::getline(names, name, ',');) read.look.columns.push_back(name);
    }
    for (const std::string& label : labels) {
      const std::size_t equals = label.rfind('=');
      if (equals != std::string::npos && equals > 0) {
        read.look.renamed.emplace_back(label.substr(0, equals), label.substr(equals + 1));
      } else if (read.look.label.empty()) {
        read.look.label = label;
      } else {
        throw InputError("compare: --label " + label + ": rows are called by " + read.look.label +
                         " already; expected one KEY, and OLD=NEW otherwise");
      }
    }
    return read;
  }
};

Command add_compare(CLI::App& app) {
  const auto typed = std::make_shared<TypedCompare>();
  CompareSettings* const settings = &typed->settings;
  CLI::App& command = *app.add_subcommand("compare", "Results side by side, with intervals, and what is within noise");
  add_results(command, settings->folders);
  command.add_flag("--runs", settings->each_run, "Every run by itself, instead of means over seeds");
  command.add_flag("--csv", settings->csv, "As CSV, a row per scenario");
  command.add_flag("--json", settings->json, "As JSON, with every pair's p");
  command.add_flag("--markdown", settings->markdown, "As a Markdown table");
  command.add_flag("--latex", settings->latex, "As a LaTeX table, with rules of booktabs");
  command
      .add_option(
          "--columns", typed->columns,
          "These columns, in this order: time, bytes, accuracy, loss, any number of summary.json or its object, "
          "a setting such as platform.bandwidth")
      ->type_name("A,B,...");
  command
      .add_option(
          "--label", typed->labels,
          "KEY names rows by a setting such as platform.workers, or by name, instead of the scheme; OLD=NEW renames "
          "one row; repeatable")
      ->type_name("KEY|OLD=NEW")
      ->allow_extra_args(false);
  command.footer(
      "Examples:\n"
      "  ddlsim compare results/het_wan_ako_p3 results/het_wan_ps_async\n"
      "  ddlsim compare results/bandwidth_workers --columns time,accuracy --latex");
  return {&command, [typed, &command] {
            need(command, !typed->settings.folders.empty(), "results");
            compare_results(typed->read());
            return int{kDone};
          }};
}

Command add_report(CLI::App& app) {
  const auto settings = std::make_shared<ReportSettings>();
  CLI::App& command = *app.add_subcommand("report", "Write one self-contained page about finished runs");
  add_results(command, settings->results);
  command.add_option("-o,--output", settings->file, "Page")->type_name("F.html")->required();
  command.add_option("--title", settings->title, "Of the page; default: the folder's name")->type_name("TEXT");
  command.footer("Example:\n  ddlsim report results/bandwidth_workers -o bandwidth_workers.html");
  return {&command, [settings, &command] {
            need(command, !settings->results.empty(), "results");
            report(*settings);
            return int{kDone};
          }};
}

}  // namespace

std::vector<Command> add_result_commands(CLI::App& app) { return {add_compare(app), add_plot(app), add_report(app)}; }

}  // namespace ddl::cli
