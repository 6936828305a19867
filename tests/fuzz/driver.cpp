// One fuzz target of LLVM's libFuzzer, named by FUZZ_ENTRY.
#include <cstddef>
#include <cstdint>

#include "core/base/check.hpp"
#include "tests/fuzz/entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ddl::FuzzEntry* entry = ddl::fuzz_entry(FUZZ_ENTRY);
  ddl::check(entry != nullptr, "an entry of this name");
  entry->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
