// The size between the default and the full one: small networks on CIFAR-10, of which a cut is run.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/report.hpp"
#include "lab/studies/run_study.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/cifar_files.hpp"

namespace ddl::studies {
namespace {

using Json = nlohmann::ordered_json;

constexpr int images = 48;

// The runs that learn, two steps each, by one seed.
Study cut(Study study) {
  study.seeds = {1};
  std::vector<Cell> learning;
  for (Cell& cell : study.cells) {
    Json json = Json::parse(cell.scenario);
    if (json["model"] == "none") continue;
    json["training"]["batch_size"] = 2;
    json["stop"] = {{"iterations", 2}};
    json["evaluate"] = {{"every_iterations", 1}, {"samples", 4}};
    cell.scenario = json.dump();
    cell.seeds = {};
    learning.push_back(std::move(cell));
  }
  study.cells = std::move(learning);
  study.claims.clear();
  return study;
}

nn::Model model_of(const Cell& cell, const std::string& folder) {
  const scenario::Scenario scenario =
      scenario::parse_scenario(systems::built_in(), cell.scenario, folder + "/" + cell.name);
  return nn::Model(scenario.model, Shape{3, 32, 32}, 10);
}

double operations(const nn::Model& model) { return nn::total_of(nn::layer_table(model)).operations; }

}  // namespace

TEST_CASE("between the default and the full size, small networks learn CIFAR-10 and every accuracy is there") {
  const data::ScratchFolder cifar, results;
  write_cifar(cifar, images);
  for (const StudyRow& row : study_table()) {
    if (row.data != DataUse::in_between) continue;
    const Study study = cut(read_study(row.name, {.full = false, .data = cifar.path()}));
    INFO(study.name);
    CHECK(study.size.find("small networks on CIFAR-10 (`--data DIR`)") == 0);
    CHECK(study.size.find("Smaller than published: ") != std::string::npos);
    StudyOptions options;
    options.out = results.path();
    const Outcome outcome = run_study(systems::built_in(), study, options);
    int accuracies = 0;
    for (const Outcome::Value& value : outcome.values()) {
      const std::string& what = value.place.table == "accuracy" ? value.place.table : value.place.row.at(1);
      if (what != "accuracy" && what != "test accuracy, %") continue;
      CHECK(value.simulated.has_value());
      ++accuracies;
    }
    CHECK(accuracies == (study.name == "zhang" ? 7 : 3));
    CHECK(study_page(study, Outcome({}), "x").find("Size: " + study.size) != std::string::npos);
  }
}

TEST_CASE("the networks of that size have the parameters and operations that the pages name") {
  const data::ScratchFolder cifar;
  write_cifar(cifar, images);
  const nn::Model resnet20({"resnet20", {}}, Shape{3, 32, 32}, 10);
  std::set<std::size_t> found;
  for (const StudyRow& row : study_table()) {
    if (row.data != DataUse::in_between) continue;
    for (const Cell& cell : read_study(row.name, {.full = false, .data = cifar.path()}).cells) {
      if (Json::parse(cell.scenario)["model"] == "none") continue;
      const nn::Model model = model_of(cell, cifar.path());
      if (!found.insert(model.parameter_count()).second) continue;
      if (model.parameter_count() != resnet20.parameter_count()) continue;
      CHECK(operations(model) == doctest::Approx(operations(resnet20) / 4).epsilon(0.001));
    }
  }
  // Convolutions of 3x3 over 3, 16, 32 and 64 channels, 2x2x128 values into ten outputs; biases, or two per filter.
  const std::size_t weights = 9 * (3 * 16 + 16 * 32 + 32 * 64 + 64 * 128) + 512 * 10 + 10, filters = 16 + 32 + 64 + 128;
  CHECK(weights + filters == 102570);
  CHECK(weights + 2 * filters == 102810);
  CHECK(found == std::set<std::size_t>{weights + filters, weights + 2 * filters, resnet20.parameter_count()});
}

}  // namespace ddl::studies
