// Command-line options of the commands that show finished runs.
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/plot_options.hpp"
#include "sim/cli/report_error.hpp"

namespace ddl::cli {
namespace {

Command add_compare(CLI::App& app) {
  const auto settings = std::make_shared<CompareSettings>();
  CLI::App& command = *app.add_subcommand("compare", "Results side by side, with intervals, and what is within noise");
  add_results(command, settings->folders);
  command.add_flag("--runs", settings->each_run, "Every run by itself, instead of means over seeds");
  command.add_flag("--csv", settings->csv, "As CSV, a row per scenario");
  command.add_flag("--json", settings->json, "As JSON, with every pair's p");
  command.add_flag("--markdown", settings->markdown, "As a Markdown table");
  command.footer("Example:\n  ddlsim compare results/het_wan_ako_p3 results/het_wan_ps_async");
  return {&command, [settings, &command] {
            need(command, !settings->folders.empty(), "results");
            compare_results(*settings);
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
