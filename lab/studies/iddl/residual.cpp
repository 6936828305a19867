// Residual networks on CIFAR-10, whole and masked.
#include <fmt/format.h>

#include "lab/studies/figures.hpp"
#include "lab/studies/iddl/iddl.hpp"

namespace ddl::studies::iddl_study {
namespace {

struct ResidualNetwork {
  const char* model;               // in the tables
  const char* name;                // here
  std::array<double, 3> per_cent;  // by form
};

constexpr ResidualNetwork whole_training = {"ResNet-18", "resnet18", {90.67, 85.55, 86.41}};
constexpr std::array few_epochs_of = {ResidualNetwork{"ResNet-34", "resnet34", {90.64, 86.43, 86.39}},
                                      ResidualNetwork{"ResNet-50", "resnet50", {90.01, 83.62, 84.42}}};

struct Size {
  int epochs, batch;
  std::optional<int> images, tests;  // none: all
};

Cell cell_of(const ResidualNetwork& network, std::size_t form, const TablePosition& place, const Size& size,
             const Scale& scale) {
  const std::string name = std::string(network.name) + endings[form];
  Json json;
  json["platform"] = alone();
  json["data"] = {{"source", "cifar-10"}, {"path", scale.data + "/cifar-10"}, {"augment", "crop_flip"}};
  if (size.images) json["data"]["train"] = *size.images;
  if (size.tests) json["data"]["test"] = *size.tests;
  json["model"] = name;
  json["training"] = {{"batch_size", size.batch}, {"optimizer", momentum(0.01)}};
  json["compute"] = {{"seconds_per_batch", "1s"}, {"jitter", 0}};
  json["algorithm"] = "single";
  json["stop"] = {{"epochs", size.epochs}};
  json["evaluate"] = {{"every_iterations", 2000}};
  json["record"] = {{"iterations", false}};
  return {name, json.dump(), {{place, network.per_cent[form], final_accuracy_percent()}}};
}

}  // namespace

TablePosition few_at(const std::string& model, const std::string& form) { return {"resnet_few", {model}, form}; }

std::vector<TableLayout> residual_tables(const Scale& scale) {
  std::vector<TableLayout> tables;
  if (scale.full) {
    tables.push_back({"resnet_accuracy", "Accuracy on CIFAR-10 after 50 epochs, %", {"model"}, "form", 2});
  }
  const FewEpochs few = few_epochs(scale);
  tables.push_back({"resnet_few",
                    fmt::format("Accuracy on CIFAR-10 after {} epochs of {} images, seed 1 (published: after 50 of "
                                "50000), %",
                                few.epochs, few.images),
                    {"model"},
                    "form",
                    2});
  return tables;
}

std::vector<Cell> residual_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (std::size_t form = 0; form < forms.size() && scale.full; ++form) {
    const TablePosition place{"resnet_accuracy", {whole_training.model}, forms[form]};
    cells.push_back(cell_of(whole_training, form, place, {50, 128, {}, {}}, scale));
  }
  const FewEpochs few = few_epochs(scale);
  for (const ResidualNetwork& network : few_epochs_of) {
    for (std::size_t form = 0; form < forms.size(); ++form) {
      const Size size{few.epochs, few.batch, few.images, few.tests};
      cells.push_back(cell_of(network, form, few_at(network.model, forms[form]), size, scale));
      cells.back().seeds = {1};
      cells.back().cost = 2;
    }
  }
  return cells;
}

}  // namespace ddl::studies::iddl_study
