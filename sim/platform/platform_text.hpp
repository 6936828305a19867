// A platform file's text, and a first check of it, for mistakes that SimGrid reports badly or that make it abort.
#pragma once

#include <string>
#include <string_view>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct FileText {
  std::string path, text;  // the path is for messages
};
// As it was read with the scenario; otherwise reads it. Throws InputError.
FileText file_text(const scenario::Scenario& scenario, const scenario::FilePlatform& platform);

// `path` names the file in errors. Throws InputError of one line: `text` is no SimGrid platform, has a tag that no
// platform has, or sets in a <config> what a platform may not, or to a value that cannot be.
void check_platform_text(std::string_view text, const std::string& path);

}  // namespace ddl::platform
