// Files that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddl::cli {

// The folder of shipped files: $DDLSIM_HOME/<name>, ./<name>, or <prefix>/share/ddlsim/<name> where the program is
// <prefix>/bin/ddlsim.
std::filesystem::path shipped(const std::string& name);

// Those in it and below whose names end so, schemas left out, in order.
std::vector<std::filesystem::path> shipped_files(const std::string& folder, const char* extension);

// "study/bandwidth_workers": what a shipped scenario or sweep is called, and what all are called.
std::string scenario_name(const std::filesystem::path& file);
std::vector<std::string> scenario_names();

// The file that is meant: `word` if there is such a file, otherwise the shipped scenario or sweep of that path or name
// ("scenarios/het_wan_ako_p3.json", "het_wan_ako_p3", "study/bandwidth_workers"). `word` if there is none either.
std::string scenario_file(const std::string& word);
// The same; throws InputError for what is almost the name of one.
std::string need_scenario_file(const std::string& word);

}  // namespace ddl::cli
