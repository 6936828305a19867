// Command-line options of the commands that do not simulate scenarios: model, emulate, reproduce, bench, and those that
// show finished runs.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/cli/commands.hpp"

namespace ddl::cli {

CLI::App& add_model(CLI::App& app, ModelSettings& settings);
CLI::App& add_emulate(CLI::App& app, EmulateSettings& settings);
CLI::App& add_reproduce(CLI::App& app, ReproduceSettings& settings);
CLI::App& add_compare(CLI::App& app, CompareSettings& settings);
CLI::App& add_plot(CLI::App& app, PlotSettings& settings);
CLI::App& add_bench(CLI::App& app, BenchSettings& settings);
CLI::App& add_report(CLI::App& app, ReportSettings& settings);

}  // namespace ddl::cli
