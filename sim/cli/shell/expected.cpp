#include "sim/cli/shell/shell_texts.hpp"

namespace ddl::cli {
namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::size_t start = 0;
  for (std::size_t comma; (comma = list.find(',', start)) != std::string::npos; start = comma + 1) {
    words.push_back(list.substr(start, comma - start));
  }
  words.push_back(list.substr(start));
  return words;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

// CLI11 adds what an option checks to its name: "KIND:{curves,map}".
Expected expected_of(const CLI::Option& option) {
  Expected expected;
  const std::string type = option.get_type_name();
  expected.name = type.substr(0, type.find(':'));
  const std::size_t open = type.find(":{"), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos) {
    expected.words = split(type.substr(open + 2, close - open - 2));
  } else if (expected.name.starts_with("PATH=")) {
    expected.paths = true;
  } else if (contains(expected.name, "DIR")) {
    expected.files = Expected::folders;
  } else if (contains(expected.name, "FILE") || contains(expected.name, ".")) {
    expected.files = expected.name.starts_with("A..") ? Expected::none : Expected::any;
    expected.scenarios = contains(expected.name, "SCENARIO.json") || contains(expected.name, "SWEEP.json");
  }
  return expected;
}

void set_words(CLI::Option& option, const std::string& name, const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  option.type_name(name + ":{" + list + "}");
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
}

const CLI::Option* positional_of(const CLI::App& command) {
  const auto positionals = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  return positionals.empty() ? nullptr : positionals.front();
}

}  // namespace ddl::cli
