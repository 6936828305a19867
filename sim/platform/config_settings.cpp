#include "sim/platform/config_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "sim/platform/simgrid_api.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

// They hold as SimGrid has them. What else could change times is refused: SimGrid has such settings that the
// accelerator does not know.
const std::vector<std::string> obeyed_settings = {"network/bandwidth-factor", "network/latency-factor",
                                                  "network/weight-S"};

// A name that ends with '/' stands for all that begin with it; NAME=VALUE for that value alone.
struct PassedOver {
  const char* why;
  std::vector<std::string_view> names;
};

// The scenario's own keys say them, or they are of parts of SimGrid that do nothing here: no time depends on them.
std::vector<PassedOver> passed_over_settings() {
  return {
      {"platform.network.model of the scenario holds",
       {"network/model", "network/crosstraffic", "host/model", "host/solver", "workstation/model"}},
      {"platform.network.tcp_window of the scenario holds", {"network/TCP-gamma"}},
      {"it changes how quick SimGrid is",
       {"network/optim", "network/maxmin-selective-update", "cpu/optim", "cpu/maxmin-selective-update",
        "maxmin-selective-update"}},
      {"no message goes from a host to itself", {"network/loopback-bw", "network/loopback-lat"}},
      {"a host's speed is all that counts", {"cpu/model", "cpu/solver"}},
      {"it is of a network model that is not used", {"network/sender-gap", "ns3/"}},
      {"it is of a solver that is not used", {"bmf/"}},
      {"hosts' coordinates always count", {"network/coordinates"}},
      {"it is about SimGrid's stacks and threads", {"contexts/"}},
      {"it is about SimGrid's rounding, which is kept as it is", {"maxmin/precision", "surf/precision", "precision/"}},
      {"it is of MPI programs", {"smpi/"}},
      {"it is of SimGrid's traces, and none is written", {"tracing", "tracing/", "viva/"}},
      {"it is of SimGrid's model checker", {"model-check", "model-check/"}},
      {"it is for debugging SimGrid", {"debug/", "exception/", "msg/", "verbose-exit", "clean-atexit"}},
      {"it only measures", {"plugin=host_energy", "plugin=link_energy", "plugin=host_load", "plugin=link_load"}},
      {"no node has a disk", {"storage/", "disk/"}},
      {"no node is a virtual machine", {"vm/"}},
      {"no other file is read", {"path"}}};
}

std::string_view without_blanks(std::string_view text) {
  const char* blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Finite, and above 0 or at least 0.
bool is_number(std::string_view text, bool above_0) {
  text = without_blanks(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number) &&
         (above_0 ? number > 0 : number >= 0);
}

// "65472:0.94;15424:0.69": sizes of messages from which on a factor holds, and that factor.
bool are_factors_by_size(std::string_view text, bool above_0) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || !is_number(part.substr(0, colon), false)) return false;
    if (!is_number(part.substr(colon + 1), above_0)) return false;
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return true;
}

// Checks an obeyed setting. SimGrid takes any number, and then computes wrong times, never ends, or crashes.
void check_value(std::string_view name, std::string_view value) {
  const bool above_0 = name == "network/bandwidth-factor", by_size = name != "network/weight-S";
  if (is_number(value, above_0)) return;
  const bool is_list = value.find_first_of(":;") != std::string_view::npos;
  if (is_list && by_size && simgrid_api::factors_by_size && are_factors_by_size(value, above_0)) return;
  throw InputError(fmt::format("<config> sets {} to {}; expected a finite number {}", scenario::in_quotes(name),
                               scenario::in_quotes(value), above_0 ? "above 0" : "of at least 0"));
}

bool is_meant(std::string_view passed_over, const std::string& name, std::string_view value) {
  if (passed_over.ends_with('/')) return name.starts_with(passed_over);
  return passed_over == name || passed_over == fmt::format("{}={}", name, value);
}

}  // namespace

std::string why_passed_over(std::string_view name, std::string_view value) {
  if (std::ranges::find(obeyed_settings, name) != obeyed_settings.end()) return check_value(name, value), "";
  std::string modern(name);  // older versions of SimGrid wrote network/TCP_gamma
  std::ranges::replace(modern, '_', '-');
  for (const PassedOver& setting : passed_over_settings()) {
    const auto is_it = [&](std::string_view passed_over) { return is_meant(passed_over, modern, value); };
    if (std::ranges::any_of(setting.names, is_it)) return setting.why;
  }
  const std::string expected = "expected only " + scenario::listed(obeyed_settings) + " of what changes times";
  throw InputError(fmt::format("<config> sets {}, which is not obeyed here; {}; the <config> may be deleted",
                               scenario::in_quotes(name), scenario::nearest_or(name, obeyed_settings, expected)));
}

}  // namespace ddl::platform
