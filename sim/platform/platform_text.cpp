#include "sim/platform/platform_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"
#include "sim/platform/simgrid_api.hpp"
#include "sim/scenario/reading/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

// The tags of SimGrid's DTD, version 4.1.
std::vector<std::string> known_tags() {
  return {"platform",  "zone",    "AS",          "host",          "cluster",         "cabinet",
          "peer",      "router",  "link",        "backbone",      "host_link",       "route",
          "zoneRoute", "ASroute", "bypassRoute", "bypassASroute", "bypassZoneRoute", "link_ctn",
          "prop",      "config",  "include",     "random",        "trace",           "trace_connect",
          "storage",   "disk",    "mount",       "storage_type",  "model_prop"};
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ':'; }

// Where the comment, instruction or declaration that starts at `at` ends, or `at` when there is none.
std::size_t skip_markup(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 4) == "<!--") return behind("-->", at + 4);
  if (text.substr(at, 2) == "<?") return behind("?>", at + 2);
  if (text.substr(at, 2) == "<!") return behind(">", at + 2);
  return at;
}

void check_tag(const std::string& tag, const std::string& where) {
  if (tag == "actor" || tag == "process") {
    throw InputError(where + "tag <" + tag + ">: a scenario brings its own actors; expected only hosts and links");
  }
  const std::vector<std::string> known = known_tags();
  if (std::ranges::find(known, tag) == known.end()) {
    throw InputError(
        where + "unknown tag <" + tag + ">; " +
        scenario::nearest_or(tag, known, "expected a tag of SimGrid's platform files, such as <host> or <link>"));
  }
}

// SimGrid plays profiles of links wrongly (see Fabric::set_bandwidth), and their files would not be part of a result's
// scenario.
void refuse_profile(std::string_view inside, const std::string& tag, const std::string& where) {
  const std::string not_played = ": profiles in platform files are not played; expected ";
  const std::string values = "bandwidths, latencies and speeds in $.platform.profiles";
  const std::string states = "times when a host or link is down in $.faults";
  if (tag == "trace" || tag == "trace_connect") {
    throw InputError(where + "tag <" + tag + ">" + not_played + values + ", and " + states);
  }
  for (const char* attribute : {"bandwidth_file", "latency_file", "state_file", "speed_file", "availability_file"}) {
    const std::size_t found = inside.find(attribute);
    if (found == std::string_view::npos || is_name_char(inside[found - 1])) continue;
    const std::string_view value = inside.substr(found + std::string_view(attribute).size());
    if (value.starts_with("=\"\"") || value.starts_with("=''")) continue;
    throw InputError(where + attribute + not_played + (std::string_view(attribute) == "state_file" ? states : values));
  }
}

// What a <config> may set, and what of it the scenario's own keys overrule. SimGrid has far more settings: some write
// files or replace models, of which neither the scenario nor the accelerator would know.
std::vector<std::string> obeyed_settings() {
  return {"network/bandwidth-factor", "network/latency-factor", "network/weight-S"};
}
std::vector<std::string> overruled_settings() {
  return {"network/model", "network/crosstraffic", "network/TCP-gamma", "network/optim"};
}

// The value of a tag's attribute, "" if it has none; `attributes` is what follows the tag's name.
std::string_view attribute_of(std::string_view attributes, std::string_view name) {
  const auto skip = [&](const char* characters) {
    attributes.remove_prefix(std::min(attributes.find_first_not_of(characters), attributes.size()));
  };
  for (skip(" \t\r\n"); !attributes.empty() && is_name_char(attributes.front()); skip(" \t\r\n")) {
    const std::string_view rest = attributes;
    while (!attributes.empty() && is_name_char(attributes.front())) attributes.remove_prefix(1);
    const std::string_view found = rest.substr(0, rest.size() - attributes.size());
    skip(" \t\r\n=");
    if (attributes.empty()) break;
    const std::size_t last = attributes.find(attributes.front(), 1);  // the same quotation mark
    if (last == std::string_view::npos) break;
    if (found == name) return attributes.substr(1, last - 1);
    attributes.remove_prefix(last + 1);
  }
  return "";
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

// Of a setting that is obeyed. SimGrid takes any number, and ends with wrong times, at none or in a crash.
void check_value(const std::string& name, std::string_view value, const std::string& where) {
  const bool above_0 = name == "network/bandwidth-factor", by_size = name != "network/weight-S";
  if (is_number(value, above_0)) return;
  const bool is_list = value.find_first_of(":;") != std::string_view::npos;
  if (is_list && by_size && simgrid_api::factors_by_size && are_factors_by_size(value, above_0)) return;
  throw InputError(where + "<config> sets " + scenario::in_quotes(name) + " to " + scenario::in_quotes(value) +
                   "; expected a finite number " + (above_0 ? "above 0" : "of at least 0"));
}

// `attributes` are those of a <prop> in a <config>.
void check_setting(std::string_view attributes, const std::string& where) {
  const std::string name(attribute_of(attributes, "id"));
  const std::vector<std::string> obeyed = obeyed_settings(), overruled = overruled_settings();
  if (std::ranges::find(obeyed, name) != obeyed.end()) {
    return check_value(name, attribute_of(attributes, "value"), where);
  }
  if (std::ranges::find(overruled, name) != overruled.end()) return;
  throw InputError(where + "<config> sets " + scenario::in_quotes(name) + "; " +
                   scenario::nearest_or(name, obeyed, "expected nothing but " + scenario::listed(obeyed)));
}

}  // namespace

FileText file_text(const scenario::Scenario& scenario, const scenario::FilePlatform& platform) {
  const std::string path = scenario::resolve_path(scenario, platform.file);
  if (platform.text) return {path, *platform.text};
  try {
    return {path, scenario::text_of_file(path, scenario::platform_file)};
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

void check_platform_text(std::string_view text, const std::string& path) {
  bool typed = false, rooted = false, in_config = false;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (const std::size_t behind = skip_markup(text, at); behind != at) {
      typed = typed || text.substr(at, 9) == "<!DOCTYPE";
      at = behind;
      continue;
    }
    std::size_t end = ++at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string tag(text.substr(at, end - at));
    if (tag.empty()) continue;  // an end tag
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    if (!rooted && tag != "platform") {
      throw InputError(path + ": is no SimGrid platform file: starts with <" + tag + ">; expected <platform>");
    }
    if (!typed) {
      throw InputError(path +
                       ": has no DOCTYPE before <platform>; expected the line "
                       "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">");
    }
    rooted = true;
    const std::string where = path + ": line " + std::to_string(line) + ": ";
    check_tag(tag, where);
    refuse_profile(text.substr(at, text.find('>', at) - at), tag, where);
    in_config = tag == "config" || (in_config && tag == "prop");  // which holds nothing else
    if (in_config && tag == "prop") check_setting(text.substr(end), where);
    at = end;
  }
  if (!rooted) throw InputError(path + ": is no SimGrid platform file: has no <platform> tag");
}

}  // namespace ddl::platform
