// What a study came to, as CSV and a page. The same outcome gives the same bytes.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies {

// "Published claims: 5 hold, 3 fail. Checks of ours: 2 hold".
std::string counts_of(const Study& study, const std::vector<Verdict>& verdicts);
// One row per figure: labels, published, simulated, ratio, half width.
std::string table_csv(const TableLayout& table, const Outcome& outcome);
std::string claims_csv(const Study& study, const Outcome& outcome);
// Markdown: how many claims hold, the claims, a paragraph for each cause why some do not, and the tables that are shown
// on the page. It names `command` as what makes it; a page of unfinished runs adds --finished to that.
std::string study_page(const Study& study, const Outcome& outcome, const std::string& command);

// results/tables/<study>_<table>.csv, <study>_claims.csv and results/<study>.md below `out`; returns the page's path.
std::string write_study(const std::string& out, const Study& study, const Outcome& outcome, const std::string& command);

}  // namespace ddl::studies
