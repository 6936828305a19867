// Command-line options of the commands that show finished runs, and of reproduce, which makes them.
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/plot_options.hpp"
#include "sim/cli/report_error.hpp"

namespace ddl::cli {
namespace {

Command add_reproduce(CLI::App& app) {
  const auto settings = std::make_shared<ReproduceSettings>();
  CLI::App& command =
      *app.add_subcommand("reproduce", "Run a published study and compare its figures with simulated ones");
  command.add_option("study", settings->study, "Study; without it, all are listed")->type_name("NAME");
  command.add_flag("--full", settings->full, "The published network on CIFAR-10, instead of a small one");
  command
      .add_option("--data", settings->data,
                  "Folder of CIFAR-10's binary files: for --full, or, without it, for small networks (cui_2019, "
                  "zhang); iddl: of mnist/ and cifar-10/, default DDLSIM_DATA")
      ->type_name("DIR");
  command.add_option("--out", settings->out, "Tables and page go to DIR; finished runs are kept in DIR/cells")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--jobs", settings->jobs, "Runs at once; default: as many as cores")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--finished", settings->finished, "Make no run: tables and page of those that are finished")
      ->excludes("--jobs");
  command.add_flag("--quiet", settings->quiet, "No progress");
  command.footer("Interrupted, the same command goes on where it was.\nExample:\n  ddlsim reproduce ako_2018");
  return {&command, [settings] {
            reproduce(*settings);
            return int{kDone};
          }};
}

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

std::vector<Command> add_result_commands(CLI::App& app) {
  return {add_reproduce(app), add_compare(app), add_plot(app), add_report(app)};
}

}  // namespace ddl::cli
