#include "lab/studies/iddl/iddl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/nn/layer_table.hpp"
#include "core/nn/published_models.hpp"
#include "lab/studies/figures.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::studies {
namespace iddl_study {

TablePosition perceptron_at(const std::string& model, const std::string& form) {
  return {"mlp_accuracy", {model}, form};
}
TablePosition wan_at(const std::string& form, const std::string& system) { return {"wan_accuracy", {form}, system}; }
TablePosition ensemble_at(int members, const std::string& weighting) {
  return {"ensemble_accuracy", {std::to_string(members)}, weighting};
}

Json alone() { return {{"topology", "star"}, {"workers", 1}, {"bandwidth", "1Gbps"}}; }
Json momentum(double rate) { return {{"type", "momentum"}, {"learning_rate", rate}, {"momentum", 0.5}}; }

namespace {

// --- counts of parameters and operations ---

struct PublishedCounts {
  const char* model;
  const char* counted;  // biases are not among those of perceptrons
  double dense, sparse;
  std::optional<double> dense_operations, sparse_operations;  // millions
};

std::vector<PublishedCounts> published() {
  const auto no = std::nullopt;
  return {{perceptrons[0], "weights", 13064, 728, no, no},
          {perceptrons[1], "weights", 20650, 1150, no, no},
          {perceptrons[2], "weights", 30156, 1680, no, no},
          {perceptrons[3], "weights", 41720, 2324, no, no},
          {"ResNet-18", "parameters", 11173962, 769656, 556.65, 54.71},
          {"ResNet-34", "parameters", 21282122, 1335512, 1161.45, 99.70},
          {"ResNet-50", "parameters", 23520842, 3820994, 1304.69, 205.03}};
}

// "ResNet-18" is called "resnet18" here, and "MLP-3-1" "mlp-3-1".
std::string own_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.starts_with("resnet-")) name.erase(6, 1);
  return name;
}

// --- perceptrons on MNIST ---

struct PublishedAccuracy {
  const char* model;
  std::array<double, 3> per_cent;  // by form
};

constexpr std::array perceptron_accuracy = {
    PublishedAccuracy{perceptrons[0], {94.86, 83.96, 82.89}}, PublishedAccuracy{perceptrons[1], {95.56, 86.65, 84.62}},
    PublishedAccuracy{perceptrons[2], {95.83, 88.84, 88.37}}, PublishedAccuracy{perceptrons[3], {96.46, 89.25, 88.31}}};

Cell perceptron_cell(std::size_t which, std::size_t form, const Scale& scale) {
  const std::string name = fmt::format("mlp-3-{}{}", which + 1, endings[form]);
  Json json;
  json["platform"] = alone();
  json["data"] = {{"source", "mnist"}, {"path", scale.data + "/mnist"}};
  json["model"] = name;
  json["training"] = {{"batch_size", 32}, {"optimizer", momentum(0.01)}};
  json["compute"] = {{"seconds_per_batch", "1ms"}, {"jitter", 0}};
  json["algorithm"] = "single";
  json["stop"] = {{"epochs", 10}};
  json["evaluate"] = {{"every_iterations", 100000}};  // at the end alone
  json["record"] = {{"iterations", false}};
  const PublishedAccuracy& published = perceptron_accuracy[which];
  return {name,
          json.dump(),
          {{perceptron_at(published.model, forms[form]), published.per_cent[form], final_accuracy_percent()}}};
}

// --- what sparsity is worth on a wide-area network ---

constexpr double dense_bytes = 17053736, dense_batch_s = 0.34;  // TF.AKO's network and computers

Reading megabytes() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    const std::optional<double> bytes = run.measure("bytes_sent");
    return bytes ? std::optional(*bytes / 1e6) : std::nullopt;
  };
}

// Its bytes and time are those of the dense network times what is there of the small one that learns.
Cell wan_cell(const std::string& form, const std::string& system) {
  const bool sparse = form == bibd, partial = system == ako;
  nn::ModelSpec whole{"cnn", {}};
  nn::ModelSpec spec{"layers", nn::with_mask(nn::layers_of(whole, 10), sparse ? nn::Mask::bibd : nn::Mask::none)};
  const Shape image{1, 12, 12};
  const nn::LayerRow all = nn::total_of(nn::layer_table(nn::Model(whole, image, 10)));
  const nn::LayerRow there = nn::total_of(nn::layer_table(nn::Model(spec, image, 10)));
  const double kept = static_cast<double>(there.non_zeros()) / static_cast<double>(all.non_zeros());
  const double work = there.operations / all.operations;
  Json json;
  json["platform"] = {{"topology", "star"},    {"workers", 4},      {"servers", 1},
                      {"bandwidth", "40Mbps"}, {"latency", "20ms"}, {"network", {{"model", "TCP"}}}};
  json["model"] = scenario::to_json_value(spec);
  json["training"] = {{"batch_size", 64}, {"optimizer", {{"type", "sgd"}, {"learning_rate", 0.4}}}};
  json["wire"] = {{"model_bytes", fmt::format("{:.0f}B", kept * dense_bytes)}};
  json["compute"] = {{"seconds_per_batch", fmt::format("{:.1f}ms", 1000 * work * dense_batch_s)}, {"jitter", 0.1}};
  json["algorithm"] = partial ? Json{{"name", "ako"}, {"partitions", 4}, {"overflow", "block"}} : Json("ps_async");
  json["stop"] = {{"time", "300s"}};
  json["evaluate"] = {{"every", "10s"}};
  json["record"] = {{"iterations", true}};
  return {fmt::format("uniform_wan_{}_{}", partial ? "ako_p4" : "ps_async", sparse ? "bibd" : "dense"),
          json.dump(),
          {{wan_at(form, system), std::nullopt, final_accuracy_percent(3)},
           {{"wan_step", {form}, system}, std::nullopt, measured("seconds_per_batch.mean")}}};
}

