// What is fuzzed: readers of what users and the network bring. Each entry takes any bytes and comes back, having
// accepted or refused them as the program would; anything else is a bug: a crash, an exception of another kind, an
// error that is not one line of text, or an accepted input that is not the same when written and read again.
//
// Not fuzzed: SimGrid's own XML parser, which reads platforms in a child process (sim/platform/probe.hpp) because it
// answers some mistakes by aborting.
#pragma once

#include <span>
#include <string_view>

namespace ddl {

struct FuzzEntry {
  const char* name;  // of its folder of inputs, tests/fuzz/corpus/<name>
  void (*read)(std::string_view bytes);
};

std::span<const FuzzEntry> fuzz_entries();
// Null if there is none of that name.
const FuzzEntry* fuzz_entry(std::string_view name);

}  // namespace ddl
