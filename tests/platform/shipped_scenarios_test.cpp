// The shipped comparisons are fair: within the 4 x 15 only the compared settings differ.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/systems/table.hpp"

using nlohmann::json;

namespace {

const std::string folder = std::string(DDLSIM_SOURCE_DIR) + "/scenarios/";
const std::vector<std::string> networks = {"uniform_lan", "het_lan", "uniform_wan", "het_wan"};
const std::vector<std::string> algorithms = {"single",    "alone",  "ps_async", "ps_sync",     "ako_p1",
                                             "ako_p2",    "ako_p3", "ako_p4",   "ako_various", "ako_adaptive",
                                             "tf_ako_p4", "gossip", "d_psgd",   "ad_psgd",     "ring_allreduce"};

json parsed(const std::string& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  return json::parse(file, nullptr, true, true);
}

}  // namespace

TEST_CASE("there are four networks by fifteen schemes, and the folder has no others of these networks") {
  std::set<std::string> expected, found;
  for (const std::string& network : networks) {
    for (const std::string& algorithm : algorithms) expected.insert(network + "_" + algorithm);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) found.insert(entry.path().stem().string());
  }
  CHECK(found == expected);
}

TEST_CASE("the shipped scenarios differ in platform file, algorithm, name, description and what is expected only") {
  const json first = parsed(folder + "uniform_lan_ps_async.json");
  for (const std::string& network : networks) {
    for (const std::string& algorithm : algorithms) {
      json scenario = parsed(folder + network + "_" + algorithm + ".json");
      CHECK(scenario["name"] == network + "_" + algorithm);
      CHECK(scenario["platform"]["file"] == "../platforms/" + network + ".xml");
      CHECK(std::filesystem::exists(folder + scenario["platform"]["file"].get<std::string>()));
      scenario.erase("expect");
      for (const char* key : {"name", "description", "algorithm"}) {
        CHECK(scenario.contains(key));
        scenario[key] = first[key];
      }
      scenario["platform"]["file"] = first["platform"]["file"];
      CHECK_MESSAGE(scenario == first, network, " ", algorithm);
    }
  }
}

TEST_CASE("one training system has one algorithm block on all networks, but for the partitions of `various`") {
  for (const std::string& algorithm : algorithms) {
    std::map<std::string, json> blocks;
    for (const std::string& network : networks) {
      blocks[network] = parsed(folder + network + "_" + algorithm + ".json")["algorithm"];
    }
    CHECK(blocks["uniform_lan"] == blocks["uniform_wan"]);
    CHECK(blocks["het_lan"] == blocks["het_wan"]);
    if (algorithm != "ako_various") CHECK(blocks["uniform_lan"] == blocks["het_lan"]);
  }
}

TEST_CASE("the shipped scenarios are TF.AKO's network on the wire and its compute time, with jitter") {
  const json scenario = parsed(folder + "het_wan_ako_p3.json");
  CHECK(scenario["wire"]["model_bytes"] == "17053736B");  // 4,263,434 floats
  CHECK(scenario["compute"]["seconds_per_batch"] == "340ms");
  CHECK(scenario["compute"]["jitter"] == 0.1);
  CHECK(scenario["algorithm"] == json{{"name", "ako"}, {"partitions", 3}, {"overflow", "merge"}});
}

TEST_CASE("the shipped scenarios train what docs/task.md was measured with") {
  const json scenario = parsed(folder + "het_wan_ako_p3.json");
  CHECK(scenario["data"] == json{{"source", "synthetic"}, {"train", 16000}});
  CHECK(scenario["model"] == "mlp");
  CHECK(scenario["training"] == json{{"batch_size", 8}, {"optimizer", {{"type", "sgd"}, {"learning_rate", 0.1}}}});
  CHECK(scenario["stop"] == json{{"time", "2400s"}});
  CHECK(scenario["evaluate"]["every"] == "20s");
}

TEST_CASE("every shipped scenario of Ako says whether computing waits for the network") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json" || entry.path().string().ends_with(".schema.json")) continue;
    const json file = parsed(entry.path().string());
    std::vector<json> algorithms_of_file = {file.value("algorithm", json())};
    if (const json vary = file.value("vary", json()); vary.is_object() && vary.contains("algorithm")) {
      for (const json& algorithm : vary["algorithm"]) algorithms_of_file.push_back(algorithm);
    }
    for (const json& algorithm : algorithms_of_file) {
      CHECK_MESSAGE(algorithm != "ako", entry.path().string());
      if (algorithm.is_object() && algorithm["name"] == "ako") {
        CHECK_MESSAGE(algorithm.contains("overflow"), entry.path().string());
      }
    }
  }
}

TEST_CASE("the smoke scenarios have every training system and every generated topology") {
  std::set<std::string> names, topologies, modes;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "smoke")) {
    const json scenario = parsed(entry.path().string());
    CHECK(scenario["name"] == "smoke_" + entry.path().stem().string());
    const json& algorithm = scenario["algorithm"];
    names.insert(algorithm["name"].get<std::string>());
    if (algorithm.contains("mode")) modes.insert(algorithm["mode"].get<std::string>());
    topologies.insert(scenario["platform"].value("topology", "sites"));
  }
  std::set<std::string> known;
  for (const auto& system : ddl::systems::built_in()) known.insert(system->facts().name);
  CHECK(names == known);
  CHECK(modes == std::set<std::string>{"pull", "push", "pair"});
  CHECK(topologies == std::set<std::string>{"star", "mesh", "ring", "two_sites", "regions", "measured", "sites"});
}
