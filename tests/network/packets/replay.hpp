// Replays: events at one end of a connection, and its reactions, as rows of data. A file of
// tests/network/packets/replays has lines such as
//   case a sender sends its window, and two for each that is acknowledged
//   0.1   ack 1; sends 10 11     # a comment
// A step is a verb with its words. Before it stands the time in seconds if it differs from the last step's; "+0.1"
// means that much later.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ddl::network {

class Step {
 public:
  explicit Step(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) words_.push_back(word);
    if (begins_number(words_.at(0))) {
      at_is_later_ = words_[0][0] == '+';
      at_s_ = std::stod(words_[0]);
      words_.erase(words_.begin());
    }
  }

  const std::string& verb() const { return words_.at(0); }
  double time_after(double now_s) const { return at_is_later_ ? now_s + *at_s_ : at_s_.value_or(now_s); }
  bool is_later() const { return words_.size() > 1 && words_[1][0] == '+'; }  // as written, not the time
  bool has(const std::string& word) const { return std::ranges::find(words_, word) != words_.end(); }
  // From `from` to `to`, both included: "0..9", or "3" for 3 to 3. The ranges behind a word; behind the verb by
  // default.
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges(const std::string& behind = "") const {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const std::string& word : words_behind(behind)) {
      const std::size_t dots = word.find("..");
      found.emplace_back(std::stoll(word), std::stoll(dots == std::string::npos ? word : word.substr(dots + 2)));
    }
    return found;
  }
  std::vector<std::int64_t> list(const std::string& behind = "") const {
    std::vector<std::int64_t> found;
    for (const auto& [from, to] : ranges(behind)) {
      for (std::int64_t i = from; i <= to; ++i) found.push_back(i);
    }
    return found;
  }
  std::vector<double> numbers(const std::string& behind = "") const {
    std::vector<double> found;
    for (const std::string& word : words_behind(behind)) found.push_back(std::stod(word));
    return found;
  }
  double number(const std::string& behind = "") const { return numbers(behind).at(0); }
  double number_or(const std::string& behind, double otherwise) const {
    return has(behind) ? number(behind) : otherwise;
  }

 private:
  static bool begins_number(const std::string& word) {
    return std::isdigit(static_cast<unsigned char>(word[word[0] == '+' || word[0] == '-' ? 1 : 0])) != 0;
  }
  std::vector<std::string> words_behind(const std::string& word) const {
    auto first = word.empty() ? words_.begin() : std::ranges::find(words_, word);
    if (first == words_.end()) return {};
    return {first + 1, std::find_if_not(first + 1, words_.end(), begins_number)};
  }

  std::optional<double> at_s_;
  bool at_is_later_ = false;
  std::vector<std::string> words_;
};

using Verbs = std::map<std::string, std::function<void(const Step&)>>;

// Replays each case to a new `Subject`, which keeps the time as `now_s`, and the verbs' meanings in `verbs()`.
template <class Subject>
void replay(const std::string& name) {
  std::ifstream file(DDLSIM_SOURCE_DIR "/tests/network/packets/replays/" + name + ".txt");
  std::optional<Subject> subject;
  Verbs verbs;
  std::string case_of;
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    if (line.starts_with("case ")) {
      case_of = line.substr(5);
      ++cases;
      verbs = subject.emplace().verbs();
      continue;
    }
    std::istringstream steps(line);
    for (std::string text; std::getline(steps, text, ';');) {
      if (text.find_first_not_of(' ') == std::string::npos) continue;
      CAPTURE(case_of);
      CAPTURE(text);
      const Step step(text);
      REQUIRE(verbs.contains(step.verb()));
      subject->now_s = step.time_after(subject->now_s);
      verbs.at(step.verb())(step);
    }
  }
  REQUIRE(cases > 0);
}

}  // namespace ddl::network
