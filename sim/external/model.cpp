#include "sim/external/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/failures.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::external {
namespace {

using Json = nlohmann::json;
using Tensor = scenario::ProgramFacts::Tensor;

constexpr std::int64_t most_samples = 10'000'000;  // in a training or test set
constexpr double most_parameters = 1e10;

std::string shown_line(const std::string& line) {
  constexpr std::size_t most = 80;
  return scenario::in_quotes(line.size() > most ? line.substr(0, most) + "..." : line);
}

Json object_in(const std::string& line) {
  const bool whole = line.find('\0') == std::string::npos;  // the parser would end at a zero byte
  Json json = whole ? Json::parse(line, nullptr, false) : Json();
  if (!json.is_object()) throw WrongAnswer(fmt::format("answered {}; expected a JSON object", shown_line(line)));
  return json;
}

std::int64_t count_in(const Json& json, const char* key, std::int64_t most) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number_integer() && *found >= 1 && *found <= most) return *found;
  throw WrongAnswer(fmt::format("answered {}: {}; expected a whole number from 1 to {}", scenario::in_quotes(key),
                                found == json.end() ? "nothing" : shown_line(found->dump()), most));
}

// A number, or NaN for null; none if the key is absent.
std::optional<double> number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  if (found->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (found->is_number()) return found->get<double>();
  throw WrongAnswer(fmt::format("answered {}: {}; expected a number, or null for one that is not finite",
                                scenario::in_quotes(key), shown_line(found->dump())));
}

// "tensors" or "frozen": [["conv1.weight", [8, 1, 5, 5]], ...]; `names` are the tensors' names so far.
std::vector<Tensor> tensors_in(const Json& json, const std::string& key, std::set<std::string>& names) {
  const std::string expected =
      "; expected " + scenario::in_quotes(key) + R"(: a list such as [["dense.weight", [10, 144]], ...])";
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) throw WrongAnswer("names no tensors" + expected);
  std::vector<Tensor> tensors;
  double parameters = 0;
  for (const Json& one : *found) {
    const bool formed = one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_array();
    if (!formed) throw WrongAnswer("describes a tensor by " + shown_line(one.dump()) + expected);
    Tensor& tensor = tensors.emplace_back(Tensor{one[0], {}});
    double count = 1;
    for (const Json& extent : one[1]) {
      if (!extent.is_number_integer() || extent < 1) {
        throw WrongAnswer("describes a tensor by " + shown_line(one.dump()) + expected);
      }
      tensor.shape.push_back(extent);
      count *= extent.get<double>();
    }
    parameters += count;
    if (tensor.name == "__metadata__") {
      throw WrongAnswer(
          "names a tensor \"__metadata__\", as files of tensors name what is none; expected another name");
    }
    if (!names.insert(tensor.name).second) {
      throw WrongAnswer("names the tensor " + scenario::in_quotes(tensor.name) + " twice; expected each once");
    }
  }
  if (parameters > most_parameters) {
    throw WrongAnswer(fmt::format("has {:.3g} parameters; expected at most {:.0e}", parameters, most_parameters));
  }
  return tensors;
}

std::vector<std::uint8_t> labels_in(const Json& json, std::int64_t samples) {
  const auto found = json.find("labels");
  if (found == json.end() || !found->is_array() || static_cast<std::int64_t>(found->size()) != samples) {
    throw WrongAnswer(
        fmt::format("has not one label for each of its {} training samples; expected a list of them, for "
                    "data.partition deals by label",
                    samples));
  }
  std::vector<std::uint8_t> labels;
  for (const Json& label : *found) {
    if (!label.is_number_integer() || label < 0 || label > 255) {
      throw WrongAnswer(
          fmt::format("has the label {}; expected whole numbers from 0 to 255", shown_line(label.dump())));
    }
    labels.push_back(label);
  }
  return labels;
}

void check_did(const Json& json, const char* what) {
  if (const auto did = json.find("did"); did != json.end() && *did == what) return;
  throw WrongAnswer(
      fmt::format("answered {}; expected \"did\": {}", shown_line(json.dump()), scenario::in_quotes(what)));
}

