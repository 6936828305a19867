// A folder of one test, in which the program is called.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace ddl::cli {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Reply {
  int code = 0;
  std::string out, err;
};

class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ddlsim-cli-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    std::filesystem::create_directories(path_ / "work");
    write("good.json", R"({ "platform": { "workers": 2, "bandwidth": "40Mbps", "network": { "model": "CM02" } },
                            "model": "none", "wire": { "model_bytes": "1MB" },
                            "compute": { "seconds_per_batch": "100ms", "jitter": 0 },
                            "algorithm": "ako", "stop": { "iterations": 5 } })");
  }
  ~Workplace() { std::filesystem::remove_all(path_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / "work" / name) << text; }
  std::filesystem::path at(const std::string& name) const { return path_ / "work" / name; }

  // The program with `arguments`, as a shell splits them; `before` may set variables or name a program that runs it.
  Reply call(const std::string& arguments, const std::string& before = "") const {
    return shell(before + " '" DDLSIM_BINARY "' " + arguments);
  }
  // What a call prints that must succeed.
  std::string done(const std::string& arguments) const {
    const Reply reply = call(arguments);
    REQUIRE_MESSAGE(reply.code == 0, arguments << ": " << reply.err);
    return reply.out;
  }
  Reply shell(const std::string& commands) const {
    const std::string command = "cd '" + (path_ / "work").string() + "' && { " + commands + "\n} >'" +
                                (path_ / "out").string() + "' 2>'" + (path_ / "err").string() + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path_ / "out"), text_of(path_ / "err")};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ddl::cli