// --- ensembles ---

constexpr std::array<double, member_counts.size()> ensemble_accuracy = {75.75, 79.54, 80.56, 81.68, 80.98};

Cell ensemble_cell(std::size_t which, const std::string& weighting) {
  const int members = member_counts[which];
  const bool published = weighting == as_published;
  Json json;
  json["platform"] = {{"topology", "star"},
                      {"workers", members},
                      {"bandwidth", "40Mbps"},
                      {"latency", "20ms"},
                      {"network", {{"model", "TCP"}}}};
  json["data"] = {{"source", "synthetic"}, {"train", 8000}, {"test", 4000}};
  json["model"] = "mlp-3-1-bibd";
  json["training"] = {{"batch_size", 32}, {"optimizer", momentum(0.05)}, {"init", "independent"}};
  json["compute"] = {{"seconds_per_batch", "10ms"}, {"jitter", 0.1}};
  json["algorithm"] = {
      {"name", "samme"},
      {"local_epochs", 10},
      {"iddl", {{"weighting", published ? "published" : "standard"}, {"sampling", published ? "repeat" : "resample"}}}};
  json["stop"] = {{"epochs", 10 * members * 2}};  // passes in which some samples come twice are longer
  json["evaluate"] = {{"every_iterations", 100000}};
  json["record"] = {{"iterations", false}};
  const auto no = std::nullopt;
  std::vector<Figure> figures = {{ensemble_at(members, weighting),
                                  published ? std::optional(ensemble_accuracy[which]) : no, final_accuracy_percent()}};
  if (!published) {
    figures.push_back({{"ensemble_cost", {std::to_string(members)}, "s"}, no, measured("simulated_seconds")});
    figures.push_back({{"ensemble_cost", {std::to_string(members)}, "MB sent"}, no, megabytes()});
  }
  return {fmt::format("ensemble_{}_{}", members, published ? "published" : "standard"), json.dump(), figures};
}

}  // namespace

std::vector<Outcome::Value> counts() {
  std::vector<Outcome::Value> values;
  for (const PublishedCounts& row : published()) {
    const bool perceptron = !row.dense_operations;
    const Shape input = perceptron ? Shape{1, 28, 28} : Shape{3, 32, 32};
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const nn::Model model({.name = own_name(row.model) + endings[form], .layers = {}}, input, 10);
      const nn::LayerRow total = nn::total_of(nn::layer_table(model));
      const bool whole = std::string_view(forms[form]) == dense;
      values.push_back({{"parameters", {row.model, row.counted}, forms[form]},
                        whole ? row.dense : row.sparse,
                        static_cast<double>(perceptron ? total.weights : total.non_zeros())});
      if (perceptron) continue;
      values.push_back({{"operations", {row.model}, forms[form]},
                        whole ? row.dense_operations : row.sparse_operations,
                        total.operations / 1e6});
    }
  }
  return values;
}

}  // namespace iddl_study

Study iddl(const Scale& scale) {
  using namespace iddl_study;
  Study study;
  study.name = "iddl";
  study.title = "IDDL (2020): block designs as sparse networks";
  study.source = "code and stored results of github.com/iid2019/iddl; Zhu et al., Statistics and Its Interface 2009";
  study.seeds = {1, 2, 3, 4, 5};
  study.tables = {{"parameters", "Parameters that are there", {"model", "counted"}, "form", 0},
                  {"operations", "Operations of one image, forward, millions", {"model"}, "form", 2}};
  study.derived = counts();
  if (!scale.data.empty()) {
    study.tables.push_back({"mlp_accuracy", "Accuracy on MNIST after 10 epochs, %", {"model"}, "form", 2});
    for (std::size_t which = 0; which < perceptrons.size(); ++which) {
      for (std::size_t form = 0; form < forms.size(); ++form)
        study.cells.push_back(perceptron_cell(which, form, scale));
    }
  }
  if (!scale.data.empty()) {
    for (TableLayout& table : residual_tables(scale)) study.tables.push_back(std::move(table));
    for (Cell& cell : residual_cells(scale)) study.cells.push_back(std::move(cell));
    study.tables.push_back(
        {"exit_accuracy", "Accuracy of each exit on CIFAR-10, means of seeds 1 to 3, %", {"exit"}, "form", 2});
    for (Cell& cell : exit_cells(scale)) study.cells.push_back(std::move(cell));
  }
  study.tables.push_back({"wan_accuracy", "Accuracy after 300 s, 4 workers at 40 Mbit/s, %", {"model"}, "system", 1});
  study.tables.push_back({"wan_step", "Seconds a step there", {"model"}, "system", 2});
  for (const char* form : {dense, bibd}) {
    for (const char* system : {server, ako}) study.cells.push_back(wan_cell(form, system));
  }
  study.tables.push_back({"ensemble_accuracy", "Accuracy of ensembles, %", {"members"}, "weighting", 2});
  study.tables.push_back({"ensemble_cost", "What a standard ensemble takes", {"members"}, "", 2});
  for (std::size_t which = 0; which < member_counts.size(); ++which) {
    for (const char* weighting : {standard, as_published}) study.cells.push_back(ensemble_cell(which, weighting));
  }
  study.claims = claims(scale);
  study.notes = iddl_study::notes(scale);
  return study;
}

}  // namespace ddl::studies