// Weights in use are small: if larger ones give numbers that are not finite, training has already diverged.
bool has_grown(std::span<const float> weights) {
  constexpr float most = 1000;
  return std::ranges::any_of(weights, [](float weight) { return std::fabs(weight) > most; });
}

constexpr const char* at_small_weights = "that is not finite, at weights of at most 1000; expected numbers";

// Copies all values, and returns true if they are finite. The test costs no time beside the copy.
bool copy_finite(std::span<const float> from, float* __restrict to) {
  constexpr std::uint32_t exponent = 0x7f800000, one = 0x00800000;
  std::uint32_t sums = 0;  // only an exponent of ones, plus one, reaches the highest bit
  for (std::size_t i = 0; i < from.size(); ++i) {
    sums |= (std::bit_cast<std::uint32_t>(from[i]) & exponent) + one;
    to[i] = from[i];
  }
  return sums >> 31 == 0;
}

void check_values(const Json& answer, const char* did, std::size_t expected) {
  check_did(answer, did);
  const auto count = answer.find("values");
  if (count != answer.end() && *count == expected) return;
  throw WrongAnswer(
      fmt::format("answered a vector of {} values; expected \"values\": {}, {}",
                  count == answer.end() ? "unknown" : shown_line(count->dump()), expected,
                  did == std::string_view("frozen") ? "those of its frozen tensors" : "the model's parameters"));
}

}  // namespace

bool needs_labels(const scenario::Scenario& scenario) {
  return scenario.data.partition == data::PartitionKind::by_label ||
         scenario.data.partition == data::PartitionKind::dirichlet;
}

Hello hello_in(const std::string& line, bool labels) {
  const Json json = object_in(line);
  if (const std::int64_t version = count_in(json, "protocol", std::numeric_limits<int>::max());
      version != protocol_version) {
    throw WrongAnswer(fmt::format("speaks version {} of the protocol; expected {}", version, protocol_version));
  }
  std::set<std::string> names;
  Hello hello{.model = {.tensors = tensors_in(json, "tensors", names), .version = ""},
              .train = count_in(json, "train", most_samples),
              .test = count_in(json, "test", most_samples),
              .labels = {}};
  if (hello.model.tensors.empty()) throw WrongAnswer("has no tensors to train; expected at least one in \"tensors\"");
  if (json.contains("frozen")) hello.model.frozen = tensors_in(json, "frozen", names);
  if (labels) hello.labels = labels_in(json, hello.train);
  if (const auto version = json.find("version"); version != json.end()) {
    if (!version->is_string()) throw WrongAnswer("answered a \"version\" that is no text; expected a text");
    hello.model.version = *version;
  }
  return hello;
}

void check_vector(const std::string& line, const char* did, std::size_t count) {
  check_values(object_in(line), did, count);
}

double loss_of_gradient(const std::string& line, std::size_t count) {
  const Json json = object_in(line);
  check_values(json, "gradient", count);
  if (const auto loss = number_in(json, "loss")) return *loss;
  throw WrongAnswer("answered no \"loss\"; expected that of the minibatch");
}

Evaluation evaluation_in(const std::string& line) {
  const Json json = object_in(line);
  check_did(json, "evaluate");
  const Evaluation evaluation{number_in(json, "loss"), number_in(json, "accuracy")};
  if (!evaluation.loss && !evaluation.accuracy) {
    throw WrongAnswer("answered neither \"loss\" nor \"accuracy\"; expected at least one of the two");
  }
  const double accuracy = evaluation.accuracy.value_or(0);
  if (accuracy < 0 || accuracy > 1) {
    throw WrongAnswer(fmt::format("answered an accuracy of {}; expected a share from 0 to 1", accuracy));
  }
  return evaluation;
}

