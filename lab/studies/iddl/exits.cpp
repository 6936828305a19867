// Residual networks with early exits on CIFAR-10, whole, masked and grouped.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/nn/model.hpp"
#include "core/nn/published_models.hpp"
#include "lab/studies/figures.hpp"
#include "lab/studies/iddl/iddl.hpp"
#include "sim/scenario/reading/to_json.hpp"

namespace ddl::studies::iddl_study {
namespace {

struct ExitForm {
  const char* name;
  const char* ending;  // of the cell's name
  nn::Mask mask;
  int groups;
  bool own_classifiers;                                       // one for each group
  std::array<std::optional<double>, exits.size()> published;  // per cent, by exit
};

const std::array<ExitForm, 5>& exit_forms() {
  constexpr std::nullopt_t no = std::nullopt;
  constexpr auto whole = nn::Mask::none, design = nn::Mask::bibd;
  static const std::array<ExitForm, 5> all = {{{dense, "dense", whole, 1, false, {85.3, 90.2, 91.1}},
                                               {bibd, "bibd", design, 1, false, {82.9, 86.9, 88.6}},
                                               {grouped, "grouped", whole, 4, false, {84.0, 88.3, 89.7}},
                                               {bibd_grouped, "bibd_grouped", design, 4, false, {no, no, no}},
                                               {own_classifiers, "own_classifiers", whole, 4, true, {no, no, no}}}};
  return all;
}

// A network of four stages, and how many of its layers lie before the second and the third host's.
struct StagedNetwork {
  std::vector<nn::LayerSpec> layers;
  std::array<int, 2> cuts;
};

// As published, the first exit follows the second stage, and the second the third.
StagedNetwork resnet18() { return {nn::layers_of({"resnet18", {}}, 10), {3 + 2 + 2, 3 + 2 + 2 + 2}}; }

// One block a stage, a quarter of the filters, and a stride of 2 in the first layer too.
StagedNetwork small_network() {
  StagedNetwork network{{nn::ConvSpec{.filters = 16, .init = nn::Init::he_out, .bias = false, .stride = 2},
                         nn::BatchNormSpec{}, nn::ReluSpec{}},
                        {3 + 1 + 1, 3 + 1 + 1 + 1}};
  for (const int filters : {16, 32, 64, 128}) {
    network.layers.push_back(nn::ResidualSpec{.filters = filters, .stride = filters == 16 ? 1 : 2});
  }
  network.layers.insert(network.layers.end(),
                        {nn::GlobalAveragePoolSpec{}, nn::FlattenSpec{}, nn::DenseSpec{.units = 10}});
  return network;
}

// A classifier for each group of channels, which a dense layer combines to one. The pooled image has one pixel, so that
// a convolution in groups is a dense layer for each.
void divide_classifier(std::vector<nn::LayerSpec>& layers, int groups) {
  constexpr int classes = 10;
  layers.resize(layers.size() - 2);  // flatten and dense
  layers.insert(layers.end(), {nn::ConvSpec{.filters = groups * classes, .kernel = 1, .groups = groups},
                               nn::FlattenSpec{}, nn::DenseSpec{.units = classes}});
}

Cell exit_cell(const ExitForm& form, const Scale& scale) {
  const StagedNetwork network = scale.full ? resnet18() : small_network();
  nn::ModelSpec model{"layers", nn::with_groups(nn::with_mask(network.layers, form.mask), form.groups)};
  if (form.own_classifiers) divide_classifier(model.layers, form.groups);
  Json json;
  json["platform"] = {{"topology", "star"}, {"workers", exits.size()}, {"bandwidth", "1Gbps"}};
  json["data"] = {{"source", "cifar-10"}, {"path", scale.data + "/cifar-10"}, {"augment", "crop_flip"}};
  if (!scale.full) json["data"]["test"] = 5000;
  json["model"] = scenario::to_json_value(model);
  json["training"] = {
      {"batch_size", scale.full ? 128 : 32},
      {"optimizer", {{"type", "momentum"}, {"learning_rate", 0.01}, {"momentum", 0.9}, {"weight_decay", 5e-4}}}};
  json["compute"] = {{"seconds_per_batch", "1s"}, {"jitter", 0}};
  json["algorithm"] = {{"name", "early_exit"},
                       {"cuts", network.cuts},
                       {"exit_filters", 32},
                       {"exit_learning_rate", 0.01},
                       {"thresholds", Json::array()},  // each exit answers for every test image, once
                       {"serving", {{"requests", scale.full ? 10000 : 5000}}}};
  json["stop"] = {{"epochs", scale.full ? 75 : 2}};
  json["evaluate"] = {{"every_iterations", 100000}};
  json["record"] = {{"iterations", false}};
  Cell cell{std::string("exits_") + form.ending, json.dump(), {}, {1, 2, 3}};
  for (std::size_t exit = 0; exit < exits.size(); ++exit) {
    cell.figures.push_back(
        {exit_at(exits[exit], form.name), form.published[exit], answers_percent(fmt::format("w{}", exit))});
  }
  return cell;
}

}  // namespace

TablePosition exit_at(const std::string& exit, const std::string& form) { return {"exit_accuracy", {exit}, form}; }

std::vector<Cell> exit_cells(const Scale& scale) {
  std::vector<Cell> cells;
  for (const ExitForm& form : exit_forms()) cells.push_back(exit_cell(form, scale));
  return cells;
}

}  // namespace ddl::studies::iddl_study
