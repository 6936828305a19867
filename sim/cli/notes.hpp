// Prints settings without effect to stderr.
#pragma once

#include <set>
#include <string>

#include "sim/cli/report_error.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::cli {

class NotePrinter {
 public:
  explicit NotePrinter(bool quiet = false) : quiet_(quiet) {}
  // Each line once: the scenarios of a sweep say the same.
  void print(const scenario::Scenario& scenario) {
    for (const std::string& note : scenario.notes) {
      if (!quiet_ && printed_.insert(note).second) print_note(note);
    }
  }

 private:
  bool quiet_;
  std::set<std::string> printed_;
};

}  // namespace ddl::cli
