// A folder of one test, in which the program is called.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/files.hpp"

namespace ddl::cli {

struct Reply {
  int code = 0;
  std::string out, err;
};

class Workplace {
 public:
  Workplace() {
    std::filesystem::create_directories(folder_.path() / "work");
    write("good.json", R"({ "platform": { "workers": 2, "bandwidth": "40Mbps", "network": { "model": "CM02" } },
                            "model": "none", "wire": { "model_bytes": "1MB" },
                            "compute": { "seconds_per_batch": "100ms", "jitter": 0 },
                            "algorithm": "ako", "stop": { "iterations": 5 } })");
  }

  void write(const std::string& name, const std::string& text) const { put(at(name), text); }
  std::filesystem::path at(const std::string& name) const { return folder_.path() / "work" / name; }

  // The program with `arguments`, as a shell splits them; `before` may set variables or name a program that runs it.
  Reply call(const std::string& arguments, const std::string& before = "") const {
    return shell(before + " '" DDLSIM_BINARY "' " + arguments);
  }
  // Output of a call that must succeed.
  std::string done(const std::string& arguments) const {
    const Reply reply = call(arguments);
    REQUIRE_MESSAGE(reply.code == 0, arguments << ": " << reply.err);
    return reply.out;
  }
  Reply shell(const std::string& commands) const {
    const std::string out = folder_.file("out"), err = folder_.file("err");
    const std::string command =
        "cd '" + folder_.file("work") + "' && { " + commands + "\n} >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace ddl::cli
