// Where the measured cycle times are looked for.
#include "lab/studies/lab_file.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/check.hpp"
#include "lab/studies/study.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies::lab_file_test {

TEST_CASE("measured files are those of DDLSIM_HOME, and a study without them says which it lacks") {
  const data::ScratchFolder home;
  setenv("DDLSIM_HOME", home.path().c_str(), 1);
  const std::string missing = "results/validation/measured.csv: no such file; expected it in ";
  try {
    validation_study({});
    FAIL("the study has cells without their file");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).starts_with(missing));
  }
  const std::filesystem::path folder = std::filesystem::path(home.path()) / "results" / "validation";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "measured.csv") << "a,b\n1,2\n";
  CHECK(lab_text("results/validation/measured.csv") == "a,b\n1,2\n");
}

}  // namespace ddl::studies::lab_file_test
