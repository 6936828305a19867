// The parameters and operations of IDDL's models, published and counted.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/nn/layer_table.hpp"
#include "sim/studies/reproduce/iddl.hpp"

namespace ddl::studies::iddl_study {
namespace {

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

}  // namespace ddl::studies::iddl_study
