#include "sim/platform/platform_text.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "sim/platform/config_settings.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/units.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

constexpr const char* doctype_line = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
constexpr std::string_view xml_blanks = " \t\r\n";

std::size_t lines_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

struct Element {
  std::string name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  // UTF-8, references replaced

  // "" if it has none.
  std::string_view attribute(std::string_view wanted) const {
    const auto found = std::ranges::find(attributes, wanted, &std::pair<std::string_view, std::string_view>::first);
    return found == attributes.end() ? "" : found->second;
  }
};

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
void refuse_profile(const Element& element) {
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

// Where the tag that is read stands in what Expat was given.
struct Tag {
  std::size_t line = 0, begin = 0, length = 0;
};

// Newer versions of Expat have other functions for it, and warn of these.
template <class Parser>
Tag tag_at(Parser parser) {
  const auto tag = [](auto... numbers) { return Tag{static_cast<std::size_t>(numbers)...}; };
  if constexpr (requires { XML_GetCurrentLineNumber64(parser); }) {
    return tag(XML_GetCurrentLineNumber64(parser), XML_GetCurrentByteIndex64(parser),
               XML_GetCurrentByteCount64(parser));
  } else {
    return tag(XML_GetCurrentLineNumber(parser), XML_GetCurrentByteIndex(parser), XML_GetCurrentByteCount(parser));
  }
}

// Expat reads the text; its tags are checked, and written again for SimGrid, each in its line.
class Reader {
 public:
  // SimGrid allows blank lines before the XML declaration, which XML does not, and published files have them.
  explicit Reader(std::string_view text)
      : text_(text.substr(std::min(text.find_first_not_of(xml_blanks), text.size()))),
        lines_before_(lines_in(text.substr(0, text.size() - text_.size()))),
        parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetStartDoctypeDeclHandler(parser_.get(), guarded<&Reader::doctype>);
    XML_SetElementHandler(parser_.get(), guarded<&Reader::begin>, guarded<&Reader::end>);
    XML_SetCharacterDataHandler(parser_.get(), guarded<&Reader::characters>);
    XML_SetSkippedEntityHandler(parser_.get(), guarded<&Reader::skipped_entity>);
  }

  PlatformText read() {
    // UTF-16 has such bytes; no other encoding of XML does.
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos) {
      const std::size_t line = 1 + lines_before_ + lines_in(text_.substr(0, zero));
      throw InputError(fmt::format("line {}: has a byte 0; expected a text in UTF-8", line));
    }
    const bool parsed = XML_Parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), 1) == XML_STATUS_OK;
    if (error_) std::rethrow_exception(error_);
    if (!parsed) fail(fmt::format("cannot be read as XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    check_windows();
    return std::move(result_);
  }

 private:
  // Calls a member. An exception must not pass through Expat, which is C.
  template <auto member, class... Arguments>
  static void guarded(void* reader, Arguments... arguments) {
    Reader& it = *static_cast<Reader*>(reader);
    if (it.error_) return;
    try {
      (it.*member)(arguments...);
    } catch (...) {
      it.error_ = std::current_exception();
      XML_StopParser(it.parser_.get(), XML_FALSE);
    }
  }

  std::size_t line() const { return lines_before_ + tag_at(parser_.get()).line; }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("line {}: {}", line(), what)); }

  void doctype(const char* root, const char*, const char*, int has_declarations) {
    if (has_declarations != 0) {
      fail("the DOCTYPE has declarations of its own, which SimGrid does not read; expected none");
    }
    is_typed_ = std::string_view(root) == "platform";
  }

  void begin(const char* name, const char** attributes) {
    refuse_unknown_entities();
    Element element{.name = name, .attributes = {}};
    for (; *attributes != nullptr; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
    check_root(element.name);
    try {
      check_tag(element.name);
      refuse_profile(element);
      note_names(element);
      const bool is_setting = element.name == "prop" && !open_.empty() && open_.back().name == "config";
      open_.push_back({element.name, !is_setting || is_obeyed(element)});
    } catch (const InputError& error) {
      fail(error.what());
    }
    if (open_.back().is_written) write(element);
  }

  void end(const char*) {
    if (open_.back().is_written) {
      result_.text += has_open_tag_ ? "/>" : "</" + open_.back().name + ">";
      has_open_tag_ = false;
    }
    open_.pop_back();
  }

  void characters(const char* data, int size) {
    const std::string_view text(data, static_cast<std::size_t>(size));
    if (text.find_first_not_of(xml_blanks) == std::string_view::npos) return;
    fail("text between tags: " + scenario::in_quotes(text) + "; expected tags alone");
  }

  void skipped_entity(const char* name, int) { refuse_entity(name); }
  void refuse_entity(const std::string& name) const {
    fail("unknown entity " + scenario::in_quotes("&" + name + ";") + "; expected one of XML's own");
  }

  // In attributes of a file with a DOCTYPE Expat leaves out what the DTD, which is not read, might declare. In a
  // well-formed tag each '&' begins a reference.
  void refuse_unknown_entities() const {
    const Tag at = tag_at(parser_.get());
    std::string_view tag = text_.substr(at.begin, at.length);
    constexpr std::array<std::string_view, 5> known = {"lt", "gt", "amp", "quot", "apos"};
    for (std::size_t next = 0; (next = tag.find('&')) != std::string_view::npos;) {
      tag.remove_prefix(next + 1);
      const std::string_view name = tag.substr(0, tag.find(';'));
      if (!name.starts_with('#') && std::ranges::find(known, name) == known.end()) refuse_entity(std::string(name));
    }
  }

  void check_root(const std::string& tag) const {
    if (open_.empty() && tag != "platform") {
      throw InputError(
          fmt::format("is no SimGrid platform file: starts with {}; expected <platform>", in_brackets(tag)));
    }
    if (!is_typed_) {
      throw InputError(fmt::format("has no DOCTYPE before <platform>; expected the line {}", doctype_line));
    }
  }

  void note_names(const Element& element) {
    if (element.name == "link" || element.name == "backbone") result_.links.emplace(element.attribute("id"));
    if (element.name == "host") result_.hosts.emplace_back(element.attribute("id"));
    if (element.name != "prop" || open_.empty()) return;
    if (open_.back().name == "host" && element.attribute("id") == "site") sites_.emplace(element.attribute("value"));
    if (open_.back().name == "zone" || open_.back().name == "AS") note_window(element);
  }

  void note_window(const Element& property) {
    std::istringstream words{std::string(property.attribute("id"))};
    std::string word, from, to, more;
    if (!(words >> word) || word != "tcp_window") return;
    const bool named = words >> from >> to && !(words >> more);
    const auto bytes = scenario::parse_quantity(property.attribute("value"), scenario::Dimension::size);
    if (!named || !bytes.problem.empty() || bytes.value < 1) {
      throw InputError(
          fmt::format("property {} is {}; expected \"tcp_window FROM TO\", two sites, and bytes such as "
                      "\"2.6MB\"",
                      scenario::in_quotes(property.attribute("id")), scenario::in_quotes(property.attribute("value"))));
    }
    result_.windows[{from, to}] = bytes.value;
  }

  void check_windows() const {
    for (const auto& [sites, bytes] : result_.windows) {
      for (const std::string& site : {sites.first, sites.second}) {
        if (sites_.contains(site)) continue;
        throw InputError(fmt::format("property \"tcp_window {} {}\": no host has the site {}; {}", sites.first,
                                     sites.second, scenario::in_quotes(site),
                                     scenario::nearest_or(site, {sites_.begin(), sites_.end()},
                                                          "expected sites that hosts have as properties")));
      }
    }
  }

  bool is_obeyed(const Element& setting) {
    const std::string_view name = setting.attribute("id");
    const std::string why = why_passed_over(name, setting.attribute("value"));
    if (why.empty()) return true;
    result_.notes.push_back(fmt::format("<config>: {} is passed over: {}", scenario::in_quotes(name), why));
    return false;
  }

  void write(const Element& element) {
    if (has_open_tag_) result_.text += ">";
    const std::size_t here = line();
    if (here > written_line_) result_.text.append(here - written_line_, '\n');
    written_line_ = std::max(written_line_, here);
    result_.text += "<" + element.name;
    for (const auto& [name, value] : element.attributes) {
      result_.text += fmt::format(" {}=\"{}\"", name, escaped_value(value));
    }
    has_open_tag_ = true;
  }

  struct Open {
    std::string name;
    bool is_written = true;
  };

  const std::string_view text_;
  const std::size_t lines_before_;
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::exception_ptr error_;
  PlatformText result_{fmt::format("<?xml version='1.0'?>{}", doctype_line), {}, {}, {}};
  std::set<std::string> sites_;  // sites of hosts
  std::size_t written_line_ = 1;
  std::vector<Open> open_;
  bool is_typed_ = false, has_open_tag_ = false;  // the last start tag has no '>' yet
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
  try {
    return Reader(text).read();
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

}  // namespace ddl::platform
