#include "sim/platform/platform_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/base/check.hpp"
#include "sim/platform/config_settings.hpp"
#include "sim/platform/xml_reader.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

constexpr const char* doctype_line = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";

// The tags of SimGrid's DTD, version 4.1.
std::vector<std::string> known_tags() {
  return {"platform",  "zone",    "AS",          "host",          "cluster",         "cabinet",
          "peer",      "router",  "link",        "backbone",      "host_link",       "route",
          "zoneRoute", "ASroute", "bypassRoute", "bypassASroute", "bypassZoneRoute", "link_ctn",
          "prop",      "config",  "include",     "random",        "trace",           "trace_connect",
          "storage",   "disk",    "mount",       "storage_type",  "model_prop"};
}

std::string in_brackets(const std::string& tag) {
  constexpr std::size_t longest = 60;
  return "<" + scenario::on_one_line(std::string_view(tag).substr(0, longest)) + ">";
}

void check_tag(const std::string& tag) {
  if (tag == "actor" || tag == "process") {
    throw InputError("tag <" + tag + ">: a scenario brings its own actors; expected only hosts and links");
  }
  if (tag == "include") throw InputError("tag <include>: no other file is read; expected what that file says");
  const std::vector<std::string> known = known_tags();
  if (std::ranges::find(known, tag) == known.end()) {
    throw InputError(fmt::format(
        "unknown tag {}; {}", in_brackets(tag),
        scenario::nearest_or(tag, known, "expected a tag of SimGrid's platform files, such as <host> or <link>")));
  }
}

// SimGrid plays profiles of links wrongly (see Fabric::set_bandwidth), and their files would not be part of a result's
// scenario.
void refuse_profile(const XmlElement& element) {
  const std::string not_played = ": profiles in platform files are not played; expected ";
  const std::string values = "bandwidths, latencies and speeds in $.platform.profiles";
  const std::string states = "times when a host or link is down in $.faults";
  if (element.name == "trace" || element.name == "trace_connect") {
    throw InputError("tag <" + element.name + ">" + not_played + values + ", and " + states);
  }
  for (const char* name : {"bandwidth_file", "latency_file", "state_file", "speed_file", "availability_file"}) {
    if (element.attribute(name).empty()) continue;
    throw InputError(name + not_played + (std::string_view(name) == "state_file" ? states : values));
  }
}

std::string escaped_value(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || letter == '&' || letter == '<' || letter == '>' || letter == '"') {
      result += fmt::format("&#{};", code);
    } else {
      result += letter;
    }
  }
  return result;
}

// Tags as they come, each in its line.
class TagWriter {
 public:
  explicit TagWriter(std::string start) : text_(std::move(start)) {}

  void begin(const XmlElement& element) {
    close_tag();
    if (element.line > line_) text_.append(element.line - line_, '\n');
    line_ = std::max(line_, element.line);
    text_ += "<" + element.name;
    for (const auto& [name, value] : element.attributes) text_ += " " + name + "=\"" + escaped_value(value) + "\"";
    is_open_ = true;
  }
  void end(const std::string& name) {
    text_ += is_open_ ? "/>" : "</" + name + ">";
    is_open_ = false;
  }
  std::string take() { return std::move(text_); }

 private:
  void close_tag() {
    if (is_open_) text_ += ">";
    is_open_ = false;
  }

  std::string text_;
  std::size_t line_ = 1;
  bool is_open_ = false;  // the last start tag has no '>' yet
};

class PlatformReader : public XmlListener {
 public:
  PlatformText take() {
    read_.text = writer_.take();
    return std::move(read_);
  }

  void doctype(const std::string& root) override { is_typed_ = root == "platform"; }

  void begin(const XmlElement& element) override {
    check_root(element.name);
    try {
      open(element);
    } catch (const InputError& error) {
      throw InputError(fmt::format("line {}: {}", element.line, error.what()));
    }
  }

  void end(const std::string& name) override {
    if (open_.back().is_written) writer_.end(name);
    open_.pop_back();
  }

 private:
  struct Open {
    std::string name;
    bool is_written = true;
  };

  void check_root(const std::string& tag) {
    if (!is_rooted_ && tag != "platform") {
      throw InputError(
          fmt::format("is no SimGrid platform file: starts with {}; expected <platform>", in_brackets(tag)));
    }
    is_rooted_ = true;
    if (!is_typed_) {
      throw InputError(fmt::format("has no DOCTYPE before <platform>; expected the line {}", doctype_line));
    }
  }

  void open(const XmlElement& element) {
    check_tag(element.name);
    refuse_profile(element);
    if (element.name == "link" || element.name == "backbone") read_.links.emplace(element.attribute("id"));
    if (element.name == "host") read_.hosts.emplace_back(element.attribute("id"));
    const bool is_setting = element.name == "prop" && !open_.empty() && open_.back().name == "config";
    const bool is_written = !is_setting || is_obeyed(element);
    if (is_written) writer_.begin(element);
    open_.push_back({element.name, is_written});
  }

  bool is_obeyed(const XmlElement& setting) {
    const std::string_view name = setting.attribute("id");
    const std::string why = why_passed_over(name, setting.attribute("value"));
    if (!why.empty())
      read_.notes.push_back(fmt::format("<config>: {} is passed over: {}", scenario::in_quotes(name), why));
    return why.empty();
  }

  PlatformText read_;
  TagWriter writer_{fmt::format("<?xml version='1.0'?>{}", doctype_line)};
  std::vector<Open> open_;
  bool is_typed_ = false, is_rooted_ = false;
};

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

PlatformText read_platform_text(std::string_view text, const std::string& path) {
  PlatformReader reader;
  try {
    read_xml(text, reader);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
  return reader.take();
}

}  // namespace ddl::platform
