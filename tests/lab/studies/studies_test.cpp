// The shipped studies: every scenario is valid, every claim can be judged, and what was published satisfies what is
// claimed of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/nn/layer.hpp"
#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "core/systems/table.hpp"
#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/reading/readings.hpp"
#include "lab/studies/run_study.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/cifar_files.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::studies::studies_test {
namespace {

using Json = nlohmann::ordered_json;
using Places = std::set<TablePosition>;

struct Sized {
  Study study;
  std::string size;  // "cui_2019 default"
};

// Every study in every size that it has, but for that of this program's own times, which says nothing of a publication.
std::vector<Sized> all_studies(const std::string& data = "/d") {
  std::vector<Sized> all;
  for (const StudyRow& row : study_table()) {
    if (row.data == DataUse::none) continue;
    all.push_back({read_study(row.name, {}), row.name + " default"});
    if (row.data != DataUse::full_alone) all.push_back({read_study(row.name, {false, data}), row.name + " data"});
    all.push_back({read_study(row.name, {true, data}), row.name + " full"});
  }
  return all;
}

// A set of data that is CIFAR-10, and has it and MNIST in folders.
struct DataFolder : data::ScratchFolder {
  DataFolder() {
    write_cifar(*this, 48);
    write_mnist(path(), 1);
    for (const std::string name : {"/cifar-10", "/mnist"}) {
      std::filesystem::create_directory(path() + name);
      for (const auto& file : std::filesystem::directory_iterator(path())) {
        if (file.is_regular_file()) std::filesystem::copy(file, path() + name);
      }
    }
  }
};

Outcome with(const Study& study, const std::function<void(Outcome::Value&)>& change) {
  std::vector<Outcome::Value> values = study.places();
  for (Outcome::Value& value : values) {
    value.simulated = value.published;
    value.half_width = 0;
    change(value);
  }
  return Outcome(values);
}

Finding finding_of(const Study& study, const std::string& claim, const std::function<void(Outcome::Value&)>& change) {
  const auto found = std::ranges::find(study.claims, claim, &Claim::name);
  REQUIRE(found != study.claims.end());
  return found->judge(with(study, change)).finding;
}

}  // namespace

TEST_CASE("a published claim stands once on a page, and one that is judged says what is accepted") {
  for (const auto& [study, size] : all_studies()) {
    std::set<std::string> names;
    for (const Claim& claim : study.claims) {
      INFO(size, ": ", claim.name);
      CHECK((claim.kind != Claim::published || names.insert(claim.name).second));
      CHECK((!claim.judge || !claim.accepted.empty()));
    }
  }
}

TEST_CASE("no claim takes a missing figure for agreement") {
  for (const auto& [study, size] : all_studies()) {
    std::set<std::string> columns;
    for (const Outcome::Value& value : study.places()) columns.insert(value.place.column);
    for (const Claim& claim : study.claims) {
      INFO(size, ": ", claim.name);
      if (!claim.judge) continue;
      CHECK_FALSE(claim.judge(with(study, [](Outcome::Value& value) { value.simulated.reset(); })).holds());
      for (const std::string& column : columns) {
        const auto in_column = [&](auto mark) {
          return with(study, [&](Outcome::Value& value) {
            if (value.place.column == column) mark(value);
          });
        };
        bool is_asked = false;
        try {
          claim.judge(in_column([](Outcome::Value& value) { value.open = true; }));
        } catch (const Outcome::Unfinished&) {
          is_asked = true;
        }
        const bool holds = claim.judge(in_column([](Outcome::Value& value) { value.simulated.reset(); })).holds();
        CHECK_MESSAGE(!(is_asked && holds), column);
      }
    }
  }
}

// Without those for which nothing was published.
TEST_CASE("what was published satisfies the claims made of it, but for what the source leaves open") {
  // The LAN's published iterations are one worker's and the WAN's are all workers': no reading fits both.
  const std::set<std::string> contradictions = {"iterations on the LAN"};
  for (const auto& [study, size] : all_studies()) {
    for (const Claim& claim : study.claims) {
      if (!claim.judge || claim.kind == Claim::input) continue;
      const Outcome published = with(study, [](Outcome::Value&) {});
      const Outcome without = with(study, [](Outcome::Value& value) { value.open = !value.published; });
      bool is_whole = true;
      try {
        claim.judge(without);
      } catch (const Outcome::Unfinished&) {
        is_whole = false;
      }
      const Verdict verdict = claim.judge(published);
      const bool should_hold = !contradictions.contains(claim.name);
      CHECK_MESSAGE((!is_whole || verdict.holds() == should_hold), size, ": ", claim.name, ": ", verdict.numbers);
    }
  }
}

