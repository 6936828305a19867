// IDDL's networks with early exits: how their figures are read, what is claimed of them, and that they run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/nn/layer.hpp"
#include "core/nn/model.hpp"
#include "lab/studies/figures.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/run_study.hpp"
#include "lab/studies/study.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/results/writing/files.hpp"
#include "tests/support/cifar_files.hpp"

namespace ddl::studies::iddl_test {
namespace {

using Json = nlohmann::ordered_json;

// Of both sizes, those with exits; both learn CIFAR-10 in DIR/cifar-10.
std::vector<Cell> exit_cells(bool full, const std::string& folder) {
  std::vector<Cell> cells = read_study("iddl", {.full = full, .data = folder}).cells;
  std::erase_if(cells, [](const Cell& cell) { return !cell.name.starts_with("exits_"); });
  return cells;
}

// A set of data in a scratch folder's cifar-10/, which is one itself.
struct CifarFolder {
  CifarFolder() {
    write_cifar(files, 48);
    std::filesystem::create_directory(folder.path() + "/cifar-10");
    for (const auto& file : std::filesystem::directory_iterator(files.path())) {
      std::filesystem::copy(file, folder.path() + "/cifar-10");
    }
  }
  data::ScratchFolder files, folder;
};

std::vector<Outcome::Value> published_values(const Study& study) {
  std::vector<Outcome::Value> values;
  for (const Cell& cell : study.cells) {
    for (const Figure& figure : cell.figures) values.push_back({figure.place, figure.published, figure.published});
  }
  return values;
}

const Claim& claim_of(const Study& study, const std::string& begins) {
  return *std::ranges::find_if(study.claims, [&](const Claim& claim) { return claim.text.starts_with(begins); });
}

constexpr const char* rises = "early exits: accuracy rises";
constexpr const char* ranked = "at every exit";
constexpr const char* leads = "ResNet-34 and ResNet-50 are more accurate dense";

}  // namespace

TEST_CASE("the accuracy of an exit is that of the requests which its host answered") {
  const results::TemporaryFolder folder;
  results::put(folder.path() / "requests.csv",
               "request,threshold,exit,arrival_s,answer_s,latency_s,bytes,correct\n"
               "0,,w1,0,1,1,4,1\n1,,w1,1,2,1,4,0\n2,,w1,2,3,1,4,1\n3,,w1,3,4,1,4,1\n0,,w0,4,5,1,0,0\n");
  results::FinishedRun run;
  run.folder = folder.path();
  CHECK(answers_percent("w1")(run) == 75);
  CHECK(answers_percent("w0")(run) == 0);
  CHECK_FALSE(answers_percent("w2")(run).has_value());
}

TEST_CASE("IDDL's exits come after the layers that published ones come after") {
  const CifarFolder cifar;
  for (const bool full : {false, true}) {
    const std::vector<Cell> cells = exit_cells(full, cifar.folder.path());
    CHECK(cells.size() == 5);
    for (const Cell& cell : cells) {
      const scenario::Scenario scenario =
          scenario::parse_scenario(systems::built_in(), cell.scenario, cifar.folder.path() + "/cell");
      const nn::Model model(scenario.model, Shape{3, 32, 32}, 10);
      const auto values = [&](int exit) {  // of the 32 channels that an exit's dense layer reads
        const auto cut = Json::parse(cell.scenario)["algorithm"]["cuts"][static_cast<std::size_t>(exit)].get<int>();
        const Shape shape = model.layers()[static_cast<std::size_t>(cut - 1)]->output();
        return 32 * shape.height * shape.width;
      };
      CHECK(values(0) == (full ? 8192 : 2048));  // the small network halves height and width at once
      CHECK(values(1) == (full ? 2048 : 512));
    }
  }
}

TEST_CASE("the published accuracies of exits satisfy the claims made of them, and the other way round none") {
  const Study study = read_study("iddl", {.full = true, .data = "/data"});
  std::vector<Outcome::Value> values = published_values(study);
  for (const char* text : {rises, ranked}) {
    CHECK_MESSAGE(claim_of(study, text).judge(Outcome(values)).holds(), text);
  }
  std::vector<Outcome::Value> reversed = values, missing = values;
  for (Outcome::Value& value : reversed) {
    if (value.simulated) value.simulated = 100 - *value.simulated;
  }
  for (Outcome::Value& value : missing) {
    if (value.place.table == "exit_accuracy" && value.place.row[0] == "second") value.simulated.reset();
  }
  for (const char* text : {rises, ranked}) {
    CHECK_FALSE_MESSAGE(claim_of(study, text).judge(Outcome(reversed)).holds(), text);
    CHECK_FALSE_MESSAGE(claim_of(study, text).judge(Outcome(missing)).holds(), text);
  }
}

TEST_CASE("the published accuracies of larger residual networks satisfy the claim of their order, and no closer ones") {
  CHECK(claim_of(read_study("iddl", {.full = false, .data = "/data"}), leads).judge == nullptr);  // after 120 steps
  const Study study = read_study("iddl", {.full = true, .data = "/data"});
  std::vector<Outcome::Value> values = published_values(study);
  CHECK(claim_of(study, leads).judge(Outcome(values)).holds());
  CHECK(claim_of(study, "the larger residual networks leave chance").judge(Outcome(values)).holds());
  for (const char* model : {"ResNet-34", "ResNet-50"}) {
    std::vector<Outcome::Value> close = values, guessing = values;
    for (Outcome::Value& value : close) {
      if (value.place == TablePosition{"resnet_few", {model}, "dense"}) *value.simulated -= 3.5;
    }
    for (Outcome::Value& value : guessing) {
      if (value.place == TablePosition{"resnet_few", {model}, "random"}) value.simulated = 14.9;
    }
    CHECK_FALSE(claim_of(study, leads).judge(Outcome(close)).holds());
    CHECK_FALSE(claim_of(study, "the larger residual networks leave chance").judge(Outcome(guessing)).holds());
  }
}

TEST_CASE("all networks on CIFAR-10 train on cropped and flipped images, as published, and perceptrons on whole ones") {
  for (const bool full : {false, true}) {
    int on_cifar = 0;
    for (const Cell& cell : read_study("iddl", {.full = full, .data = "/data"}).cells) {
      const Json data = Json::parse(cell.scenario).value("data", Json::object());
      const bool cifar = data.value("source", "") == "cifar-10";
      on_cifar += cifar ? 1 : 0;
      CHECK(data.value("augment", "none") == (cifar ? "crop_flip" : "none"));
    }
    CHECK(on_cifar == (full ? 5 + 3 + 6 : 5 + 6));
  }
}

TEST_CASE("classifiers of four groups have the source's parameters, and the trunk is that of one classifier") {
  const auto parameters = [](const std::string& name) {
    for (const Cell& cell : exit_cells(true, "/data")) {
      if (cell.name != name) continue;
      const Json model = Json::parse(cell.scenario)["model"];
      Json scenario = {{"platform", {{"workers", 1}, {"bandwidth", "1Gbps"}}},
                       {"algorithm", "single"},
                       {"stop", {{"iterations", 1}}}};
      scenario["model"] = model;
      const scenario::Scenario read =
          scenario::parse_scenario(systems::built_in(), scenario.dump(), "classifiers.json");
      return static_cast<int>(nn::Model(read.model, Shape{3, 32, 32}, 10).parameter_count());
    }
    return 0;
  };
  // Four of 128 inputs and ten outputs, and one of 40 inputs, in place of one of 512; all with biases.
  CHECK(parameters("exits_own_classifiers") - parameters("exits_grouped") ==
        4 * (128 * 10 + 10) + 40 * 10 + 10 - (512 * 10 + 10));
}

TEST_CASE("the full study judges the published accuracies by two points") {
  const Study study = read_study("iddl", {.full = true, .data = "/data"});
  const auto holds = [&](const char* text, double off) {
    std::vector<Outcome::Value> values = published_values(study);
    for (Outcome::Value& value : values) {
      if (value.simulated) *value.simulated += off;
    }
    return claim_of(study, text).judge(Outcome(values)).holds();
  };
  for (const char* text : {"ResNet-18 on CIFAR-10", "its early exits"}) {
    CHECK(holds(text, 1.9));
    CHECK_FALSE(holds(text, -2.1));
  }
}

TEST_CASE("claims of IDDL's figures from data can be judged, and hold of nothing that is missing") {
  for (const bool full : {false, true}) {
    const Study study = read_study("iddl", {.full = full, .data = "/data"});
    std::vector<Outcome::Value> nothing = study.derived;
    std::set<TablePosition> places;
    for (Outcome::Value& value : nothing) value.simulated.reset();
    for (const Cell& cell : study.cells) {
      for (const Figure& figure : cell.figures) {
        CHECK(places.insert(figure.place).second);
        nothing.push_back({figure.place, figure.published, std::nullopt});
      }
    }
    for (const Claim& claim : study.claims) {
      CHECK_MESSAGE(!claim.accepted.empty() == (claim.name != "accuracy of larger residual networks"), claim.text);
      if (claim.judge) CHECK_FALSE_MESSAGE(claim.judge(Outcome(nothing)).holds(), claim.text);
    }
  }
}

TEST_CASE("IDDL's small networks with exits learn, and each exit's accuracy is there") {
  const CifarFolder cifar;
  const data::ScratchFolder results;
  Study study;
  study.name = "exits";
  study.cells = exit_cells(false, cifar.folder.path());
  for (Cell& cell : study.cells) {
    Json json = Json::parse(cell.scenario);
    json["data"]["train"] = json["data"]["test"] = 48;
    json["training"]["batch_size"] = 4;
    json["stop"] = {{"iterations", 2}};
    json["algorithm"]["serving"]["requests"] = 5;
    cell.scenario = json.dump();
    cell.seeds = {1};
  }
  StudyOptions options;
  options.out = results.path();
  const Outcome outcome = run_study(systems::built_in(), study, options);
  CHECK(outcome.values().size() == 5 * 3);
  for (const Outcome::Value& value : outcome.values()) {
    REQUIRE(value.simulated.has_value());
    CHECK(std::fmod(*value.simulated, 20) == 0);  // of five answers
  }
}

}  // namespace ddl::studies::iddl_test
