// Sessions at a shell: output, exit code, and files left behind. Each file of transcripts/ is a test, and reads like
// this:
//
//   # Purpose of the session. It begins in a folder of its own, which contains good.json.
//   file own.json
//     { "base": "good.json" }
//   $ ddlsim own.json
//     err: ddlsim: own.json: $.base: is a sweep's; expected ...
//   $ ddlsim [check|run --quiet] good.json --seed 2
//     out: good.json
//
// Commands are the shell's, with the additions of prelude.sh; one that continues in the next line has "> " there, and a
// comment follows "## ". [a|b] is each in turn. Below a command:
//   exit: N     its exit code; by default 0, or 2 if there is a line of `err`
//   err: LINE   the standard error has exactly these lines; "..." is any text, and alone any lines
//   out: TEXT   the standard output contains these, in this order
//   not: TEXT   the standard output does not contain this
// A command that ends with exit code 2 prints nothing on the standard output, and neither leaves nor removes files.
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "tests/cli/workplace.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/sanitized.hpp"

namespace ddl::cli::transcripts_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(DDLSIM_SOURCE_DIR) / "tests/cli/transcripts";

struct Command {
  std::string place, line;
  std::optional<int> code;
  std::vector<std::string> err, out, not_out;
};

std::set<std::string> everything_in(const Workplace& place) {
  std::set<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(place.at("."))) all.insert(entry.path().string());
  return all;
}

void check_output(const Command& command, const Reply& reply) {
  std::size_t at = 0;
  for (const std::string& text : command.out) {
    const std::size_t end = end_of_match(reply.out, text, at);
    CHECK_MESSAGE(end != std::string::npos, "\"" << text << "\" is missing in\n" << reply.out);
    at = end != std::string::npos ? end : at;
  }
  for (const std::string& text : command.not_out) CHECK_MESSAGE(reply.out.find(text) == std::string::npos, reply.out);
  if (command.err == std::vector<std::string>{"..."}) return;
  const std::vector<std::string> lines = lines_in(reply.err);
  CHECK_MESSAGE(lines.size() == command.err.size(), reply.err);
  CHECK_MESSAGE((reply.err.empty() || reply.err.ends_with('\n')), reply.err);
  for (std::size_t i = 0; i < std::min(lines.size(), command.err.size()); ++i) {
    CHECK_MESSAGE(is_like(lines[i], command.err[i]), lines[i]);
  }
}

Reply shell(const Workplace& place, const std::string& line) {
  return place.shell("DDLSIM='" DDLSIM_BINARY "' SOURCE='" DDLSIM_SOURCE_DIR "' VERSION=" DDLSIM_VERSION " SANITIZED=" +
                     std::string(sanitized ? "yes" : "no") + "; . '" + (folder / "prelude.sh").string() + "'\n" + line);
}

void run(const Workplace& place, const Command& command, const std::string& line) {
  static const std::regex choice(R"(\[([^\[\]"$]*\|[^\[\]"$]*)\])");
  if (std::smatch found; std::regex_search(line, found, choice)) {
    std::istringstream words(found[1]);
    for (std::string word; std::getline(words, word, '|');) {
      run(place, command, found.prefix().str() + word + found.suffix().str());
    }
    return;
  }
  INFO(command.place);
  CAPTURE(line);
  const auto before = everything_in(place);
  const Reply reply = shell(place, line);
  CHECK_MESSAGE(reply.code == command.code.value_or(command.err.empty() ? 0 : 2), reply.out << reply.err);
  check_output(command, reply);
  if (reply.code != 2) return;
  CHECK(reply.out == "");
  CHECK(everything_in(place) == before);
}

