// The tables of a result as comma-separated text. Numbers are the shortest decimals that read back as the same double,
// so equal results give equal bytes; what is absent is an empty field. Columns are explained in results/README.md.
#pragma once

#include <string>

#include "sim/experiment/run_result.hpp"

namespace ddl::results {

inline constexpr const char* curve_header =
    "time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy";
inline constexpr const char* iterations_header = "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,staleness";
inline constexpr const char* traffic_header = "link,direction,bytes,utilisation";
inline constexpr const char* pairs_header = "source,target,messages,bytes";
inline constexpr const char* links_header = "link,direction,start_s,end_s,utilisation";

// Quoted where a comma, a quote or a line break would be taken for the table's own (RFC 4180).
std::string csv_field(const std::string& text);
// The shortest decimals that read back as the same double; nan without its sign, which says nothing.
std::string csv_field(double number);

std::string curve_csv(const experiment::RunResult& result);
std::string iterations_csv(const experiment::RunResult& result);
std::string traffic_csv(const experiment::RunResult& result);
std::string pairs_csv(const experiment::RunResult& result);

}  // namespace ddl::results
