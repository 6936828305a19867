#include "sim/cli/options/plot_options.hpp"

#include <algorithm>
#include <memory>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

struct PlotKind {
  const char* name;
  std::vector<std::string> options;  // that mean something for it, beside those of all
};

const std::vector<PlotKind>& plot_kinds() {
  static const std::vector<PlotKind> list = {
      {"curves",
       {"--x", "--y", "--facet", "--logx", "--logy", "--xlim", "--ylim", "--ylabel", "--band", "--label", "--grey",
        "--runs"}},
      {"map", {"--y", "--target", "--ylabel", "--label", "--grey", "--runs"}},
      {"target", {"--y", "--target", "--facet", "--logx", "--xlim", "--label", "--grey", "--runs"}},
      {"speedup",
       {"--y", "--target", "--facet", "--logx", "--logy", "--xlim", "--ylim", "--ylabel", "--label", "--grey"}},
      {"steps", {"--facet", "--logx", "--xlim", "--ylim", "--ylabel", "--label", "--grey", "--runs"}},
      {"staleness", {"--facet", "--logx", "--xlim", "--ylim", "--ylabel", "--label", "--grey", "--runs"}},
      {"links", {"--xlim"}},
  };
  return list;
}

// Options that a kind has no use for are no silent matter.
void check_options(const CLI::App& command, const std::string& kind) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0) continue;
    std::vector<std::string> with;
    for (const PlotKind& one : plot_kinds()) {
      if (std::ranges::count(one.options, name) > 0) with.push_back(one.name);
    }
    if (with.empty() || std::ranges::count(with, kind) > 0) continue;
    throw InputError(name + ": is for --kind " + scenario::listed(with));
  }
}

struct TypedPlot {
  PlotSettings settings;
  std::string x_limits, y_limits;
  std::vector<std::string> labels;

  PlotSettings read(const CLI::App& command) {
    view::PictureOptions& picture = settings.picture;
    check_options(command, settings.kind);
    if (!x_limits.empty()) picture.x_limits = view::limits_of(x_limits, "--xlim");
    if (!y_limits.empty()) picture.y_limits = view::limits_of(y_limits, "--ylim");
    picture.labels.clear();
    for (const std::string& text : labels) {
      const std::size_t equals = text.rfind('=');
      if (equals == std::string::npos || equals == 0) {
        throw InputError("--label " + text + ": is no label; expected OLD=NEW such as ps_async='parameter server'");
      }
      picture.labels.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    picture.command = spelled_out(command);
    return settings;
  }
};

void add_what(CLI::App& command, TypedPlot& typed) {
  PlotSettings& settings = typed.settings;
  std::vector<std::string> names;
  for (const PlotKind& kind : plot_kinds()) names.emplace_back(kind.name);
  command
      .add_option(
          "--kind", settings.kind,
          "curves; map (best systems of a sweep); target (time or bytes to an accuracy); speedup (over workers); "
          "steps, staleness (their distributions); links (of one run with --trace)")
      ->type_name("KIND")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command.add_option("--x", settings.picture.x, "Of curves: time (default), bytes, iterations or epochs")
      ->type_name("WORD");
  command
      .add_option("--y", settings.picture.y,
                  "Of curves: accuracy, loss or train_loss; of maps: accuracy, loss, or time or bytes to a target; of "
                  "target: time or bytes; of speedup: time or samples")
      ->type_name("WORD");
  command
      .add_option("--target", settings.picture.target,
                  "Accuracy to which time and bytes are counted; default: the largest that most systems reach")
      ->type_name("SHARE");
  command.add_option("--facet", settings.picture.facet, "A panel for each network, or for each value of a setting")
      ->type_name("network|PATH");
  command.add_flag("--runs", settings.every_run, "Every run by itself, instead of means over seeds");
  command
      .add_option("--band", settings.picture.band,
                  "Around means of curves: ci (95 % interval), sd, minmax (all runs) or none")
      ->type_name("WORD")
      ->check(CLI::IsMember({"ci", "sd", "minmax", "none"}))
      ->capture_default_str();
}

void add_how(CLI::App& command, TypedPlot& typed) {
  view::PictureOptions& picture = typed.settings.picture;
  command
      .add_option("--size", picture.size,
                  "screen, one or two (columns of a paper, with 8 pt type), or millimetres such as 120x80")
      ->type_name("SIZE")
      ->capture_default_str();
  command.add_flag("--logx", picture.log_x, "A logarithmic x axis");
  command.add_flag("--logy", picture.log_y, "A logarithmic y axis");
  command.add_option("--xlim", typed.x_limits, "Ends of the x axis, in its unit; either may be left out")
      ->type_name("A..B");
  command.add_option("--ylim", typed.y_limits, "Ends of the y axis")->type_name("A..B");
  command.add_option("--title", picture.title, "Above the picture")->type_name("TEXT");
  command.add_option("--xlabel", picture.x_label, "Label of the x axis")->type_name("TEXT");
  command.add_option("--ylabel", picture.y_label, "Label of the y axis")->type_name("TEXT");
  command.add_option("--label", typed.labels, "What the legend or a panel says instead of OLD; repeatable")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
  command.add_flag("--grey", picture.grey, "For print without colours: greys, told apart by dashes and marks");
}

}  // namespace

Command add_plot(CLI::App& app) {
  const auto typed = std::make_shared<TypedPlot>();
  CLI::App& command = *app.add_subcommand("plot", "Draw finished runs, and write the data beside the picture");
  add_results(command, typed->settings.results);
  command
      .add_option("-o,--output", typed->settings.picture.file,
                  "Picture, whose ending says the format; the data go to F.data.csv")
      ->type_name("F.svg|F.png|F.pdf")
      ->required();
  add_what(command, *typed);
  add_how(command, *typed);
  command.footer(
      "A system has the same colour and mark in every picture.\n"
      "Examples:\n"
      "  ddlsim plot results/het_wan_* -o curves.svg --x bytes\n"
      "  ddlsim plot results/*_ako_p3 results/*_gossip -o networks.pdf \\\n    --facet network --size two\n"
      "  ddlsim plot results/bandwidth_workers -o map.pdf --kind map");
  return {&command, [typed, &command] {
            need(command, !typed->settings.results.empty(), "results");
            plot(typed->read(command));
            return int{kDone};
          }};
}

}  // namespace ddl::cli
