#include "sim/platform/config_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

struct PassedOver {
  std::string_view name;  // of a setting, or of all that begin with it where it ends with '/'
  std::string_view why;
  std::string_view value = "";  // that alone; empty: any
};

// The scenario's own keys say them, or they are of parts of SimGrid that do nothing here: no time depends on them.
constexpr std::array passed_over_settings = {
    PassedOver{"network/model", "platform.network.model of the scenario holds"},
    PassedOver{"host/model", "platform.network.model of the scenario holds"},
    PassedOver{"network/crosstraffic", "platform.network.model of the scenario holds"},
    PassedOver{"network/TCP-gamma", "platform.network.tcp_window of the scenario holds"},
    PassedOver{"network/optim", "it changes how quick SimGrid is"},
    PassedOver{"network/maxmin-selective-update", "it changes how quick SimGrid is"},
    PassedOver{"network/loopback-bw", "no message goes from a host to itself"},
    PassedOver{"network/loopback-lat", "no message goes from a host to itself"},
    PassedOver{"host/solver", "platform.network.model of the scenario holds"},
    PassedOver{"cpu/model", "a host's speed is all that counts"},
    PassedOver{"cpu/solver", "a host's speed is all that counts"},
    PassedOver{"cpu/optim", "it changes how quick SimGrid is"},
    PassedOver{"cpu/maxmin-selective-update", "it changes how quick SimGrid is"},
    PassedOver{"network/sender-gap", "it is of a network model that is not used"},
    PassedOver{"network/coordinates", "hosts' coordinates always count"},
    PassedOver{"contexts/", "it is about SimGrid's stacks and threads"},
    PassedOver{"smpi/", "it is of MPI programs"},
    PassedOver{"tracing", "it is of SimGrid's traces, and none is written"},
    PassedOver{"tracing/", "it is of SimGrid's traces, and none is written"},
    PassedOver{"viva/", "it is of SimGrid's traces, and none is written"},
    PassedOver{"maxmin/precision", "it is about SimGrid's rounding, which is kept as it is"},
    PassedOver{"surf/precision", "it is about SimGrid's rounding, which is kept as it is"},
    PassedOver{"precision/", "it is about SimGrid's rounding, which is kept as it is"},
    PassedOver{"bmf/", "it is of a solver that is not used"},
    PassedOver{"ns3/", "it is of a network model that is not used"},
    PassedOver{"storage/", "no node has a disk"},
    PassedOver{"disk/", "no node has a disk"},
    PassedOver{"vm/", "no node is a virtual machine"},
    PassedOver{"model-check", "it is of SimGrid's model checker"},
    PassedOver{"model-check/", "it is of SimGrid's model checker"},
    PassedOver{"debug/", "it is for debugging SimGrid"},
    PassedOver{"exception/", "it is for debugging SimGrid"},
    PassedOver{"msg/", "it is for debugging SimGrid"},
    PassedOver{"plugin", "it only measures", "host_energy"},
    PassedOver{"plugin", "it only measures", "link_energy"},
    PassedOver{"plugin", "it only measures", "host_load"},
    PassedOver{"plugin", "it only measures", "link_load"},
    PassedOver{"path", "no other file is read"},
    PassedOver{"verbose-exit", "it is for debugging SimGrid"},
    PassedOver{"clean-atexit", "it is for debugging SimGrid"},
    PassedOver{"workstation/model", "platform.network.model of the scenario holds"},
    PassedOver{"maxmin-selective-update", "it changes how quick SimGrid is"},
};

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

// Of a setting that is obeyed. SimGrid takes any number, and ends with wrong times, at none or in a crash.
void check_value(std::string_view name, std::string_view value) {
  const bool above_0 = name == "network/bandwidth-factor", by_size = name != "network/weight-S";
  if (is_number(value, above_0)) return;
  const bool is_list = value.find_first_of(":;") != std::string_view::npos;
  if (is_list && by_size && simgrid_api::factors_by_size && are_factors_by_size(value, above_0)) return;
  throw InputError(fmt::format("<config> sets {} to {}; expected a finite number {}", scenario::in_quotes(name),
                               scenario::in_quotes(value), above_0 ? "above 0" : "of at least 0"));
}

bool is_meant(const PassedOver& one, std::string_view name, std::string_view value) {
  if (!one.value.empty() && one.value != value) return false;
  return one.name.ends_with('/') ? name.starts_with(one.name) : name == one.name;
}

}  // namespace

std::string why_passed_over(std::string_view name, std::string_view value) {
  if (std::ranges::find(obeyed_settings, name) != obeyed_settings.end()) return check_value(name, value), "";
  std::string modern(name);  // older versions of SimGrid wrote network/TCP_gamma
  std::ranges::replace(modern, '_', '-');
  const auto found =
      std::ranges::find_if(passed_over_settings, [&](const PassedOver& one) { return is_meant(one, modern, value); });
  if (found != passed_over_settings.end()) return std::string(found->why);
  const std::string expected = "expected only " + scenario::listed(obeyed_settings) + " of what changes times";
  throw InputError(fmt::format("<config> sets {}, which is not obeyed here; {}; the <config> may be deleted",
                               scenario::in_quotes(name), scenario::nearest_or(name, obeyed_settings, expected)));
}

}  // namespace ddl::platform
