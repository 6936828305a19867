// A program of the user's that answers lines with lines over its standard streams, and shares memory with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ddl::external {

// How a program failed: "ended with exit code 1; the last line of its stderr: ...".
struct ProcessFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Owns a descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  void reset();

 private:
  int number_;
};

// Moves the descriptor to a number above those that a program's own are duplicated to: the number of a closed standard
// stream, say, would be overwritten there.
Descriptor out_of_the_way(int descriptor);

class Process {
 public:
  // Starts `command` in `folder`, with `memory` as its descriptor 3, in a process group of its own. A guard process
  // between the two of us ends that group with this process, however this one ends. Throws ProcessFailed.
  Process(const std::vector<std::string>& command, const std::string& folder, int memory);
  // Ends its input, lets it end by itself for two seconds, then kills it with everything it has started.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(const std::string& line);
  // Its next line of output. Throws ProcessFailed if none comes within `timeout_s`, or as soon as the descriptor
  // `given_up` can be read.
  std::string answer(double timeout_s, int given_up);
  void end_input();
  // `what` with the last line of its stderr.
  std::string quoting(const std::string& what);

 private:
  void send_more();
  void listen();
  void listen_to_errors();
  void listen_to_errors_until(std::chrono::steady_clock::time_point deadline);
  [[noreturn]] void fail(const std::string& what) { throw ProcessFailed(quoting(what)); }
  [[noreturn]] void fail_as_ended();
  int wait_for_end();
  bool has_ended_by(std::chrono::steady_clock::time_point deadline) const;

  Descriptor input_, output_, errors_;  // our ends
  std::chrono::steady_clock::time_point input_ended_;
  pid_t guard_ = 0;
  std::string to_send_;
  std::string said_;       // its output, not asked for yet
  std::string last_line_;  // its last line of errors
  std::string line_;       // the beginning of the next one
};

}  // namespace ddl::external
