// Outputs of iperf3 (with -J) as a matrix of measured connections.
#pragma once

#include <string>
#include <vector>

namespace ddl::cli {

struct Iperf3Matrix {
  std::string text;                // a CSV file
  std::vector<std::string> notes;  // what no file tells, and where files disagree, a line each
};

// `sites`: "NAME=ADDRESS,ADDRESS", the hosts of a site; a host of none is a site called by its address. Several tests
// of one direction with as many streams count as their mean. Throws InputError of one line: a file is no finished test
// of TCP in one direction, names no round trip that another of its pair has, or no file has two of the sites.
Iperf3Matrix matrix_of_iperf3(const std::vector<std::string>& files, const std::vector<std::string>& sites);

}  // namespace ddl::cli
