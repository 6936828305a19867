// The protocol that asks programs for gradients and evaluations: docs/own_models.md.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/external/process.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::external {

constexpr int protocol_version = 1;

// A program's description of its model, before it computes.
struct Hello {
  scenario::ProgramFacts model;
  std::int64_t train = 0, test = 0;
  std::vector<std::uint8_t> labels;  // labels of the training samples, if asked for
  bool operator==(const Hello&) const = default;
};

// True if data.partition deals samples by label, so that the program is asked for labels.
bool needs_labels(const scenario::Scenario& scenario);

// Tensors with one prefix up to the last dot are a layer; all layers take the same time.
scenario::LearnedModel learned_model(const Hello& hello);

// A program's evaluation, always with the same of the two; NaN: not finite.
struct Evaluation {
  std::optional<double> loss, accuracy;
};

// A line that breaks the protocol; names the line, and what was expected.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parse the lines of a program. `labels`: true if asked for; `count`: length of the vector that comes with the line;
// `did`: what the program answers. They throw WrongAnswer.
Hello hello_in(const std::string& line, bool labels);
void check_vector(const std::string& line, const char* did, std::size_t count);
double loss_of_gradient(const std::string& line, std::size_t count);
Evaluation evaluation_in(const std::string& line);

// Result of a gradient.
struct Outcome {
  double loss = 0;
  const char* not_finite = nullptr;  // "weights" (the program was not asked), "loss" or "gradient"
};

// Several processes of one program, asked for different things at the same time, each by one thread.
class Model {
 public:
  // Starts the processes. Throws InputError, which begins with the setting's path.
  Model(const scenario::Scenario& scenario, int processes);
  ~Model();

  const Hello& hello() const { return hello_; }
  int processes() const { return static_cast<int>(programs_.size()); }

  // The following throw RunFailed. Gradients and initial weights are written to the given span.
  void initialize(std::uint64_t seed, std::span<float> weights);
  // Values of the frozen tensors, one tensor after another.
  std::vector<float> frozen();
  struct Step {
    int worker = 0;
    std::int64_t number = 0;
    std::span<const std::uint32_t> samples;
  };
  // Numbers that are not finite are an error, unless weights have grown beyond any sensible training: then it has
  // diverged.
  Outcome gradient(int process, std::span<const float> weights, const Step& step, std::span<float> gradient);
  // None: the weights are not finite, and the program is not asked.
  std::optional<Evaluation> evaluate(int process, std::span<const float> weights);

 private:
  struct Program;

  // `read` parses the answer to `request`; `what` names the request in errors.
  template <class Read>
  auto ask(int process, const std::string& request, const std::string& what, Read read);
  void check_keys(const Evaluation& evaluation);
  [[noreturn]] void fail(const std::string& how, const std::string& what);

  const scenario::ProgramSpec spec_;
  const std::string name_;  // the program's name in errors
  std::vector<std::unique_ptr<Program>> programs_;
  Descriptor given_up_;  // readable once one of them has failed
  Hello hello_;
  std::mutex mutex_;
  std::optional<Evaluation> first_evaluation_;
  std::string failure_;  // the first
};

}  // namespace ddl::external
