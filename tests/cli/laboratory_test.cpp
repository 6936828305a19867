// How ddlsim hands the laboratory's words over.
#include <algorithm>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::laboratory_test {
namespace {

// The program in a folder of its own, with what stands in for the laboratory, if anything does.
Reply with_laboratory(const std::string& script, const std::string& arguments) {
  const Workplace place;
  std::filesystem::create_directory(place.at("bin"));
  std::filesystem::copy_file(DDLSIM_BINARY, place.at("bin/ddlsim"));
  if (!script.empty()) {
    place.write("bin/ddlsim-lab", "#!/bin/sh\n" + script);
    REQUIRE(place.shell("chmod +x bin/ddlsim-lab").code == 0);
  }
  return place.shell("echo typed | bin/ddlsim " + arguments);
}

}  // namespace

TEST_CASE("words of the laboratory go to the program beside this one, with arguments, streams and exit code") {
  for (const std::string word : {"emulate", "reproduce", "bench"}) {
    const Reply answer =
        with_laboratory(R"(printf '<%s>' "$@"; cat; echo said >&2; exit 7)", word + " 'a b' --help '' -x");
    CHECK(answer.code == 7);
    CHECK(answer.out == "<" + word + "><a b><--help><><-x>typed\n");
    CHECK(answer.err == "said\n");
  }
}

TEST_CASE("a laboratory that is not installed is one clear line") {
  for (const std::string word : {"emulate", "reproduce", "bench"}) {
    const Reply answer = with_laboratory("", word + " --help");
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(
        answer.err.starts_with("ddlsim: " + word + ": belongs to the laboratory, which is not installed; expected /"));
    CHECK(answer.err.ends_with("/bin/ddlsim-lab\n"));
    CHECK(std::count(answer.err.begin(), answer.err.end(), '\n') == 1);
  }
}

TEST_CASE("other words need no laboratory, and one that is misspelt is corrected") {
  CHECK(with_laboratory("", "check good.json").code == 0);
  const Reply answer = with_laboratory("", "emulat good.json");
  CHECK(answer.code == 2);
  CHECK(answer.err == "ddlsim: \"emulat\" is neither a command nor a file; did you mean \"emulate\"?\n");
}

}  // namespace ddl::cli::laboratory_test
