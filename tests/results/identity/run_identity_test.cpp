#include "sim/results/identity/run_identity.hpp"

#include <doctest/doctest.h>

#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/writing/run_json.hpp"
#include "tests/results/writing/example.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::results::run_identity_test {
namespace {

TEST_CASE("identities follow a data file that changes, wherever it lies") {
  const TemporaryFolder scratch;
  scenario::Scenario here = example_scenario();
  here.data.source = data::DataSource::mnist;
  here.data.path = (scratch.path() / "here").string();
  scenario::Scenario there = here;
  there.data.path = (scratch.path() / "there").string();
  write_mnist(here.data.path, 1);
  write_mnist(there.data.path, 1);
  Identities identities;
  const RunIdentity before = identities.of(here);
  CHECK(before.data.size() == 4);
  const std::string run = run_json(before, "0");
  CHECK(compare_with_earlier(identities.of(there), run).is_same());
  write_mnist(here.data.path, 2);
  CHECK(identities.of(here).data != before.data);
  CHECK(compare_with_earlier(identities.of(here), run).differences == std::vector<std::string>{"data"});
  CHECK(compare_with_earlier(identities.of(there), run).is_same());
  std::filesystem::remove_all(here.data.path);
  CHECK_THROWS_AS(identities.of(here), InputError);
}

TEST_CASE("results of other plug-ins are those of another program") {
  RunIdentity without = Identities().of(example_scenario()), with = without;
  with.program.plug_ins = {{"mine.so", "0123456789abcdef"}};
  CHECK(run_json(without, "0").find("plug_ins") == std::string::npos);
  for (const auto& [written, asked] : {std::pair(without, with), std::pair(with, without)}) {
    const EarlierRun earlier = compare_with_earlier(asked, run_json(written, "0"));
    CHECK(earlier.other_program);
    CHECK_FALSE(earlier.is_same());
    CHECK(earlier.is_same_of_any_build());
    CHECK(compare_with_earlier(written, run_json(written, "0")).is_same());
  }
}

}  // namespace
}  // namespace ddl::results::run_identity_test