TEST_CASE("every published figure is one of its study's figures in some size") {
  std::map<std::string, Places> places;
  for (const auto& [study, size] : all_studies()) {
    for (const Outcome::Value& value : study.places()) places[study.name].insert(value.place);
  }
  for (const auto& [name, there] : places) {
    const std::string file = std::string(DDLSIM_SOURCE_DIR "/lab/studies/") + name + "/published.csv";
    results::read_table(file, "table,row,column,published", [&](const results::TableRow& figure) {
      const std::string place = figure.text(0) + " | " + figure.text(1) + " | " + figure.text(2);
      CHECK_MESSAGE(there.contains(position_of(JsonAt::parsed("\"\"", file), place)), place);
    });
  }
}

TEST_CASE("the scenarios of every study are valid") {
  const DataFolder data;
  std::vector<Sized> all = all_studies(data.path());
  all.push_back({read_study("validation", {}), "validation"});
  for (const auto& [study, size] : all) {
    for (const PlatformFile& platform : study.platforms) std::ofstream(data.file(platform.file)) << platform.text;
    for (const Cell& cell : study.cells) {
      INFO(size, ": ", cell.name);
      CHECK_NOTHROW(scenario::parse_scenario(systems::built_in(), cell.scenario, data.file(cell.name)));
    }
  }
}

TEST_CASE("figures are read off the rows of a run's tables") {
  const TemporaryFolder folder;
  std::string rows = "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,train_accuracy,staleness\n";
  for (int i = 0; i < 100; ++i) rows += fmt::format("w{},{},0,0,0,{},,,0\n", i % 2, i, (100 - i) / 100.0);
  put(folder.path() / "iterations.csv", rows + "w0,9500,0,0,0,0.5,1,0.5,0\nw1,9999,0,0,0,0.5,3,1,0\n");
  put(folder.path() / "requests.csv",
      "request,threshold,exit,arrival_s,answer_s,latency_s,bytes,correct\n"
      "0,,w1,0,1,1,4,1\n1,,w1,1,2,1,4,0\n2,,w1,2,3,1,4,1\n3,,w1,3,4,1,4,1\n0,,w0,4,5,1,0,0\n");
  put(folder.path() / "curve.csv",
      "time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy\n"
      "0,mean,0,0,0,0,,1,0.1\n1,mean,10,0,0,0,,1,0.5\n1,w0,10,0,0,0,,1,0.4\n1,w1,10,0,0,0,,1,0.6\n"
      "2,mean,100,0,0,0,,1,0.7\n2,w0,100,0,0,0,,1,0.9\n2,w1,100,0,0,0,,1,0.5\n");
  results::FinishedRun run;
  run.folder = folder.path();
  run.workers = {"w0", "w1"};
  const struct {
    std::string reading;
    double value;
  } table[] = {
      {R"("rows", "of": "iterations", "if": "iteration < 100", "value": "end_s - start_s", "take": "percentile",
          "percent": 1)",
       0.01},
      {R"("rows", "of": "iterations", "if": "iteration < 100", "value": "end_s", "take": "percentile", "percent": 99)",
       0.99},
      {R"("rows", "of": "iterations", "if": "iteration < 100", "percent_with": "end_s - start_s < 0.7")", 69},
      {R"("rows", "of": "iterations", "value": "train_loss")", 2},  // of the rows that have one
      {R"("rows", "of": "iterations", "value": "100 * train_accuracy", "if": "0.95 * 10000 <= iteration")", 75},
      {R"("rows", "of": "iterations", "value": "train_loss", "take": "least of workers")", 1},
      {R"("rows", "of": "iterations", "value": "train_loss", "take": "largest of workers")", 3},
      {R"("rows", "of": "iterations", "value": "iteration * iteration", "take": "mean of workers",
          "if": "iteration < 3")",
       1.5},  // 0 and 4 of w0, 1 of w1
      {R"("rows", "of": "requests", "where": {"exit": "w1"}, "percent_with": "correct = 1")", 75},
      {R"("rows", "of": "curve", "where": {"worker": "mean"}, "if": "test_accuracy >= 0.6",
          "value": "iteration * workers", "take": "first")",
       200},
      {R"("final_accuracy")", 70},
      {R"("final_accuracy", "evaluations": 3)", 60},  // without the start
      {R"("accuracy_after", "part": 0.1)", 50},
      {R"("fluctuation")", 0}};
  for (const auto& [reading, value] : table) {
    CAPTURE(reading);
    const JsonAt json = JsonAt::parsed("{\"read\": " + reading + "}", "here");
    CHECK(reading_of(json)(run).value() == doctest::Approx(value));
  }
  const JsonAt none = JsonAt::parsed(
      R"({"read": "rows", "of": "requests", "where": {"exit": "w2"}, "percent_with": "correct = 1"})", "here");
  CHECK_FALSE(reading_of(none)(run).has_value());
}

