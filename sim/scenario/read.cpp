#include "sim/scenario/read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/scenario/checks.hpp"
#include "sim/scenario/json_text.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/read_profiles.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/words.hpp"

namespace ddl {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw ScenarioErrors({on_one_line(file + ": " + what)});
}

}  // namespace

ScenarioErrors::ScenarioErrors(std::vector<std::string> lines_)
    : std::runtime_error(std::accumulate(
          lines_.begin(), lines_.end(), std::string(),
          [](const std::string& all, const std::string& line) { return all.empty() ? line : all + "\n" + line; })),
      lines(std::move(lines_)) {}

// Also reads pipes, so that a shell can hand over what a command prints.
std::string scenario_text(const std::string& file, const char* what) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    refuse(file, errno == ENOENT ? fmt::format("no such file; expected {}", what)
                                 : fmt::format("cannot be read ({}); expected {}", std::strerror(errno), what));
  }
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } closer{descriptor};
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
    refuse(file, fmt::format("is a folder; expected {} file", what));

  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(file, fmt::format("cannot be read ({}); expected {}", std::strerror(errno), what));
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kMostBytes)
      refuse(file, fmt::format("is larger than {} MiB; expected {}", kMostBytes >> 20, what));
  }
}

Scenario parse_scenario(const std::string& text, const std::string& file, const std::vector<Override>& overrides) {
  Findings findings(file);
  nlohmann::json json;
  if (!parse_json(text, findings, json)) throw ScenarioErrors(findings.lines());
  for (const Override& change : overrides) apply_override(change, json, findings);

  if (!json.is_object()) {
    findings.add("$", shown(json) + " is not an object; expected a scenario in braces");
    throw ScenarioErrors(findings.lines());
  }

  if (json.contains("base") && !json.contains("platform") && !json.contains("algorithm")) {
    findings.add("$.base", "is a sweep's; expected a scenario; ddlsim sweep runs sweeps");
    throw ScenarioErrors(findings.lines());
  }

  Scenario scenario;
  scenario.file = file;
  read_json(json, scenario, findings);
  fill_defaults(scenario, file);
  read_profile_files(scenario, findings);
  check_scenario(scenario, findings);
  if (!findings.empty()) throw ScenarioErrors(findings.lines());
  return scenario;
}

Scenario read_scenario(const std::string& file, const std::vector<Override>& overrides) {
  return parse_scenario(scenario_text(file), file, overrides);
}

}  // namespace ddl
