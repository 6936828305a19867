// The layout of --help: as wide as the terminal, at most 80 columns, broken at words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ddl::cli {

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
};

}  // namespace ddl::cli