// A session's files and commands, in their order.
class Session {
 public:
  void file(const std::string& name) {
    finish();
    file_ = name;
  }
  void command(const std::string& place, const std::string& line) {
    finish();
    command_ = Command{place, line, {}, {}, {}, {}};
  }
  void continued(const std::string& line) { command_.value().line += "\n" + line; }
  void indented(const std::string& line) {
    if (!command_) {
      text_ += line + "\n";
      return;
    }
    const std::string word = line.substr(0, line.find(':')), rest = line.substr(std::min(line.size(), word.size() + 2));
    if (word == "exit") {
      command_->code = std::stoi(rest);
    } else {
      REQUIRE_MESSAGE((word == "err" || word == "out" || word == "not"), command_->place << ": " << line);
      (word == "err" ? command_->err : word == "out" ? command_->out : command_->not_out).push_back(rest);
    }
  }
  void finish() {
    if (file_) place_.write(*file_, text_);
    if (command_) run(place_, *command_, command_->line);
    file_.reset();
    command_.reset();
    text_.clear();
  }

 private:
  const Workplace place_;
  std::optional<std::string> file_;
  std::string text_;
  std::optional<Command> command_;
};

void follow(const std::string& name) {
  std::optional<Session> session;
  std::string title;
  int number = 0;
  for (const std::string& line : lines_in(text_of(folder / (name + ".txt")))) {
    const std::string place = name + ".txt:" + std::to_string(++number) + ": " + title;
    if (line.empty() || line.starts_with("## ")) continue;
    if (line.starts_with("# ")) {
      if (session) session->finish();
      session.emplace();
      title = line.substr(2);
    } else if (line.starts_with("needs: ")) {
      if (shell(Workplace(), line.substr(7)).code == 0) continue;
      MESSAGE("[skipped] " << line);
      return;
    } else if (line.starts_with("file ")) {
      session.value().file(line.substr(5));
    } else if (line.starts_with("$ ")) {
      session.value().command(place, line.substr(2));
    } else if (line.starts_with("> ")) {
      session.value().continued(line.substr(2));
    } else {
      REQUIRE_MESSAGE(line.starts_with("  "), place);
      session.value().indented(line.substr(2));
    }
  }
  session.value().finish();
}

}  // namespace

TEST_CASE("bad command lines are refused with exit code 2 and a line that says what was expected") {
  follow("refused");
}
TEST_CASE("commands list, describe, explain and begin what there is") { follow("commands"); }
TEST_CASE("check says what a run will be and cost") { follow("checks"); }
TEST_CASE("runs leave whole results or none, and say what came of them") { follow("runs"); }

TEST_CASE("work that no machine can do is refused in one line") { follow("limits"); }
TEST_CASE("memory that is not there ends a run with one line") { follow("memory"); }
TEST_CASE("devices and links are written to, and a full or locked disk is one line") { follow("disks"); }
TEST_CASE("a platform file belongs to the results made on it, and a scenario takes of it what it needs") {
  follow("platform_files");
}
TEST_CASE("sites and regions are checked and run, and what is wrong with them is told in one line each") {
  follow("sites");
}
TEST_CASE("measurements of connections become sites, and what is none is told in one line") { follow("measured"); }
TEST_CASE("profiles and faults that cannot be are refused in one line, and others are told of") { follow("changes"); }
TEST_CASE("the same scenario gives the same bytes, whatever is around it") { follow("same_bytes"); }
TEST_CASE("portable math has the same bits everywhere, native math follows its kernels") { follow("math"); }
TEST_CASE("portable math has the same bits on an emulated older CPU") { follow("older_cpu"); }
TEST_CASE("a result is verified, or the difference is told") { follow("verified"); }
TEST_CASE("a sweep goes on where it was, however it ended") { follow("sweeps"); }
TEST_CASE("commands that read results are handed to Python") { follow("analysis"); }
TEST_CASE("tune and advise leave a page and what can be run") { follow("searches"); }

TEST_CASE("a table of one's own is trained on, and what is wrong in one is told by file, line and column") {
  follow("own_data");
}

TEST_CASE("workers exchange along edges of one's own, and what is no graph is refused") { follow("own_graphs"); }

TEST_CASE("a program's model runs like any other, and what is wrong with it is told in one line") {
  follow("own_models");
}

TEST_CASE("each transcript has a test") {
  const std::string tests = text_of(DDLSIM_SOURCE_DIR "/tests/cli/transcripts_test.cpp");
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".txt") continue;
    const std::string name = entry.path().stem().string();
    CHECK_MESSAGE(tests.find("follow(\"" + name + "\");") != std::string::npos, name);
  }
}

}  // namespace ddl::cli::transcripts_test
