#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddl::results {

// Every result that the arguments name, each once, in natural order per argument: a result's folder, or any folder up
// to three levels above (a name's, a sweep's, the whole output folder). Of a sweep that has its table, those are meant
// which the table lists. Runs of a search (advise, tune, a sweep's tuning) are passed over, but for one that alone is
// named. Throws InputError for any other argument without results.
std::vector<std::filesystem::path> find_results(const std::vector<std::string>& arguments);

}  // namespace ddl::results
