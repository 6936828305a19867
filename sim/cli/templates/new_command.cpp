// Scenarios to start from, with comments: the files of sim/cli/templates.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/cli/templates/example_table.hpp"
#include "sim/cli/templates/iperf3.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {

extern const std::string_view template_ps, template_ako, template_two_sites, template_sites, template_four_sites,
    template_language_model, template_measured, template_measured_matrix, template_edge, template_own_data,
    template_own_model, template_own_model_program, template_own_system, template_own_system_source,
    template_own_system_build;

namespace {

struct Template {
  const char* name;
  const char* what;
  const std::string_view* text;
  struct File {
    const char* name;
    const std::string_view* text;
  };
  std::array<std::optional<File>, 2> beside = {};  // files it needs in its folder
};

constexpr const char* measured_matrix = "iperf.csv";

constexpr Template templates[] = {
    {"ako", "partial gradients between all workers, no server", &template_ako},
    {"ps", "an asynchronous parameter server", &template_ps},
    {"two_sites", "two data centres with one link between them", &template_two_sites},
    {"sites", "several sites, each with its own hosts, joined by links with rates of their own", &template_sites},
    {"four_sites", "four sites of eight GPUs, of which one drops out", &template_four_sites},
    {"language_model", "a language model of 1B parameters on four sites, whose learning is that of a small GPT",
     &template_language_model},
    {"measured",
     "sites by measurements of their connections, such as iperf3's",
     &template_measured,
     {{{{measured_matrix, &template_measured_matrix}}}}},
    {"edge", "federated averaging over devices that come and go", &template_edge},
    {"own_data", "data of one's own, from a table that is written beside it, and a model of one's own",
     &template_own_data},
    {"own_model",
     "a model that a program of one's own computes",
     &template_own_model,
     {{{{"own_model.py", &template_own_model_program}}}}},
    {"own_system",
     "a training system of one's own, in a library",
     &template_own_system,
     {{{{"own_system.cpp", &template_own_system_source}}, {{"CMakeLists.txt", &template_own_system_build}}}}},
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

// The data that a template names go beside it, and never over others.
void write_beside(const std::filesystem::path& scenario, const char* name, const std::string& text) {
  const std::string file = (scenario.parent_path() / name).string();
  std::ifstream there(file, std::ios::binary);
  if (!there) return results::write_whole(file, text);
  if (std::string(std::istreambuf_iterator<char>(there), {}) != text) {
    throw InputError("new: " + file + ": exists with other samples; expected another folder");
  }
}

// A program that is not installed lies beside the package that CMake asks for.
std::string build_command(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable).parent_path();
  const auto typed = [](const std::string& word) {
    return word.find(' ') == std::string::npos ? word : scenario::in_quotes(word);
  };
  const std::string build = typed((folder / "build").string());
  std::string command = "build it: cmake -S " + (folder.empty() ? "." : typed(folder.string())) + " -B " + build;
  if (fs::exists(program / "ddlsimConfig.cmake", unreadable)) command += " -Dddlsim_DIR=" + typed(program.string());
  return command + " && cmake --build " + build;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> template_list() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Template& known : templates) list.emplace_back(known.name, known.what);
  return list;
}

void write_new(NewSettings settings) {
  const Template& chosen = template_named(settings.name);
  const bool is_measured = chosen.text == &template_measured, from_iperf3 = !settings.iperf3.empty();
  if (!is_measured && (from_iperf3 || !settings.sites.empty())) {
    throw InputError("new: --iperf3 and --site are of the template measured; expected \"ddlsim new measured ...\"");
  }
  if (!from_iperf3 && !settings.sites.empty()) throw InputError("new: --site: is for --iperf3, which is not given");
  if (settings.file.empty() && from_iperf3) settings.file = "measured.json";
  if (settings.file.empty()) {
    std::cout << *chosen.text;
    return;
  }
  const Iperf3Matrix matrix = from_iperf3 ? matrix_of_iperf3(settings.iperf3, settings.sites) : Iperf3Matrix();
  const std::filesystem::path folder = std::filesystem::path(settings.file).parent_path();
  std::string text(*chosen.text), table;
  if (is_measured) {  // named after its scenario
    table = std::filesystem::path(settings.file).replace_extension(".csv").filename().string();
    const std::size_t length = std::string_view(measured_matrix).size();
    for (std::size_t at = 0; (at = text.find(measured_matrix, at)) != std::string::npos; at += table.size()) {
      text.replace(at, length, table);
    }
  }
  std::vector<std::pair<std::string, std::string_view>> files = {{settings.file, text}};
  for (const auto& beside : chosen.beside) {
    if (!beside) continue;
    files.emplace_back((folder / (is_measured ? table : beside->name)).string(),
                       from_iperf3 ? std::string_view(matrix.text) : *beside->text);
  }
  for (const auto& [file, content] : files) {
    std::error_code unreadable;
    if (std::filesystem::exists(file, unreadable) || (&content != &files[0].second && file == settings.file)) {
      throw InputError("new: " + file + ": exists; expected another name" +
                       (file == settings.file ? "" : ", or another folder"));
    }
  }
  if (chosen.text == &template_own_data) write_beside(settings.file, example_table_name, example_table());
  if (chosen.text == &template_language_model) write_beside(settings.file, example_text_name, example_text());
  for (const auto& [file, content] : files) {
    results::write_whole(file, std::string(content));
    results::message_stream(file) << file << "\n";
  }
  for (const std::string& what : matrix.notes) print_note(what);
  if (chosen.text == &template_own_system) results::message_stream(settings.file) << build_command(folder) << "\n";
}

}  // namespace ddl::cli