// One process and the memory shared with it: weights, its answered vector, frozen values.
struct Model::Program {
  Program(const std::vector<std::string>& command, const std::string& folder)
      : memory(out_of_the_way(memfd_create("ddlsim", MFD_CLOEXEC))), process(command, folder, memory.number()) {}
  ~Program() {
    if (values != nullptr) munmap(values, bytes);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void share(std::size_t count, std::size_t frozen_count) {
    parameters = count;
    frozen = frozen_count;
    bytes = (2 * count + frozen_count) * sizeof(float);
    void* at = MAP_FAILED;
    if (ftruncate(memory.number(), static_cast<off_t>(bytes)) == 0) {
      at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number(), 0);
    }
    if (at == MAP_FAILED) fail_with("no shared memory", errno);
    values = static_cast<float*>(at);
  }
  // True if they are finite.
  bool put(std::span<const float> weights) const {
    check(weights.size() == parameters, "a whole model");
    return copy_finite(weights, values);
  }
  // Takes the vector of an answer. True if it is finite.
  bool take(std::span<float> vector) const {
    check(vector.size() == parameters, "a whole model");
    return copy_finite({values + parameters, parameters}, vector.data());
  }
  std::vector<float> take_frozen() const { return {values + 2 * parameters, values + 2 * parameters + frozen}; }

  std::mutex asked;  // the simulation's thread may ask for initial weights while a math thread asks for a gradient
  Descriptor memory;
  Process process;
  float* values = nullptr;
  std::size_t parameters = 0, frozen = 0, bytes = 0;
};

scenario::LearnedModel learned_model(const Hello& hello) {
  scenario::LearnedModel model;
  std::string layer;
  model.program = hello.model;
  for (const Tensor& tensor : hello.model.tensors) {
    const std::size_t count = tensor.size();
    const std::size_t rows = tensor.shape.empty() ? 1 : tensor.shape.front();
    model.tensors.push_back({tensor.name, model.parameters, count, rows});
    if (tensor.shape.size() > 1)
      model.matrices.push_back({model.parameters, rows, count / std::max<std::size_t>(1, rows)});
    const std::size_t dot = tensor.name.rfind('.');
    const std::string prefix = dot == std::string::npos ? tensor.name : tensor.name.substr(0, dot + 1);
    if (model.layers.empty() || prefix != layer) model.layers.push_back({{model.parameters, model.parameters}, 1});
    layer = prefix;
    model.parameters += count;
    model.layers.back().slice.end = model.parameters;
  }
  return model;
}

Model::Model(const scenario::Scenario& scenario, int processes)
    : spec_(*scenario.program), name_(scenario::command_of(spec_)), given_up_(out_of_the_way(eventfd(0, EFD_CLOEXEC))) {
  const bool labels = needs_labels(scenario);
  const std::string folder = scenario::program_folder(scenario);
  const std::string request = Json({{"do", "hello"},
                                    {"protocol", protocol_version},
                                    {"seed", scenario.seed},
                                    {"batch", scenario.training.batch_size},
                                    {"labels", labels}})
                                  .dump();
  const auto refuse = [&](const std::string& what) {
    for (const auto& program : programs_) program->process.end_input();  // all of them end at once
    throw InputError(fmt::format("$.model.command: {} {}", scenario::in_quotes(name_), what));
  };
  try {
    for (int i = 0; i < processes; ++i) programs_.push_back(std::make_unique<Program>(spec_.command, folder));
    for (const auto& program : programs_) program->process.send(request);
  } catch (const ProcessFailed& error) {
    refuse(error.what());
  }
  for (const auto& program : programs_) {
    try {
      Hello hello = hello_in(program->process.answer(spec_.timeout.value, given_up_.number()), labels);
      if (program == programs_.front()) hello_ = hello;
      if (hello != hello_) throw WrongAnswer("says of its model what its other processes do not; expected the same");
    } catch (const ProcessFailed& error) {
      refuse(error.what());
    } catch (const WrongAnswer& error) {
      refuse(program->process.quoting(error.what()));
    }
  }
  std::size_t parameters = 0, frozen = 0;
  for (const Tensor& tensor : hello_.model.tensors) parameters += tensor.size();
  for (const Tensor& tensor : hello_.model.frozen) frozen += tensor.size();
  for (const auto& program : programs_) program->share(parameters, frozen);
}

// Ends their input first, so that all of them end at once.
Model::~Model() {
  for (const auto& program : programs_) program->process.end_input();
}

