// Learning of classifiers from a text, against the text's information.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/data/dataset.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/memory.hpp"
#include "tests/data/scratch_folder.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::text_run_test {
namespace {

run::RunResult learned(const std::string& text, int context, const std::string& model, double rate, int steps,
                       const std::string& record = "{}") {
  const data::ScratchFolder folder;
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  return run::run(scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": 1, "bandwidth": "1Gbps"}}, "model": "{}",
          "data": {{"source": "text", "path": "{}", "context": {}}},
          "training": {{"batch_size": 64, "optimizer": {{"type": "sgd", "learning_rate": {}}}}},
          "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "single", "stop": {{"iterations": {}}},
          "evaluate": {{"every_iterations": {}}}, "record": {}}})",
      model, folder.file("text"), context, rate, steps, steps, record)));
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

TEST_CASE("the loss on a text in which the last symbol decides comes down to its entropy") {
  constexpr double change = 0.25;
  Stream random = stream(1, "test", "text");
  std::string text = "a";
  while (text.size() < 20000) text += random.uniform() < change ? (text.back() == 'a' ? 'b' : 'a') : text.back();
  constexpr std::size_t tested = 18000, context = 4;
  double changes = 0;
  for (std::size_t i = tested + context; i < text.size(); ++i) changes += text[i] != text[i - 1];
  const double share = changes / static_cast<double>(text.size() - tested - context);
  // The loss of a classifier that knows the chance, over the tested symbols.
  const double least = -(1 - share) * std::log(1 - change) - share * std::log(change);
  const run::RunResult result = learned(text, context, "softmax", 0.1, 1500);
  CHECK(*result.curve.back().test_loss == doctest::Approx(least).epsilon(0.02));
  CHECK(*result.curve.back().test_accuracy == doctest::Approx(1 - share).epsilon(1e-3));
}

TEST_CASE(
    "a language model comes down to the entropy of a text, and draws windows at random, by position or by document") {
  constexpr double change = 0.25;
  Stream random = stream(1, "test", "text");
  std::string text = "a";
  while (text.size() < 20000) {
    if (text.size() % 50 == 0) text += "\n\n";
    text += random.uniform() < change ? (text.back() == 'a' ? 'b' : 'a') : text.back() == 'b' ? 'b' : 'a';
  }
  const data::ScratchFolder folder;
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  constexpr std::size_t context = 8, first = 18000;
  double least = 0;
  const std::size_t tests = (text.size() - first - 1) / context * context;
  for (std::size_t i = first; i < first + tests; ++i) {
    const char from = text[i], to = text[i + 1];
    if (from == '\n' || to == '\n') continue;  // at known places, which attention does not see within eight symbols
    least -= std::log(from == to ? 1 - change : change);
  }
  for (const char* partition : {"iid", "sequential", "document"}) {
    CAPTURE(partition);
    const run::RunResult result = run::run(scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"workers": 2, "bandwidth": "1Gbps"}},
            "model": {{"name": "gpt", "layers": 1, "heads": 2, "width": 16, "context": 8}},
            "data": {{"source": "text", "path": "{}", "partition": "{}"}},
            "training": {{"batch_size": 16, "optimizer": {{"type": "adamw", "learning_rate": 0.01}}}},
            "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "ring_allreduce", "stop": {{"iterations": 400}},
            "evaluate": {{"every_iterations": 400}}}})",
        folder.file("text"), partition)));
    CHECK(*result.curve.back().test_loss > least / static_cast<double>(tests));
    CHECK(*result.curve.back().test_loss < least / static_cast<double>(tests) + 0.16);
    CHECK(*result.curve.back().test_accuracy > 0.7);
  }
}

TEST_CASE("a language model is learned while a host crashes and another is away") {
  const data::ScratchFolder folder;
  data::FileBytes text(4000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>("to be or not "[i % 13]);
  folder.write("text", text);
  for (const char* algorithm : {R"({"name": "ako", "partitions": 3})", R"("ad_psgd")",
                                R"({"name": "diloco", "sync_every": 5, "on_failure": "go_on"})"}) {
    CAPTURE(algorithm);
    const run::RunResult result = run::run(scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"workers": 4, "bandwidth": "10Mbps", "latency": "20ms"}},
            "model": {{"name": "gpt", "layers": 1, "heads": 2, "width": 16, "context": 8}},
            "data": {{"source": "text", "path": "{}"}}, "algorithm": {},
            "training": {{"batch_size": 8, "optimizer": {{"type": "adamw", "learning_rate": 0.01, "betas": [0, 0.99]}}}},
            "compute": {{"seconds_per_batch": "100ms"}}, "stop": {{"time": "20s"}}, "evaluate": {{"every": "10s"}},
            "faults": [{{"type": "host_crash", "host": "w1", "at": "3s", "restart": "5s", "state": "lost"}},
                       {{"type": "leave", "host": "w2", "at": "4s"}}, {{"type": "join", "host": "w2", "at": "7s"}}]}})",
        folder.file("text"), algorithm)));
    REQUIRE(result.faults);
    CHECK(result.faults->crashes == 1);
    CHECK(result.faults->restarts == 1);
    CHECK(result.faults->joins == 1);
    CHECK(*result.curve.front().test_loss > 1.5);
    for (const run::CurveRow& row : result.curve) {
      if (row.time_s == 20) CHECK(*row.test_loss < 0.5);  // of all workers, those that were away, too
    }
  }
}

