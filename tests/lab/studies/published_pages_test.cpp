// The pages in results/: what the program prints today of the figures in their tables, so that no page keeps a reason,
// a threshold or a note that the program has left. tests/renew writes them again, which needs no run.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "lab/studies/reading/read_study.hpp"
#include "lab/studies/report.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "tests/support/accepted.hpp"
#include "tests/support/files.hpp"

namespace ddl::studies::published_pages_test {
namespace {

struct Page {
  const char* name;
  const char* study;
  Scale scale;
  const char* command;
};

const std::vector<Page>& published() {
  static const std::vector<Page> pages = {
      {"cui_2019", "cui_2019", {}, "ddlsim reproduce cui_2019"},
      {"cui_2019_cifar", "cui_2019", {.full = false, .data = "/d"}, "ddlsim reproduce cui_2019 --data DIR"},
      {"zhang", "zhang", {}, "ddlsim reproduce zhang"},
      {"zhang_cifar", "zhang", {.full = false, .data = "/d"}, "ddlsim reproduce zhang --data DIR"},
      {"iddl", "iddl", {.full = false, .data = "/d"}, "ddlsim reproduce iddl --data DIR"},
      {"validation", "validation", {}, "ddlsim reproduce validation"},
      {"diloco_bandwidth", "diloco_bandwidth", {}, "ddlsim reproduce diloco_bandwidth"},
      {"collectives", "collectives", {}, "ddlsim reproduce collectives"},
      {"ako_2018_full", "ako_2018", {.full = true, .data = "/d"}, "ddlsim reproduce ako_2018 --full --data DIR"},
      {"ako_2018", "ako_2018", {}, "ddlsim reproduce ako_2018"}};
  return pages;
}

Study study_of(const Page& page) {
  Study study = read_study(page.study, page.scale);
  study.name = page.name;
  return study;
}

struct Figures {
  std::optional<double> published, simulated, half_width;
};

std::map<TablePosition, Figures> figures_of(const Study& study) {
  std::map<TablePosition, Figures> figures;
  for (const TableLayout& table : study.tables) {
    const std::string file = DDLSIM_SOURCE_DIR "/results/tables/" + study.name + "_" + table.name + ".csv";
    results::read_table(file, "", [&](const results::TableRow& row) {
      TablePosition place{table.name, {}, row.text(table.row.size())};
      for (std::size_t label = 0; label < table.row.size(); ++label) place.row.push_back(row.text(label));
      const std::size_t first = table.row.size() + 1;  // published, simulated, ratio, half width
      CHECK(row.columns().size() == first + 4);
      figures[place] = {row.number_if_any(first), row.number_if_any(first + 1), row.number_if_any(first + 3)};
    });
  }
  return figures;
}

// How the runs' messages were carried, which no table has.
std::vector<Outcome::Network> networks_of(const std::string& page) {
  std::vector<Outcome::Network> networks;
  const std::regex line(R"(\n- \*\*Network\.\*\* (.*) in ([0-9,]+) runs?\.(?=\n))");
  for (std::sregex_iterator found(page.begin(), page.end(), line), end; found != end; ++found) {
    std::string runs = (*found)[2];
    std::erase(runs, ',');
    networks.push_back({(*found)[1], std::stoul(runs)});
  }
  return networks;
}

// In the order in which the program has them. Every figure is asked for, and none that the study has not.
Outcome outcome_of(const Study& study, std::vector<Outcome::Network> networks) {
  const std::map<TablePosition, Figures> figures = figures_of(study);
  std::vector<Outcome::Value> values;
  for (Outcome::Value& value : study.places()) {
    const TablePosition& place = value.place;
    const auto found = figures.find(place);
    const bool is_there = found != figures.end();
    CHECK_MESSAGE(is_there, place.table, ": no figure of ", place.row.front(), ", ", place.column);
    if (!is_there) continue;
    value.published = found->second.published;
    value.simulated = found->second.simulated;
    value.half_width = found->second.half_width;
    values.push_back(value);
  }
  CHECK(values.size() == figures.size());
  return Outcome(std::move(values), std::move(networks));
}

}  // namespace

TEST_CASE("the published pages of studies are what the program prints of their tables") {
  for (const Page& page : published()) {
    CAPTURE(page.name);
    const std::string file = std::string("results/") + page.name + ".md";
    const Study study = study_of(page);
    const std::vector<Outcome::Network> networks = networks_of(text_of(DDLSIM_SOURCE_DIR "/" + file));
    CHECK_FALSE(networks.empty());
    const Outcome outcome = outcome_of(study, networks);
    const bool same = is_accepted(file, study_page(study, outcome, page.command));
    CHECK_MESSAGE(same, file, " is not what the program prints; tests/renew accepts it");
    const bool same_claims =
        is_accepted(std::string("results/tables/") + page.name + "_claims.csv", claims_csv(study, outcome));
    CHECK(same_claims);
  }
}

// A figure whose runs train at a system's best rate, and the table of rates that was read for it: by page, with the
// labels before the rate.
struct Tuned {
  const char* page;
  std::vector<std::string> figure;  // table, labels
  std::vector<std::string> rates;
};

TEST_CASE("a rate that a study calls a system's best is that of its table of rates") {
  const std::vector<std::string> learnt = {"learning", "literal", "test accuracy, %"};
  const std::vector<Tuned> all = {{"cui_2019", learnt, {"rates_accuracy"}},
                                  {"cui_2019_cifar", learnt, {"rates_accuracy"}},
                                  {"zhang_cifar", {"accuracy", "VGG", "1x"}, {"rates", "VGG"}}};
  for (const Tuned& tuned : all) {
    CAPTURE(tuned.page);
    const Study study = study_of(*std::ranges::find(published(), tuned.page, &Page::name));
    const auto in = [](const TablePosition& place, const std::vector<std::string>& labels) {
      return place.table == labels[0] && std::equal(labels.begin() + 1, labels.end(), place.row.begin());
    };
    std::map<std::string, std::pair<double, double>> best;  // by system: accuracy, rate
    for (const auto& [place, figure] : figures_of(study)) {
      if (!in(place, tuned.rates)) continue;
      best[place.column] = std::max(best[place.column], {figure.simulated.value(), std::stod(place.row.back())});
    }
    CHECK(best.size() == 3);
    for (const Cell& cell : study.cells) {
      for (const Figure& figure : cell.figures) {
        if (!in(figure.place, tuned.figure)) continue;
        CAPTURE(figure.place.column);
        const auto optimizer = nlohmann::json::parse(cell.scenario)["training"]["optimizer"];
        CHECK(optimizer["learning_rate"] == best.at(figure.place.column).second);
        best.erase(figure.place.column);
      }
    }
    CHECK(best.empty());
  }
}

}  // namespace ddl::studies::published_pages_test
