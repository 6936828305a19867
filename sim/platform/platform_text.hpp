// A platform file's text, read by Expat: what is looked for in it, mistakes that SimGrid reports badly or that make it
// abort, and the text that SimGrid gets. The only place that looks into platform files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct FileText {
  std::string path, text;  // the path is for messages
};
// As it was read with the scenario; otherwise reads it. Throws InputError.
FileText file_text(const scenario::Scenario& scenario, const scenario::FilePlatform& platform);

struct PlatformText {
  // For SimGrid: the same tags in the same lines, in UTF-8, without settings that are passed over.
  std::string text;
  std::set<std::string> links;     // ids of <link> and <backbone>, as the file writes them
  std::vector<std::string> hosts;  // likewise of <host>, in its order; clusters, cabinets and peers make others
  std::vector<std::string> notes;  // parts of a <config> that are passed over, and why, a line each
  // Bytes of the window of a connection from one site to another, by their names: a zone's property "tcp_window A B".
  std::map<std::pair<std::string, std::string>, double> windows = {};
};

// `path` names the file in errors. Throws InputError of one line: `text` is no SimGrid platform or no XML, is in an
// encoding other than UTF-8, ISO-8859-1 or US-ASCII, has declarations in its DOCTYPE, entities other than XML's own,
// text between tags or a tag that no platform has, names files of profiles, sets in a <config> what a platform may
// not, or to a value that cannot be, or has a window that is none, or of sites that no host has.
PlatformText read_platform_text(std::string_view text, const std::string& path);

}  // namespace ddl::platform
