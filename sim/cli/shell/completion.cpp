#include <fmt/format.h>

#include "sim/cli/laboratory.hpp"
#include "sim/cli/shell/shell_texts.hpp"

namespace ddl::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// "words='a b'" or "files=-d".
std::string bash_values(const Expected& expected) {
  if (expected.paths) return "words=$paths";
  if (expected.scenarios) return "words=$scenarios files=-f";
  if (!expected.words.empty()) return fmt::format("words='{}'", joined(expected.words));
  return expected.files == Expected::folders ? "files=-d" : expected.files == Expected::any ? "files=-f" : ":";
}

// A text inside '...' of zsh's _arguments, where brackets and colons have a meaning.
std::string for_zsh(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter == '\'' ? std::string("'\\''") : letter == '\n' ? std::string(" ") : std::string(1, letter);
  }
  return safe;
}

// ":DIR:_files -/"
std::string zsh_values(const Expected& expected) {
  if (expected.name.empty()) return "";
  const std::string values = expected.paths                        ? "->paths"
                             : expected.scenarios                  ? "->scenarios"
                             : !expected.words.empty()             ? "(" + joined(expected.words) + ")"
                             : expected.files == Expected::folders ? "_files -/"
                             : expected.files == Expected::any     ? "_files"
                                                                   : "";
  return fmt::format(":{}:{}", for_zsh(expected.name), values);
}

// "platform.bandwidth= ...", after which a value follows.
std::string settings_of(const Completed& known) {
  std::string text;
  for (const std::string& path : known.paths) text += (text.empty() ? "" : " ") + path + "=";
  return text;
}

bool is_repeatable(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

}  // namespace

std::string bash_completion(const CLI::App& app, const Completed& known) {
  std::string commands, values, options;
  for (const CLI::App* command : all_commands(app)) {
    const std::string name = command->get_name();
    commands += (commands.empty() ? "" : " ") + name;
    std::string all;
    for (const CLI::Option* option : shown_options(*command)) {
      std::string places;
      for (const std::string& spelled : names_of(*option)) {
        all += (all.empty() ? "" : " ") + spelled;
        places += (places.empty() ? "" : " | ") + name + ":" + spelled;
      }
      if (!expected_of(*option).name.empty())
        values += fmt::format("    {}) {} ;;\n", places, bash_values(expected_of(*option)));
    }
    const CLI::Option* positional = positional_of(*command);
    options += fmt::format("        {}) options='{}'; {} ;;\n", name, all,
                           positional ? bash_values(expected_of(*positional)) : ":");
  }
  for (const std::string& word : laboratory_words()) {
    commands += " " + word;
    options += fmt::format("        {}) files=-f ;;\n", word);
  }
  std::string own;
  for (const CLI::Option* option : shown_options(app)) own += " " + joined(names_of(*option));
  return fmt::format(R"(# Completion of ddlsim for bash, as `ddlsim completion bash` prints it.
_ddlsim() {{
  local commands='{}'
  local scenarios='{}'
  local paths='{}'
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local words='' options='' files=''
  COMPREPLY=()
  if [ "$before" = = ]; then  # the shell takes --out=DIR and PATH=VALUE for three words
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
    case $before in -*) ;; *) return ;; esac
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$commands $scenarios" options='{}' files=-f
  else
    case " $commands " in *" $command "*) ;; *) command=run ;; esac
    case $command:$before in
{}    *)
      case $command in
{}      esac ;;
    esac
  fi
  case $word in -*) words=$options files='' ;; esac
  [ "$words" != "$paths" ] || compopt -o nospace +o filenames
  mapfile -t COMPREPLY < <(
    [ -z "$words" ] || compgen -W "$words" -- "$word"
    [ -z "$files" ] || compgen "$files" -- "$word"
  )
}}
complete -o filenames -F _ddlsim ddlsim
)",
                     commands, joined(known.scenarios), settings_of(known), own.empty() ? own : own.substr(1), values,
                     options);
}

std::string zsh_completion(const CLI::App& app, const Completed& known) {
  std::string commands, cases;
  for (const CLI::App* command : all_commands(app)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), for_zsh(command->get_description()));
    std::string specs;
    for (const CLI::Option* option : shown_options(*command)) {
      const std::string what = "[" + for_zsh(option->get_description()) + "]" + zsh_values(expected_of(*option));
      for (const std::string& name : names_of(*option)) {
        specs += fmt::format(" \\\n        '{}{}{}'", is_repeatable(*option) ? "*" : "", name, what);
      }
    }
    if (const CLI::Option* positional = positional_of(*command)) {
      specs += fmt::format(" \\\n        '{}{}'", is_repeatable(*positional) ? "*" : "1",
                           zsh_values(expected_of(*positional)));
    }
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command->get_name(), specs);
  }
  for (const std::string& word : laboratory_words()) {
    commands += fmt::format("    '{}:Laboratory'\n", word);
    cases += fmt::format("    {})\n      _files ;;\n", word);
  }
  return fmt::format(R"(#compdef ddlsim
# Completion of ddlsim for zsh, as `ddlsim completion zsh` prints it.
_ddlsim() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    compadd -- {}
    _files
    return
  fi
  local command=$words[2] state
  if (( ${{commands[(I)$command:*]}} )); then
    shift words
    (( CURRENT-- ))
  else
    command=run
  fi
  case $command in
{}  esac
  case $state in
    paths) compadd -S '' -- {} ;;
    scenarios) compadd -- {}; _files ;;
  esac
}}
if [ "$funcstack[1]" = _ddlsim ]; then _ddlsim "$@"; else compdef _ddlsim ddlsim; fi
)",
                     commands, joined(known.scenarios), cases, settings_of(known), joined(known.scenarios));
}

}  // namespace ddl::cli
