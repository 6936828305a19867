// Where the files of the laboratory are looked for.
#include "lab/studies/lab_file.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "tests/data/scratch_folder.hpp"

namespace ddl::studies::lab_file_test {

TEST_CASE(
    "files of the laboratory are those of DDLSIM_HOME, and its studies the folders there that have a study.json") {
  const data::ScratchFolder home;
  setenv("DDLSIM_HOME", home.path().c_str(), 1);
  CHECK_THROWS_WITH_AS(lab_text("results/validation/measured.csv"),
                       doctest::Contains("results/validation/measured.csv: no such file; expected it in "), InputError);
  CHECK(lab_folders("lab/studies", "study.json").empty());
  const auto put = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(home.path()) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  put("results/validation/measured.csv", "a,b\n1,2\n");
  for (const char* name : {"second", "first", "reading"}) {
    put(std::string("lab/studies/") + name + (name == std::string("reading") ? "/a.cpp" : "/study.json"), "{}");
  }
  CHECK(lab_text("results/validation/measured.csv") == "a,b\n1,2\n");
  CHECK(lab_folders("lab/studies", "study.json") == std::vector<std::string>{"first", "second"});
}

}  // namespace ddl::studies::lab_file_test
