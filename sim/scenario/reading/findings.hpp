// Collects what is wrong with a scenario while it is read, so that all of it can be reported together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddl::scenario {

class Findings {
 public:
  // `file` names the scenario in every line.
  explicit Findings(std::string file) : file_(std::move(file)) {}

  // `what` is "what is wrong; what was expected".
  void add(const std::string& path, const std::string& what);
  // An override that cannot be applied: `--set PATH: what`.
  void add_override(const std::string& path, const std::string& what);

  // Notes something that is passed over, and why; nothing is wrong with it.
  void note(const std::string& path, const std::string& what);

  bool empty() const { return paths_.empty(); }
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether nothing is wrong at `path` or below it.
  bool clean(const std::string& path) const;
  // One line each, in order; if there are very many, the first ones and their number.
  std::vector<std::string> lines() const;

 private:
  std::string file_;
  std::vector<std::string> paths_, lines_, notes_;
};

// A value's place in the JSON text.
struct Place {
  Findings& findings;
  std::string path;  // "$.platform.workers"

  Place at(std::string_view key) const;
  Place at(std::size_t index) const;
  void error(const std::string& what) const { findings.add(path, what); }
  void note(const std::string& what) const { findings.note(path, what); }
};

// `path` and a key below it, `$.a.b` or `$.a["odd key"]`.
std::string path_of(const std::string& path, std::string_view key);

}  // namespace ddl::scenario