TEST_CASE("a text is no image, also as a language model reads it") {
  const data::ScratchFolder folder;
  std::string text(500, 'a');
  text += std::string(500, 'b');
  folder.write("text", data::FileBytes(text.begin(), text.end()));
  for (const char* model : {"mlp", "gpt-2-64-32"}) {
    CAPTURE(model);
    const std::string scenario = fmt::format(
        R"({{"name": "law", "platform": {{"workers": 1, "bandwidth": "1Gbps"}}, "model": "{}", "algorithm": "single",
            "data": {{"source": "text", "path": "{}", "augment": "crop_flip"}},
            "compute": {{"seconds_per_batch": "1s"}}, "stop": {{"iterations": 1}}}})",
        model, folder.file("text"));
    CHECK_THROWS_WITH(scenario_from(scenario), doctest::Contains("$.data.augment: \"crop_flip\" moves images"));
  }
}

TEST_CASE("recorded samples of a text are its windows as a network sees them") {
  constexpr std::size_t context = 3, classes = 4;
  Stream random = stream(1, "test", "text");
  std::string text;
  for (int i = 0; i < 500; ++i) text += static_cast<char>('a' + random.below(classes));
  const run::RunResult result = learned(text, context, "softmax", 0.1, 2, R"({"batches": true})");
  REQUIRE(result.recorded.samples.has_value());
  const run::RecordedSamples& samples = *result.recorded.samples;
  REQUIRE(samples.numbers.size() == 128);  // from the first pass: none comes twice
  REQUIRE(samples.values.size() == 128 * context * classes);
  CHECK(samples.images.empty());
  for (std::size_t n = 0; n < samples.numbers.size(); ++n) {
    const auto number = static_cast<std::size_t>(samples.numbers[n]);
    CHECK(samples.labels[n] == text[number + context] - 'a');
    for (std::size_t i = 0; i < context * classes; ++i) {
      const bool is_its_symbol = static_cast<std::size_t>(text[number + i / classes] - 'a') == i % classes;
      CHECK(samples.values[n * context * classes + i] == (is_its_symbol ? 1 : 0));
    }
  }
}

TEST_CASE("a language model's memory grows with its minibatch as estimated") {
  const data::ScratchFolder folder;
  data::FileBytes text(20000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>('a' + i % 7);
  folder.write("text", text);
  const auto with = [&](int batch) {
    return scenario_from(fmt::format(
        R"({{"name": "law", "platform": {{"workers": 1, "bandwidth": "1Gbps"}}, "model": "gpt-2-64-32",
            "data": {{"source": "text", "path": "{}"}}, "training": {{"batch_size": {}}}, "algorithm": "single",
            "compute": {{"seconds_per_batch": "1s"}}, "stop": {{"iterations": 1}}, "evaluate": {{"samples": 1}}}})",
        folder.file("text"), batch));
  };
  const auto peak_with = [&](int batch) {
    const nlohmann::json taken = forked([&] {
      run::run_here(with(batch), {.threads = 1});
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return nlohmann::json{{"bytes", 1024.0 * static_cast<double>(usage.ru_maxrss)}};
    });
    INFO(taken.dump());
    REQUIRE(taken.contains("bytes"));
    return taken["bytes"].get<double>();
  };
  const auto estimated_with = [&](int batch) {
    const scenario::Scenario scenario = with(batch);
    const data::DataShape shape = data::data_shape_in_files(scenario.data);
    const nn::Model model(scenario.model, {1, 32, 1}, shape.classes);
    const scenario::LearnedModel learned = scenario::learned_model(model);
    double bytes = 0;
    for (const scenario::MemoryPart& part : scenario::memory_of(scenario, &learned, 1, 0, 1, 1000)) {
      if (part.path == "$.training.batch_size") bytes = part.bytes;
    }
    return bytes / 2;  // of one of two threads
  };
  const double taken = peak_with(400) - peak_with(100), estimated = estimated_with(400) - estimated_with(100);
  INFO(taken, " ", estimated);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers take memory of their own
  CHECK(estimated > 0.7 * taken);
  CHECK(estimated < 1.5 * taken);
#endif
}

// A growing string is copied once in a while, so that it takes twice its bytes; then come its symbols and labels.
TEST_CASE("a text is looked at in little more memory than its bytes, and read in that of its symbols and labels") {
  constexpr std::size_t bytes = 32 << 20;
  const data::ScratchFolder folder;
  data::FileBytes text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::uint8_t>('a' + i % 7);
  folder.write("text", text);
  const data::DataSpec spec{.source = data::DataSource::text, .path = folder.file("text")};
  const auto most_bytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
  };
  const nlohmann::json taken = forked([&] {
    const double before = most_bytes();
    const data::DataShape shape = data::data_shape_in_files(spec);
    const double looked_at = most_bytes() - before;
    const data::DataSplit data = data::load_data(spec, 1);
    return nlohmann::json{{"symbols", shape.symbols},
                          {"samples", data.train.size() + data.test.size()},
                          {"looked_at", looked_at / bytes},
                          {"read", (most_bytes() - before) / bytes}};
  });
  INFO(taken.dump());
  REQUIRE(taken.contains("read"));
  CHECK(taken["symbols"] == bytes);
  CHECK(taken["samples"] == bytes - 2 * 16);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers take memory of their own
  CHECK(taken["looked_at"] < 3);
  CHECK(taken["read"] < 4);
#endif
}

}  // namespace ddl::text_run_test
