// What classifiers learn of a text, against what there is to be learned.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "tests/data/scratch_folder.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::text_run_test {
namespace {

run::RunResult learned(const std::string& text, int context, const std::string& model, double rate, int steps) {
  const data::ScratchFolder folder;
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  return run::run(scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 1, "bandwidth": "1Gbps"}}, "model": "{}",
          "data": {{"source": "text", "path": "{}", "context": {}}},
          "training": {{"batch_size": 64, "optimizer": {{"type": "sgd", "learning_rate": {}}}}},
          "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "single", "stop": {{"iterations": {}}},
          "evaluate": {{"every_iterations": {}}}}})",
      model, folder.file("text"), context, rate, steps, steps)));
}

}  // namespace

TEST_CASE("a text that repeats is learned to the last symbol") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "to be or not ";
  // Each window of four occurs once in the thirteen.
  for (const char* model : {"softmax", "mlp"}) {
    const run::RunResult result = learned(text, 4, model, 0.5, 400);
    CHECK(*result.curve.back().test_accuracy == 1);
    CHECK(*result.curve.back().test_loss < 0.1);
  }
}

TEST_CASE("of a text in which the last symbol decides, the loss comes down to its entropy") {
  constexpr double change = 0.25;
  Stream random = stream(1, "test", "text");
  std::string text = "a";
  while (text.size() < 20000) text += random.uniform() < change ? (text.back() == 'a' ? 'b' : 'a') : text.back();
  constexpr std::size_t tested = 18000, context = 4;
  double changes = 0;
  for (std::size_t i = tested + context; i < text.size(); ++i) changes += text[i] != text[i - 1];
  const double share = changes / static_cast<double>(text.size() - tested - context);
  // Of one that knows the chance, over the symbols that are tested.
  const double least = -(1 - share) * std::log(1 - change) - share * std::log(change);
  const run::RunResult result = learned(text, context, "softmax", 0.1, 1500);
  CHECK(*result.curve.back().test_loss == doctest::Approx(least).epsilon(0.02));
  CHECK(*result.curve.back().test_accuracy == doctest::Approx(1 - share).epsilon(1e-3));
}

}  // namespace ddl::text_run_test
