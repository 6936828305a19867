// One self-contained HTML page about finished runs: it needs no network and no other file.
#pragma once

#include <cstddef>
#include <string>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

// Writes the page, whole or not at all. Long curves, many links, workers and steps are reduced to what a page can show,
// and the page says so. It opens with `answer`; with a ranking of its own where that is empty. Returns the size in
// bytes. Throws InputError.
std::size_t write_report(const std::string& file, const std::string& title, const results::GroupedRuns& runs,
                         const std::string& answer = "");

}  // namespace ddl::view
