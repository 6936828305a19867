// Residual networks with early exits on CIFAR-10, whole, masked and grouped.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/nn/model.hpp"
#include "core/nn/published_models.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/studies/reproduce/figures.hpp"
#include "sim/studies/reproduce/iddl.hpp"

namespace ddl::studies::iddl_study {
namespace {

using Json = nlohmann::ordered_json;

struct ExitForm {
  const char* name;
  const char* ending;  // of the cell's name
  nn::Mask mask;
  int groups;
  std::array<std::optional<double>, exits.size()> published;  // per cent, by exit
};

const std::array<ExitForm, 4>& exit_forms() {
  constexpr std::nullopt_t no = std::nullopt;
  static const std::array<ExitForm, 4> all = {{{dense, "dense", nn::Mask::none, 1, {85.3, 90.2, 91.1}},
                                               {bibd, "bibd", nn::Mask::bibd, 1, {82.9, 86.9, 88.6}},
                                               {grouped, "grouped", nn::Mask::none, 4, {84.0, 88.3, 89.7}},
                                               {bibd_grouped, "bibd_grouped", nn::Mask::bibd, 4, {no, no, no}}}};
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

Cell exit_cell(const ExitForm& form, const Scale& scale) {
  const StagedNetwork network = scale.full ? resnet18() : small_network();
  nn::ModelSpec model{"layers", nn::with_groups(nn::with_mask(network.layers, form.mask), form.groups)};
  Json json;
  json["platform"] = {{"topology", "star"}, {"workers", exits.size()}, {"bandwidth", "1Gbps"}};
  json["data"] = {{"source", "cifar-10"}, {"path", scale.data + "/cifar-10"}};
  if (!scale.full) {
    json["data"]["train"] = 20000;
    json["data"]["test"] = 5000;
  }
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
  json["stop"] = {{"epochs", scale.full ? 75 : 1}};
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
