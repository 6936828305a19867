// The protocol in which programs are asked for gradients and evaluations: docs/own_models.md.
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

// What a program says of its model before it computes.
struct Hello {
  scenario::ProgramFacts model;
  std::int64_t train = 0, test = 0;
  std::vector<std::uint8_t> labels;  // of the training samples, if they are asked for
  bool operator==(const Hello&) const = default;
};

// True if data.partition deals samples by their labels, so that a program is asked for these.
bool needs_labels(const scenario::Scenario& scenario);

// Tensors with one prefix up to the last dot are a layer; all layers take the same time.
scenario::LearnedModel learned_model(const Hello& hello);

// What a program says of the two, always the same; NaN: it is not finite.
struct Evaluation {
  std::optional<double> loss, accuracy;
};

// A line that is not what the protocol has; says what it is, and what was expected.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The content of a program's lines. `labels`: whether they are asked for; `count`: of the vector that comes with the
// line; `did`: what it answers. They throw WrongAnswer.
Hello hello_in(const std::string& line, bool labels);
void check_vector(const std::string& line, const char* did, std::size_t count);
double loss_of_gradient(const std::string& line, std::size_t count);
Evaluation evaluation_in(const std::string& line);

// Of a gradient.
struct Outcome {
  double loss = 0;
  const char* not_finite =
      nullptr;  // what of it is not: "weights", of which the program is not asked, "loss", "gradient"
};

// Several processes of one program, which are asked for different things at the same time, each by one thread.
class Model {
 public:
  // Starts them. Throws InputError, which begins with the setting's path.
  Model(const scenario::Scenario& scenario, int processes);
  ~Model();

  const Hello& hello() const { return hello_; }
  int processes() const { return static_cast<int>(programs_.size()); }

  // The following throw RunFailed. A gradient or an initial vector goes where it is wanted.
  void initialize(std::uint64_t seed, std::span<float> weights);
  // Values of the frozen tensors, one behind the other.
  std::vector<float> frozen();
  struct Step {
    int worker = 0;
    std::int64_t number = 0;
    std::span<const std::uint32_t> samples;
  };
  // Numbers that are not finite are an error, unless weights have grown beyond what any training wants: then it has
  // diverged.
  Outcome gradient(int process, std::span<const float> weights, const Step& step, std::span<float> gradient);
  // None: the weights are not finite, and the program is not asked.
  std::optional<Evaluation> evaluate(int process, std::span<const float> weights);

 private:
  struct Program;

  // `read` makes something of the answer to `request`, and `what` says in errors what was asked for.
  template <class Read>
  auto ask(int process, const std::string& request, const std::string& what, Read read);
  void check_keys(const Evaluation& evaluation);
  [[noreturn]] void fail(const std::string& how, const std::string& what);

  const scenario::ProgramSpec spec_;
  const std::string name_;  // of the program, as errors have it
  std::vector<std::unique_ptr<Program>> programs_;
  Descriptor given_up_;  // can be read once one of them has failed
  Hello hello_;
  std::mutex mutex_;
  std::optional<Evaluation> first_evaluation_;
  std::string failure_;  // the first
};

}  // namespace ddl::external
