// A line of a batch's input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/reading/read.hpp"

namespace ddl::jobs {

struct JobLine {
  nlohmann::json id;                     // null if it has none
  std::optional<nlohmann::json> cancel;  // id of the jobs that this line ends; the rest then means nothing
  std::string file;                      // the scenario's, or where an object lies as if it were one
  std::optional<std::string> text;       // JSON of a scenario given as an object
  std::vector<scenario::Override> overrides;
  std::optional<std::uint64_t> seed;
  std::string out;
  bool force = false;
  std::vector<std::string> errors;  // if any, other members may be missing

  // By which two jobs have one folder.
  std::filesystem::path place() const;
};

// `name` is the line's in errors, "line 3".
JobLine read_job_line(const std::string& line, const std::string& name);

}  // namespace ddl::jobs
