#include "core/nn/layer_table.hpp"

#include "core/nn/layer.hpp"

namespace ddl::nn {
namespace {

void add_rows(const LayerPart& part, const std::string& before, std::vector<LayerRow>& rows) {
  const Layer& layer = *part.layer;
  const std::string name = before + part.name;
  const std::vector<LayerPart> inner = layer.parts();
  for (const LayerPart& within : inner) add_rows(within, name + ".", rows);
  if (!inner.empty()) return;
  LayerRow row{.name = name, .kind = layer.kind(), .input = layer.input(), .output = layer.output()};
  for (const LayerTensor& tensor : layer.tensors()) {
    (tensor.name.ends_with("weight") ? row.weights : row.others) += tensor.count;
  }
  row.whole = layer.whole_parameter_count();
  row.operations = layer.multiply_adds();
  rows.push_back(row);
}

}  // namespace

std::vector<LayerRow> layer_table(const Model& model) {
  std::vector<LayerRow> rows;
  for (const LayerPart& part : named_layers(model.layers())) add_rows(part, "", rows);
  return rows;
}

std::optional<std::string> norm_of_single_values(const Model& model) {
  for (const LayerRow& row : layer_table(model)) {
    if (row.kind == "batch_norm" && row.input.height * row.input.width == 1) return row.name;
  }
  return std::nullopt;
}

LayerRow total_of(const std::vector<LayerRow>& rows) {
  LayerRow total{.name = "total", .kind = "", .input = rows.front().input, .output = rows.back().output};
  for (const LayerRow& row : rows) {
    total.weights += row.weights;
    total.others += row.others;
    total.whole += row.whole;
    total.operations += row.operations;
  }
  return total;
}

}  // namespace ddl::nn