TEST_CASE("TF.AKO's P=1 is judged where n-1 models take the slowest link longer than n models the server's") {
  const Study study = read_study("ako_2018", {});
  Places computed;  // P=1 is below nowhere but there
  for (const Cell& cell : study.cells) {
    const TablePosition& place = cell.figures[0].place;
    if (place.table != "accuracy" || place.column != "P=1") continue;
    std::vector<double> rates;  // Mbit/s, the server's last
    const Json scenario = Json::parse(cell.scenario);
    for (const Json& link : scenario["platform"]["bandwidth"]) {
      rates.push_back(std::stod(link.get<std::string>()));
    }
    const double server = rates.back(), n = static_cast<double>(rates.size()) - 1;
    rates.pop_back();
    if ((n - 1) / (n * *std::ranges::min_element(rates)) > 1 / server) computed.insert(place);
  }
  CHECK(computed.size() == 4);
  const auto with_p1_below = [&](Outcome::Value& value) { value.simulated = computed.contains(value.place) ? 40 : 50; };
  CHECK(finding_of(study, "P=1 as computed", with_p1_below) == Finding::holds);
}

TEST_CASE("accuracies of Zhang et al. are in order if no two are reversed by more than a tie") {
  const Study study = read_study("zhang", {});
  const auto finding = [&](double all_reduce, double d_psgd, double ad_psgd) {
    return finding_of(study, "Table 1, ResNet-20", [&](Outcome::Value& value) {
      const std::string& system = value.place.column;
      value.simulated = system == "AllReduce" ? all_reduce : system == "D-PSGD" ? d_psgd : ad_psgd;
    });
  };
  CHECK(finding(90, 91, 92) == Finding::holds);
  CHECK(finding(90.4, 90.2, 90) == Finding::holds);  // reversed, by less than half a point in all
  CHECK(finding(90.6, 90.3, 90) == Finding::fails);  // each of two steps is less than half a point, both are not
  CHECK(finding(90, 92, 91) == Finding::fails);
}

// And in the weight of a gradient: a server takes a whole step of Adam for each.
TEST_CASE("the 48 cells of TF.AKO differ in network, workers and training system only") {
  const Study study = read_study("ako_2018", {});
  const scenario::Scenario first = scenario::parse_scenario(systems::built_in(), study.cells[0].scenario, "cell.json");
  int cells = 0;
  for (const Cell& cell : study.cells) {
    if (cell.figures[0].place.table != "accuracy") continue;
    scenario::Scenario scenario = scenario::parse_scenario(systems::built_in(), cell.scenario, "cell.json");
    scenario.platform = first.platform;
    scenario.algorithm = first.algorithm;
    scenario.training.gradient_scale = first.training.gradient_scale;
    CHECK(scenario::describe(scenario) == scenario::describe(first));
    ++cells;
  }
  CHECK(cells == 48);
}

