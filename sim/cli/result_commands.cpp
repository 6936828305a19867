#include "sim/cli/result_commands.hpp"

namespace ddl::cli {
namespace {

void add_results(CLI::App& command, std::vector<std::string>& results) {
  command.add_option("results", results, "Result folders, or folders above them, such as a sweep's")->type_name("DIR");
}

}  // namespace

CLI::App& add_model(CLI::App& app, ModelSettings& settings) {
  CLI::App& command =
      *app.add_subcommand("model", "Show a model layer by layer: shapes, parameters, operations, bytes");
  command.add_option("model", settings.model, "A model of ddlsim list models, or a scenario, whose model is shown")
      ->type_name("NAME|SCENARIO.json");
  command.add_option("--data", settings.data, "Whose samples it reads; default: those a named model was made for")
      ->type_name("SOURCE");
  command.add_option("--mask", settings.mask, "Of the hidden layers, as in scenarios: none, bibd, bibd_field, random")
      ->type_name("MASK");
  command.add_option("--groups", settings.groups, "Of the convolutions behind the first, as in scenarios")
      ->type_name("N")
      ->check(CLI::Range(1, 65536));
  command.add_flag("--json", settings.json, "As JSON, with the model as a scenario spells it");
  command.footer("Examples:\n  ddlsim model resnet18-bibd\n  ddlsim model ako-cnn --mask bibd_field");
  return command;
}

namespace {

void add_network_of(CLI::App& command, EmulateSettings& settings) {
  command
      .add_option("--links", settings.links,
                  "token_buckets, delay_box (real round trips), or auto: the latter from 1 ms on")
      ->type_name("HOW")
      ->check(CLI::IsMember({"auto", "token_buckets", "delay_box"}))
      ->capture_default_str();
  command.add_option("--queue", settings.queue, "What waits for a link at most: 50ms of its traffic, or 64kB")
      ->type_name("TIME|SIZE")
      ->capture_default_str();
  command.add_option("--jitter", settings.jitter, "By which a packet's latency at a link differs at most")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--loss", settings.options.testbed.loss, "Share of packets that each link loses at random")
      ->type_name("P")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  command
      .add_option("--slow-start-after-idle", settings.slow_start_after_idle,
                  "Whether TCP forgets its window while a connection is idle")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

}  // namespace

CLI::App& add_emulate(CLI::App& app, EmulateSettings& settings) {
  CLI::App& command = *app.add_subcommand("emulate", "Run a scenario over real TCP, in real time, on this machine");
  command.add_option("scenario", settings.scenario, "Scenario file, its network a star")->type_name("SCENARIO.json");
  command.add_option("--out", settings.out, "Results go to DIR/<name>-measured/<seed>/")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--repetitions", settings.repetitions, "So many runs, one after the other")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--compute", settings.compute, "A gradient's time: slept, as long as simulated, or its real math")
      ->type_name("HOW")
      ->check(CLI::IsMember({"slept", "real"}))
      ->capture_default_str();
  command.add_option("--congestion", settings.options.congestion_control, "TCP's congestion control")
      ->type_name("NAME")
      ->capture_default_str();
  add_network_of(command, settings);
  command.add_option("--limit", settings.options.limit_s, "Seconds a run may take; then it fails")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command.add_option("--threads", settings.options.run.threads, "Threads for gradients; default all cores")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--json", settings.json, "Print the summary as JSON, and nothing else");
  command.add_flag("--quiet", settings.quiet, "No progress, no closing table");
  command.add_flag("--force", settings.force, "Replace the result of another scenario of the same name");
  command.footer(
      "Needs root, iproute2 and network namespaces, which vanish with the run.\n"
      "Example:\n  ddlsim emulate scenarios/smoke/ps_async.json --repetitions 3");
  return command;
}

CLI::App& add_reproduce(CLI::App& app, ReproduceSettings& settings) {
  CLI::App& command =
      *app.add_subcommand("reproduce", "Run a published study and compare its figures with simulated ones");
  command.add_option("study", settings.study, "Which; without it, they are listed")->type_name("NAME");
  command.add_flag("--full", settings.full, "The published network on CIFAR-10, instead of a small one");
  command
      .add_option("--data", settings.data,
                  "Folder of CIFAR-10's binary files, for --full; iddl: of mnist/ and cifar-10/, default DDLSIM_DATA")
      ->type_name("DIR");
  command.add_option("--out", settings.out, "Tables and page go to DIR; finished runs are kept in DIR/cells")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--jobs", settings.jobs, "Runs at once; default: as many as cores")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--quiet", settings.quiet, "No progress");
  command.footer("Interrupted, the same command goes on where it was.\nExample:\n  ddlsim reproduce ako_2018");
  return command;
}

