// Limits on folders. Functions have theirs by clang-tidy (.ci/nightly tidy); a file has none.
#include "tests/base/sources.hpp"

namespace ddl::size_rules_test {
namespace {

constexpr int files_of_a_folder = 25;

}  // namespace

TEST_CASE("house: a folder has at most 25 sources") {
  Offenders folders;
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) ++folders[source.folder()];
  CHECK(folders.size() > 40);
  std::erase_if(folders, [](const auto& folder) { return folder.second <= files_of_a_folder; });
  check_offenders("folders", folders);
}

}  // namespace ddl::size_rules_test
