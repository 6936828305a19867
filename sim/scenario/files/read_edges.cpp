#include "sim/scenario/files/read_edges.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::json;

constexpr TextFile edges_file{"a CSV file", 16 << 20};
constexpr std::string_view unweighted = "from,to", weighted = "from,to,weight";

// None where there is something wrong.
Json edges_in(std::string_view text, const Place& place) {
  Json edges = Json::array();
  bool sound = true;
  std::size_t number = 0, cells_expected = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    const auto complain = [&](const std::string& what) {
      Place{place.findings, fmt::format("{}: line {}", place.path, number)}.error(what);
      sound = false;
    };
    const auto cells = split(line, ',');
    if (number == 1) {
      if (line != unweighted && line != weighted) {
        complain(fmt::format("{} is no header; expected {} or {}", in_quotes(line), in_quotes(unweighted),
                             in_quotes(weighted)));
        break;
      }
      cells_expected = cells.size();
      continue;
    }
    if (line.empty()) continue;
    if (cells.size() != cells_expected) {
      complain(fmt::format("has {}; expected {}, as the header has",
                           counted(static_cast<std::int64_t>(cells.size()), "cell"), cells_expected));
      continue;
    }
    if (cells.size() == 2) {
      edges.push_back(Json::array({std::string(cells[0]), std::string(cells[1])}));
      continue;
    }
    const auto weight = number_of(cells[2]);
    if (!weight || *weight <= 0 || *weight > 1) {
      complain(fmt::format("{} is no weight; expected a number above 0 and at most 1", in_quotes(cells[2])));
      continue;
    }
    edges.push_back({{"from", std::string(cells[0])}, {"to", std::string(cells[1])}, {"weight", *weight}});
  }
  if (sound && edges.empty()) place.error("has no edges; expected lines below its header");
  return sound ? edges : Json::array();
}

void read_edge_file(Json& graph, const std::string& file, const Place& place) {
  if (!graph.is_object() || !graph.contains("edges") || !graph["edges"].is_string()) return;
  const std::string name = graph["edges"];
  const std::string path = (std::filesystem::path(file).parent_path() / name).string();
  const Place here{place.findings, place.at("edges").path + ": " + in_quotes(path)};
  try {
    Json edges = edges_in(text_of_file(path, edges_file), here);
    if (!edges.empty()) graph["edges"] = std::move(edges);
  } catch (const InputError& error) {
    here.error(error.what());
  }
}

}  // namespace

void read_edge_files(Json& scenario, const std::string& file, Findings& findings) {
  if (!scenario.is_object() || !scenario.contains("algorithm") || !scenario["algorithm"].is_object()) return;
  Json& algorithm = scenario["algorithm"];
  if (!algorithm.contains("topology")) return;
  Json& topology = algorithm["topology"];
  const Place place{findings, "$.algorithm.topology"};
  read_edge_file(topology, file, place);
  if (!topology.is_array()) return;
  for (std::size_t i = 0; i < topology.size(); ++i) read_edge_file(topology[i], file, place.at(i));
}

}  // namespace ddl::scenario
