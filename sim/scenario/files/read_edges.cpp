#include "sim/scenario/files/read_edges.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/scenario/files/headed_table.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr TextFile edges_file{"a CSV file", 16 << 20};
// Throws InputError without the file's name.
Json edges_in(std::string_view text) {
  Json edges = Json::array();
  HeadedTable rows(text, {"from,to", "from,to,weight"});
  while (rows.next()) {
    if (rows.columns() == 2) {
      edges.push_back(Json::array({rows.text(0), rows.text(1)}));
      continue;
    }
    const auto weight = rows.number(2);
    if (!weight || *weight <= 0 || *weight > 1) rows.refuse("has no weight; expected a number above 0 and at most 1");
    edges.push_back({{"from", rows.text(0)}, {"to", rows.text(1)}, {"weight", *weight}});
  }
  if (edges.empty()) throw InputError("has no edges; expected lines below its header");
  return edges;
}

void read_edge_file(Json& graph, const std::string& file, const Place& place) {
  if (!graph.is_object() || !graph.contains("edges") || !graph["edges"].is_string()) return;
  const std::string name = graph["edges"];
  const std::string path = (std::filesystem::path(file).parent_path() / name).string();
  const Place here{place.findings, place.at("edges").path + ": " + in_quotes(path)};
  try {
    graph["edges"] = edges_in(text_of_file(path, edges_file));
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