CLI::App& add_compare(CLI::App& app, CompareSettings& settings) {
  CLI::App& command = *app.add_subcommand("compare", "Results side by side, with intervals, and what is within noise");
  add_results(command, settings.folders);
  command.add_flag("--runs", settings.each_run, "Every run by itself, instead of means over seeds");
  command.add_flag("--csv", settings.csv, "As CSV, a row per scenario");
  command.add_flag("--json", settings.json, "As JSON, with every pair's p");
  command.add_flag("--markdown", settings.markdown, "As a Markdown table");
  command.footer("Example:\n  ddlsim compare results/het_wan_ako_p3 results/het_wan_ps_async");
  return command;
}

CLI::App& add_plot(CLI::App& app, PlotSettings& settings) {
  CLI::App& command = *app.add_subcommand("plot", "Draw learning curves, a map of the best schemes, or busy links");
  add_results(command, settings.results);
  command.add_option("-o,--output", settings.picture.file, "Picture; its ending says the format")
      ->type_name("F.svg|F.png|F.pdf")
      ->required();
  command.add_option("--kind", settings.kind, "curves, map (of a sweep) or links (of one run with --trace)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"curves", "map", "links"}))
      ->capture_default_str();
  command.add_option("--x", settings.picture.x, "Of curves: time, bytes, iterations or epochs")
      ->type_name("WORD")
      ->capture_default_str();
  command
      .add_option("--y", settings.picture.y,
                  "Of curves: accuracy, loss or train_loss; of maps: accuracy, loss, or time or bytes to a target")
      ->type_name("WORD");
  command.add_option("--target", settings.picture.target, "Of maps: the accuracy that time or bytes are counted to")
      ->type_name("SHARE");
  command.add_option("--title", settings.picture.title, "Above the picture")->type_name("TEXT");
  command.add_flag("--runs", settings.every_run, "Every run by itself, instead of means over seeds");
  command.footer(
      "Examples:\n"
      "  ddlsim plot results/het_wan_* -o curves.svg --x bytes\n"
      "  ddlsim plot results/bandwidth_workers -o map.pdf --kind map");
  return command;
}

CLI::App& add_report(CLI::App& app, ReportSettings& settings) {
  CLI::App& command = *app.add_subcommand("report", "Write one self-contained page about finished runs");
  add_results(command, settings.results);
  command.add_option("-o,--output", settings.file, "Page")->type_name("F.html")->required();
  command.add_option("--title", settings.title, "Of the page; default: the folder's name")->type_name("TEXT");
  command.footer("Example:\n  ddlsim report results/bandwidth_workers -o bandwidth_workers.html");
  return command;
}

CLI::App& add_bench(CLI::App& app, BenchSettings& settings) {
  CLI::App& command = *app.add_subcommand("bench", "Measure how fast this machine trains and simulates");
  command.add_flag("--json", settings.json, "Print the figures as JSON, and nothing else");
  command.add_option("--seconds", settings.seconds, "Time to take, about")
      ->type_name("S")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
  command.footer("Example:\n  ddlsim bench --json > bench.json");
  return command;
}

}  // namespace ddl::cli
