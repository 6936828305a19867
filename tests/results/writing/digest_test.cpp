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

TEST_CASE("the digest changes with the last bit of whatever was learned or counted") {
  const auto bump = [](double& value) { value = std::nextafter(value, 1e300); };
  const Answer answer{.request = 4, .exit = 0, .arrival_s = 1, .answer_s = 2, .bytes = 8};
  const std::vector<std::function<void(run::RunResult&)>> changes = {
      [&](run::RunResult& r) { r.curve[5].worker = "w2"; },
      [&](run::RunResult& r) { bump(r.curve[5].iteration); },
      [&](run::RunResult& r) { bump(r.curve[5].samples); },
      [&](run::RunResult& r) { bump(r.curve[5].epoch); },
      [&](run::RunResult& r) { bump(r.curve[5].bytes_sent); },
      [&](run::RunResult& r) { bump(*r.curve[5].train_loss); },
      [&](run::RunResult& r) { r.curve[5].train_loss.reset(); },
      [&](run::RunResult& r) { bump(*r.curve[5].test_loss); },
      [&](run::RunResult& r) { bump(*r.curve[5].test_accuracy); },
      [&](run::RunResult& r) { r.curve.pop_back(); },
      [&](run::RunResult& r) { ++r.steps[1]; },
      [&](run::RunResult& r) { r.steps = {32}; },
      [&](run::RunResult& r) { ++r.messages_sent; },
      [&](run::RunResult& r) { bump(r.bytes_sent); },
      [&](run::RunResult& r) { r.pairs[1].target = 0; },
      [&](run::RunResult& r) { ++r.pairs[1].messages; },
      [&](run::RunResult& r) { bump(r.pairs[1].bytes); },
      [&](run::RunResult& r) { r.answers = {answer}; },
      [&](run::RunResult& r) { r.answers = {answer}, r.answers[0].exit = 1; },
      [&](run::RunResult& r) { r.answers = {answer}, bump(r.answers[0].bytes); },
      [&](run::RunResult& r) { r.answers = {answer}, r.answers[0].correct = true; },
      [&](run::RunResult& r) { r.weights[1][2] = std::nextafterf(r.weights[1][2], 10); },
      [&](run::RunResult& r) { r.weights[1][1] = -0.0f; },
      [&](run::RunResult& r) { std::swap(r.weights[0], r.weights[1]); },
      [&](run::RunResult& r) {
        r.weights = {{1, -2, 0.5, 0.25, 0, 3}};
      },
      [&](run::RunResult& r) {
        r.weights = {{1, -2}, {0.5, 0.25, 0, 3}};
      },
  };
  std::set<std::string> digests = {digest_of(example_result())};
  for (const auto& change : changes) {
    run::RunResult result = example_result();
    change(result);
    digests.insert(digest_of(result));
  }
  CHECK(digests.size() == changes.size() + 1);
}

TEST_CASE("times and shares of links, which round otherwise with another SimGrid, are not in the digest") {
  run::RunResult result = example_result(), later = result;
  result.answers = later.answers = {{.request = 4, .exit = 0, .arrival_s = 1, .answer_s = 2, .bytes = 8}};
  for (run::CurveRow& row : later.curve) row.time_s *= 2;
  for (run::IterationRow& row : later.iterations) row.end_s *= 2;
  later.answers[0].arrival_s = 1.5;
  later.answers[0].answer_s = 4;
  later.traffic[1].utilisation = 0.25;
  later.traffic[1].bytes = 1499;  // a transfer's that was on its way at the end
  later.simulated_s = 20;
  CHECK(digest_of(result) == digest_of(later));
}

TEST_CASE("a run's cost to the machine is not in the digest") {
  run::RunResult result = example_result();
  result.wall_s = 99;
  result.events = 1;
  result.math_s = 0;
  CHECK(digest_of(result) == digest_of(example_result()));
}

}  // namespace ddl::results