TEST_CASE("IDDL's exits and classifiers are those of the source") {
  const DataFolder data;
  for (const bool full : {false, true}) {
    std::map<std::string, int> parameters;
    for (const Cell& cell : read_study("iddl", {.full = full, .data = data.path()}).cells) {
      if (!cell.name.starts_with("exits_")) continue;
      const auto scenario = scenario::parse_scenario(systems::built_in(), cell.scenario, data.path() + "/cell");
      const nn::Model model(scenario.model, Shape{3, 32, 32}, 10);
      parameters[cell.name] = static_cast<int>(model.parameter_count());
      const Json cuts = Json::parse(cell.scenario)["algorithm"]["cuts"];
      const auto values = [&](std::size_t exit) {  // of the 32 channels that an exit's dense layer reads
        const Shape shape = model.layers()[cuts[exit].get<std::size_t>() - 1]->output();
        return 32 * shape.height * shape.width;
      };
      CHECK(values(0) == (full ? 8192 : 2048));  // the small network halves height and width at once
      CHECK(values(1) == (full ? 2048 : 512));
    }
    CHECK(parameters.size() == 5);
    // Four of 128 inputs and ten outputs, and one of 40 inputs, in place of one of 512; all with biases.
    const int more = parameters["exits_own_classifiers"] - parameters["exits_grouped"];
    CHECK(more == 4 * (128 * 10 + 10) + 40 * 10 + 10 - (512 * 10 + 10));
  }
}

TEST_CASE("networks between the default and the full size have the parameters and operations that the pages name") {
  const DataFolder data;
  const auto operations = [](const nn::Model& model) { return nn::total_of(nn::layer_table(model)).operations; };
  const nn::Model resnet20({"resnet20", {}}, Shape{3, 32, 32}, 10);
  std::set<std::size_t> found;
  for (const char* name : {"cui_2019", "zhang"}) {
    for (const Cell& cell : read_study(name, {.full = false, .data = data.path()}).cells) {
      if (Json::parse(cell.scenario)["model"] == "none") continue;
      const auto scenario = scenario::parse_scenario(systems::built_in(), cell.scenario, data.path() + "/cell");
      const nn::Model model(scenario.model, Shape{3, 32, 32}, 10);
      if (!found.insert(model.parameter_count()).second || model.parameter_count() != resnet20.parameter_count())
        continue;
      CHECK(operations(model) == doctest::Approx(operations(resnet20) / 4).epsilon(0.001));
    }
  }
  // Convolutions of 3x3 over 3, 16, 32 and 64 channels, 2x2x128 values into ten outputs; biases, or two per filter.
  const std::size_t weights = 9 * (3 * 16 + 16 * 32 + 32 * 64 + 64 * 128) + 512 * 10 + 10, filters = 16 + 32 + 64 + 128;
  CHECK(found == std::set<std::size_t>{weights + filters, weights + 2 * filters, resnet20.parameter_count()});
}

// Two steps each by one seed, without the cells that only take time.
TEST_CASE("what learns from images in files is run, and every figure of accuracy is there") {
  const DataFolder data;
  const data::ScratchFolder results;
  for (const char* name : {"cui_2019", "zhang", "iddl"}) {
    Study study = read_study(name, {.full = false, .data = data.path()});
    std::erase_if(study.cells, [](const Cell& cell) {
      const Json json = Json::parse(cell.scenario);
      const Json source = json.value("data", Json::object());
      return json["model"] == "none" || source.value("source", "") != "cifar-10" || json["model"].is_string();
    });
    for (Cell& cell : study.cells) {
      Json json = Json::parse(cell.scenario);
      json["data"]["train"] = json["data"]["test"] = 48;
      json["training"]["batch_size"] = 2;
      json["stop"] = {{"iterations", 2}};
      json["evaluate"] = {{"every_iterations", 1}, {"samples", 4}};
      if (json["algorithm"].contains("serving")) json["algorithm"]["serving"]["requests"] = 5;
      cell.scenario = json.dump();
      cell.seeds = {1};
    }
    StudyOptions options;
    options.out = results.path();
    int accuracies = 0;
    const Outcome outcome = run_study(systems::built_in(), study, options);
    for (const Outcome::Value& value : outcome.values()) {
      const bool is_accuracy = value.place.table.ends_with("accuracy") || value.place.row.back() == "test accuracy, %";
      accuracies += is_accuracy ? 1 : 0;
      CHECK((!is_accuracy || value.simulated.has_value()));
    }
    CHECK(accuracies >= 3);
  }
}

}  // namespace ddl::studies::studies_test
