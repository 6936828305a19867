// Files that come with the program.
#pragma once

#include <filesystem>
#include <string>

namespace ddl::cli {

// The folder of shipped files: $DDLSIM_HOME/<name>, ./<name>, or <prefix>/share/ddlsim/<name> where the program is
// <prefix>/bin/ddlsim.
std::filesystem::path shipped(const std::string& name);

// The file that is meant: `word` if there is such a file, otherwise the shipped scenario or sweep of that path or name
// ("scenarios/het_wan_ako_p3.json", "het_wan_ako_p3", "study/bandwidth_workers"). `word` if there is none either.
std::string scenario_file(const std::string& word);

}  // namespace ddl::cli
