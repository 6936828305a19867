#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "sim/results/writing/result_files.hpp"
#include "tests/results/writing/example.hpp"

namespace ddl::results {

TEST_CASE("the digest is 16 hexadecimal digits and the same for the same result") {
  const std::string digest = digest_of(example_result());
  CHECK(digest.size() == 16);
  CHECK(digest.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(digest_of(example_result()) == digest);
}

TEST_CASE("the digest changes with the last bit of any value of curve, traffic and weights") {
  const auto bump = [](double& value) { value = std::nextafter(value, 1e300); };
  const std::vector<std::function<void(experiment::RunResult&)>> changes = {
      [&](experiment::RunResult& r) { bump(r.curve[5].time_s); },
      [&](experiment::RunResult& r) { r.curve[5].worker = "w2"; },
      [&](experiment::RunResult& r) { bump(r.curve[5].iteration); },
      [&](experiment::RunResult& r) { bump(r.curve[5].samples); },
      [&](experiment::RunResult& r) { bump(r.curve[5].epoch); },
      [&](experiment::RunResult& r) { bump(r.curve[5].bytes_sent); },
      [&](experiment::RunResult& r) { bump(*r.curve[5].train_loss); },
      [&](experiment::RunResult& r) { r.curve[5].train_loss.reset(); },
      [&](experiment::RunResult& r) { bump(r.curve[5].test_loss); },
      [&](experiment::RunResult& r) { bump(r.curve[5].test_accuracy); },
      [&](experiment::RunResult& r) { r.curve.pop_back(); },
      [&](experiment::RunResult& r) { r.traffic[1].link = "w9"; },
      [&](experiment::RunResult& r) { r.traffic[1].direction = "up"; },
      [&](experiment::RunResult& r) { bump(r.traffic[1].bytes); },
      [&](experiment::RunResult& r) { bump(r.traffic[1].utilisation); },
      [&](experiment::RunResult& r) { r.weights[1][2] = std::nextafterf(r.weights[1][2], 10); },
      [&](experiment::RunResult& r) { r.weights[1][1] = -0.0f; },
      [&](experiment::RunResult& r) { std::swap(r.weights[0], r.weights[1]); },
      [&](experiment::RunResult& r) {
        r.weights = {{1, -2, 0.5, 0.25, 0, 3}};
      },
      [&](experiment::RunResult& r) {
        r.weights = {{1, -2}, {0.5, 0.25, 0, 3}};
      },
  };
  std::set<std::string> digests = {digest_of(example_result())};
  for (const auto& change : changes) {
    experiment::RunResult result = example_result();
    change(result);
    digests.insert(digest_of(result));
  }
  CHECK(digests.size() == changes.size() + 1);
}

TEST_CASE("what a run cost the machine is not in the digest") {
  experiment::RunResult result = example_result();
  result.wall_s = 99;
  result.events = 1;
  result.math_s = 0;
  CHECK(digest_of(result) == digest_of(example_result()));
}

}  // namespace ddl::results
