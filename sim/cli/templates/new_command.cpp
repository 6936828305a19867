// Scenarios to start from, with comments: the files of sim/cli/templates.
#include <filesystem>
#include <iostream>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {

extern const std::string_view template_ps, template_ako, template_two_sites, template_sites, template_edge,
    template_own_data;

namespace {

struct Template {
  const char* name;
  const char* what;
  const std::string_view* text;
};

constexpr Template templates[] = {
    {"ako", "partial gradients between all workers, no server", &template_ako},
    {"ps", "an asynchronous parameter server", &template_ps},
    {"two_sites", "two data centres with one link between them", &template_two_sites},
    {"sites", "several sites, each with its own hosts, joined by links with rates of their own", &template_sites},
    {"edge", "federated averaging over devices that come and go", &template_edge},
    {"own_data", "a model of one's own, and data from files", &template_own_data},
};

const Template& template_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Template& known : templates) {
    if (known.name == name) return known;
    names.emplace_back(known.name);
  }
  throw InputError("new: " + scenario::in_quotes(name) + " is no template; " +
                   scenario::nearest_or(name, names, "templates are " + scenario::listed(names)));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> template_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Template& known : templates) list.emplace_back(known.name, known.what);
  return list;
}

void write_new(const NewSettings& settings) {
  const std::string_view text = *template_named(settings.name).text;
  if (settings.file.empty()) {
    std::cout << text;
    return;
  }
  std::error_code unreadable;
  if (std::filesystem::exists(settings.file, unreadable)) {
    throw InputError("new: " + settings.file + ": exists; expected another name");
  }
  results::write_whole(settings.file, std::string(text));
  results::message_stream(settings.file) << settings.file << "\n";
}

}  // namespace ddl::cli
