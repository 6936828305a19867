// Fuzzed readers of input from users and the network. Each entry takes any bytes and returns, having accepted or
// refused them as the program would; anything else is a bug: a crash, an exception of another kind, an error that is
// not one line of text, or an accepted input that changes when written and read again.
//
// Not fuzzed: SimGrid's own XML parser, which reads platforms in a child process (sim/platform/probe.hpp) because it
// answers some mistakes by aborting.
#pragma once

#include <span>
#include <string_view>

namespace ddl {

struct FuzzEntry {
  const char* name;  // its folder of inputs is tests/fuzz/corpus/<name>
  void (*read)(std::string_view bytes);
};

std::span<const FuzzEntry> fuzz_entries();
// Null if there is none of that name.
const FuzzEntry* fuzz_entry(std::string_view name);

}  // namespace ddl
