// The tables of a result as comma-separated text. Numbers are the shortest decimals that read back as the same double,
// so equal results give equal bytes; what is absent is an empty field. Columns are explained in results/README.md.
#pragma once

#include <string>

#include "sim/record/run_result.hpp"

namespace ddl {

std::string curve_csv(const RunResult& result);
std::string iterations_csv(const RunResult& result);
std::string traffic_csv(const RunResult& result);
std::string pairs_csv(const RunResult& result);

}  // namespace ddl
