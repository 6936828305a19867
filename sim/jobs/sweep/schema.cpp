#include <nlohmann/json.hpp>

#include "sim/jobs/sweep/sweep.hpp"
#include "sim/scenario/reading/json_text.hpp"

namespace ddl::jobs {
namespace {

constexpr SweepKey keys_of_sweeps[] = {
    {"name", "folder of its results; default: the file's name", R"("bandwidths")"},
    {"description", "one line for readers", R"("what slow links cost")"},
    {"base", "the scenario that is varied: a file, relative to this one, or in braces", R"("mine.json")"},
    {"set", "paths and values, set in every run", R"({ "stop.time": "60s" })"},
    {"vary", "paths and lists of values; every value meets every value of the others",
     R"({ "platform.bandwidth": ["5Mbps", "40Mbps"], "algorithm": ["ps_async", "gossip"] })"},
    {"zip", "objects of paths and lists of values that go in step",
     R"([{ "platform.workers": [2, 4], "training.batch_size": [64, 32] }])"},
    {"seeds", "one run of everything for each: a range, or a list; default: the base's", R"("1..5")"},
    {"tune", "every point is tuned first, over seeds for that alone",
     R"({ "over": { "training.optimizer.learning_rate": [] }, "target": 0.8, "seeds": 4 })"},
};

}  // namespace

std::span<const SweepKey> sweep_keys() { return keys_of_sweeps; }

std::string sweep_schema() {
  using Json = nlohmann::ordered_json;
  const Json lists = {{"type", "object"},
                      {"additionalProperties", {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}}}};
  const auto with = [](const char* description, const Json& schema) {
    Json result = {{"description", description}};
    result.update(schema);
    return result;
  };
  Json zip = lists;
  zip["minProperties"] = 1;
  zip["additionalProperties"].erase("uniqueItems");
  const Json seed = {{"type", "integer"}, {"minimum", 0}};
  const Json seeds = {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", seed}};
  const Json range = {{"type", "string"}, {"pattern", "^[0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*$"}};
  const Json over = {{"type", "object"}, {"additionalProperties", {{"type", "array"}}}};
  const Json target = {{"type", "number"}, {"exclusiveMinimum", 0}};
  const Json count = {{"type", "integer"}, {"minimum", 1}, {"maximum", 64}};
  const Json tune = {
      {"type", "object"},
      {"properties",
       {{"over", with("paths and values to try; an empty list, of the learning rate: about the scenario's own", over)},
        {"target", with("soonest at this value of evaluate.metric; default: the best at the end", target)},
        {"seeds", with("most seeds of a setting; default 4", count)}}},
      {"additionalProperties", false}};
  const Json text = {{"type", "string"}};
  const Json values = {{"name", text},
                       {"description", text},
                       {"base", {{"type", Json::array({"string", "object"})}}},
                       {"set", {{"type", "object"}}},
                       {"vary", lists},
                       {"zip", {{"type", "array"}, {"items", zip}}},
                       {"seeds", {{"oneOf", Json::array({seeds, range})}}},
                       {"tune", tune}};
  Json properties = {{"$schema", with("where editors find this schema", text)}};
  for (const SweepKey& row : sweep_keys()) {
    properties[row.key] = with(row.meaning, values.at(row.key));
    properties[row.key]["examples"] = Json::array({Json::parse(row.example)});
  }
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "ddlsim sweep"},
                 {"description", "A grid of scenarios."},
                 {"type", "object"},
                 {"properties", properties},
                 {"required", Json::array({"base"})},
                 {"additionalProperties", false}};
  return scenario::layout(schema);
}

}  // namespace ddl::jobs
