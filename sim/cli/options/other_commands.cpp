// Command-line options of the commands that need neither scenario nor result.
#include <iostream>
#include <memory>

#include "sim/cli/commands.hpp"
#include "sim/cli/options/command.hpp"
#include "sim/cli/options/shipped.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/shell/shell_texts.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

Command add_model(CLI::App& app, const Registry& systems) {
  const auto typed = std::make_shared<Typed>();
  const auto settings = std::make_shared<ModelSettings>();
  CLI::App& command =
      *app.add_subcommand("model", "Show a model layer by layer: shapes, parameters, operations, bytes");
  command.add_option("model", settings->model, "A model of ddlsim list models, or a scenario, whose model is shown")
      ->type_name("NAME|SCENARIO.json");
  command.add_option("--data", settings->data, "Data set that it reads; default: the one a named model was made for")
      ->type_name("SOURCE");
  command.add_option("--mask", settings->mask, "Mask of the hidden layers: none, bibd, bibd_field, random")
      ->type_name("MASK");
  command.add_option("--groups", settings->groups, "Groups of every convolution but the first")
      ->type_name("N")
      ->check(from_to(1, 65536));
  command.add_flag("--json", settings->json, "As JSON, with the model as a scenario spells it");
  command.footer("Examples:\n  ddlsim model resnet18-bibd\n  ddlsim model ako-cnn --mask bibd_field");
  typed->add_overrides(command);
  return {&command, [typed, settings, &systems] {
            settings->overrides = typed->changes();
            show_model(systems, *settings);
            return int{kDone};
          }};
}

Command add_new(CLI::App& app) {
  const auto settings = std::make_shared<NewSettings>();
  CLI::App& command = *app.add_subcommand("new", "Write a scenario to start from, with comments");
  std::vector<std::string> names;
  for (const auto& [name, what] : template_list()) names.push_back(name);
  CLI::Option* which = command.add_option("template", settings->name, scenario::listed(names))->capture_default_str();
  set_words(*which, "TEMPLATE", names);
  command.add_option("-o,--output", settings->file, "File to write; default: print it")->type_name("FILE");
  command
      .add_option("--iperf3", settings->iperf3, "Of measured: outputs of iperf3 -J, for its matrix, named after FILE")
      ->type_name("FILE");
  command.add_option("--site", settings->sites, "Of measured: hosts of one site, for --iperf3; repeatable")
      ->type_name("NAME=ADDRESS,ADDRESS")
      ->expected(1)
      ->take_all();
  command.footer(
      "What they are: ddlsim list templates\nExamples:\n  ddlsim new two_sites -o mine.json\n"
      "  ddlsim new measured --iperf3 us-eu.json eu-us.json -o mine.json");
  return {&command, [settings] {
            write_new(*settings);
            return int{kDone};
          }};
}

Command add_schema(CLI::App& app, const Registry& systems) {
  const auto kind = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("schema", "Print the JSON Schema of scenarios or sweeps");
  set_words(*command.add_option("of", *kind, "scenario (default) or sweep"), "KIND", {"scenario", "sweep"});
  command.footer("Example:\n  ddlsim schema > scenario.schema.json");
  return {&command, [kind, &systems] {
            print_schema(systems, *kind);
            return int{kDone};
          }};
}

Command add_completion(CLI::App& app, const Registry& systems) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("completion", "Print what makes a shell complete commands and options");
  command.add_option("shell", *shell, "bash or zsh")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->required();
  command.footer("Example:\n  source <(ddlsim completion bash)");
  return {&command, [shell, &app, &systems] {
            const Completed known = {.scenarios = scenario_names(), .paths = scenario::key_paths(systems)};
            std::cout << (*shell == "zsh" ? zsh_completion(app, known) : bash_completion(app, known));
            return int{kDone};
          }};
}

Command add_manual(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("manual", "Print the manual page");
  command.footer("Example:\n  ddlsim manual | man -l -");
  return {&command, [&app] {
            std::cout << manual_page(app, DDLSIM_VERSION);
            return int{kDone};
          }};
}

}  // namespace

std::vector<Command> add_other_commands(CLI::App& app, const Registry& systems) {
  Command first = add_new(app);
  std::vector<Command> unlisted = {add_model(app, systems), add_schema(app, systems), add_completion(app, systems),
                                   add_manual(app)};
  for (const Command& command : unlisted) command.options->group("");
  unlisted.insert(unlisted.begin(), std::move(first));
  return unlisted;
}

}  // namespace ddl::cli
