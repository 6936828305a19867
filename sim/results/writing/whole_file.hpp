#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace ddl::results {

// Writes beside and renames, so that `file` is never half there; makes its folder. A link is followed; devices, pipes
// and what the standard output goes to are written to as they are. Throws InputError.
void write_whole(const std::string& file, const std::string& text);

// The same for what `write` writes, which need never be in memory as a whole.
void write_whole(const std::string& file, const std::function<void(std::ostream&)>& write);

// Where to say that it is written: the standard output, unless that goes into it.
std::ostream& message_stream(const std::string& file);

// The whole text, or "" if it cannot be read.
std::string content_of(const std::string& file);

}  // namespace ddl::results
