#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/texts.hpp"

namespace ddl::scenario {
namespace {

TEST_CASE("describe prints a scenario that describes itself in the same words") {
  for (const std::string& text : styles()) {
    const std::string once = describe(parse(text));
    CAPTURE(once);
    CHECK(describe(parse(once)) == once);
  }
}

TEST_CASE("describe keeps every value that was given and spells out short forms") {
  const auto json = nlohmann::json::parse(describe(parse(styles()[1])));
  auto given = nlohmann::json::parse(styles()[1]);
  given.erase("$schema");
  given["platform"]["server_bandwidth"] = "100Mbps";  // the shorter of two equal texts
  given["platform"]["network"]["tcp_window"] = "0B";
  given["data"]["shuffle"] = false;
  for (const char* key : {"initial_weights", "batches", "draws"}) given["record"][key] = false;
  CHECK(json == given);
}

TEST_CASE("the rows of a matrix's sites are kept, pair by pair, so that the file may go") {
  const auto json = nlohmann::json::parse(describe(parse(R"({
    "platform": { "topology": "regions", "matrix": "platforms/ec2.csv", "sites": ["tokyo", "oregon"] },
    "algorithm": "alone", "stop": { "iterations": 1 } })")))["platform"];
  CHECK(!json.contains("matrix"));
  CHECK(json["sites"] == nlohmann::json{"tokyo", "oregon"});
  CHECK(json["workers_per_site"] == 1);
  const auto row = [](const char* from, const char* to, const char* rate, const char* latency) {
    return nlohmann::json{{"from", from}, {"to", to}, {"up", rate}, {"down", rate}, {"latency", latency}};
  };
  CHECK(json["links"] == nlohmann::json{row("tokyo", "tokyo", "2Gbps", "5ms"),
                                        row("oregon", "tokyo", "523Mbps", "48ms"),
                                        row("oregon", "oregon", "2Gbps", "5ms")});
}

TEST_CASE("the lines of measured connections are kept with their units") {
  const auto json = nlohmann::json::parse(describe(parse(R"({
    "platform": { "topology": "measured", "matrix": "platforms/ec2_connections.csv", "sites": ["tokyo", "oregon"],
                  "workers_per_site": [2, 3] },
    "algorithm": "alone", "stop": { "iterations": 1 } })")))["platform"];
  CHECK(!json.contains("matrix"));
  CHECK(json["workers_per_site"] == nlohmann::json{2, 3});
  const auto line = [](const char* from, const char* to, const char* rate, const char* rtt) {
    return nlohmann::json{{"from", from}, {"to", to}, {"rate", rate}, {"rtt", rtt}, {"streams", 16}};
  };
  CHECK(json["connections"] ==
        nlohmann::json{line("tokyo", "tokyo", "2Gbps", "10ms"), line("oregon", "tokyo", "861Mbps", "97ms"),
                       line("tokyo", "oregon", "523Mbps", "96ms"), line("oregon", "oregon", "2Gbps", "10ms")});
}

TEST_CASE("describe fills in defaults") {
  const auto json = nlohmann::json::parse(describe(parse(kSmall)));
  CHECK(json["name"] == "sample");
  CHECK(json["seed"] == 1);
  CHECK(json["platform"]["bandwidth"] == "40Mbps");
  CHECK(json["platform"]["latency"] == "100us");
  CHECK(json["platform"]["speed"] == "50Gf");
  CHECK(json["platform"]["network"]["model"] == "auto");
  CHECK(json["data"]["source"] == "synthetic");
  CHECK(json["training"]["optimizer"]["type"] == "sgd");
  CHECK(json["training"]["optimizer"]["schedule"]["type"] == "constant");
  CHECK(json["compute"]["jitter"] == 0.1);
  CHECK(json["algorithm"]["name"] == "ako");
  CHECK(json["algorithm"]["partitions"] == 1);
  CHECK(json["algorithm"]["schedule"] == "rotate");
  CHECK(json["evaluate"]["every_iterations"] == 10);
  CHECK(json["math"]["mode"] == "auto");
  CHECK_FALSE(json["wire"].contains("model_bytes"));
}

TEST_CASE("an empty list that is not the default is kept") {
  const auto thresholds = [](const std::string& given) {
    const std::string text = R"({"platform": {"workers": 2, "bandwidth": "8Mbps"}, "stop": {"iterations": 1},
                                 "algorithm": {"name": "early_exit")" +
                             given + "}}";
    return nlohmann::json::parse(describe(parse(text)))["algorithm"]["thresholds"];
  };
  CHECK(thresholds(R"(, "thresholds": [])") == nlohmann::json::array());
  CHECK(thresholds("") == nlohmann::json::array({0.5}));
}

TEST_CASE("describe prints keys in the order of the contract") {
  const auto json = nlohmann::ordered_json::parse(describe(parse(kSmall)));
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"name", "seed", "platform", "data", "model", "training", "compute", "wire",
                                         "algorithm", "stop", "evaluate", "record", "math"});
}

}  // namespace
}  // namespace ddl::scenario