template <class Read>
auto Model::ask(int process, const std::string& request, const std::string& what, Read read) {
  Program& program = *programs_[static_cast<std::size_t>(process)];
  try {
    program.process.send(request);
    return read(program.process.answer(spec_.timeout.value, given_up_.number()));
  } catch (const ProcessFailed& error) {
    fail(error.what(), what);
  } catch (const WrongAnswer& error) {
    fail(program.process.quoting(error.what()), what);
  }
}

void Model::initialize(std::uint64_t seed, std::span<float> weights) {
  const Program& program = *programs_.front();
  const std::scoped_lock alone(programs_.front()->asked);
  ask(0, Json({{"do", "initial"}, {"seed", seed}}).dump(), "initial weights", [&](const std::string& line) {
    check_vector(line, "initial", program.parameters);
    if (!program.take(weights)) throw WrongAnswer("answered initial weights that are not finite; expected numbers");
  });
}

std::vector<float> Model::frozen() {
  if (hello_.model.frozen.empty()) return {};
  const std::scoped_lock alone(programs_.front()->asked);
  return ask(0, R"({"do":"frozen"})", "its frozen tensors", [&](const std::string& line) {
    check_vector(line, "frozen", programs_.front()->frozen);
    return programs_.front()->take_frozen();
  });
}

Outcome Model::gradient(int process, std::span<const float> weights, const Step& step, std::span<float> gradient) {
  Program& program = *programs_[static_cast<std::size_t>(process)];
  const std::scoped_lock alone(program.asked);
  if (!program.put(weights)) return {.not_finite = "weights"};
  const std::string request = fmt::format(R"({{"do":"gradient","worker":{},"step":{},"samples":[{}]}})", step.worker,
                                          step.number, fmt::join(step.samples, ","));
  const std::string what = fmt::format("the gradient of worker {}, step {}", step.worker, step.number);
  return ask(process, request, what, [&](const std::string& line) {
    Outcome outcome{loss_of_gradient(line, program.parameters)};
    const bool finite = program.take(gradient);
    if (!std::isfinite(outcome.loss)) {
      outcome.not_finite = "loss";
    } else if (!finite) {
      outcome.not_finite = "gradient";
    }
    if (outcome.not_finite != nullptr && !has_grown(weights)) {
      throw WrongAnswer(fmt::format("answered a {} {}", outcome.not_finite, at_small_weights));
    }
    return outcome;
  });
}

std::optional<Evaluation> Model::evaluate(int process, std::span<const float> weights) {
  Program& program = *programs_[static_cast<std::size_t>(process)];
  const std::scoped_lock alone(program.asked);
  if (!program.put(weights)) return std::nullopt;
  return ask(process, R"({"do":"evaluate"})", "an evaluation", [&](const std::string& line) {
    const Evaluation evaluation = evaluation_in(line);
    check_keys(evaluation);
    const double loss = evaluation.loss.value_or(0), accuracy = evaluation.accuracy.value_or(0);
    if ((!std::isfinite(loss) || std::isnan(accuracy)) && !has_grown(weights)) {
      throw WrongAnswer(fmt::format("answered a test score {}", at_small_weights));
    }
    return evaluation;
  });
}

void Model::check_keys(const Evaluation& evaluation) {
  const std::scoped_lock lock(mutex_);
  if (!first_evaluation_) first_evaluation_ = evaluation;
  if (first_evaluation_->loss.has_value() != evaluation.loss.has_value() ||
      first_evaluation_->accuracy.has_value() != evaluation.accuracy.has_value()) {
    throw WrongAnswer("answered other keys than at its first evaluation; expected the same in each");
  }
}

// Later failures follow from the first one, so the first is reported for all.
void Model::fail(const std::string& how, const std::string& what) {
  const std::scoped_lock lock(mutex_);
  if (failure_.empty())
    failure_ = fmt::format("the program {}, asked for {}, {}", scenario::in_quotes(name_), what, how);
  const std::uint64_t one = 1;
  static_cast<void>(!write(given_up_.number(), &one, sizeof one));
  throw process::RunFailed(failure_);
}

}  // namespace ddl::external
