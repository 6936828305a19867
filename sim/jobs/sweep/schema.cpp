#include <nlohmann/json.hpp>

#include "sim/jobs/sweep/sweep.hpp"
#include "sim/scenario/reading/json_text.hpp"

namespace ddl::jobs {

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
  Json properties;
  properties["$schema"] = with("where editors find this schema", {{"type", "string"}});
  properties["name"] = with("folder of its results; default: the file's name", {{"type", "string"}});
  properties["description"] = with("one line for readers", {{"type", "string"}});
  properties["base"] = with("the scenario that is varied: a file, relative to this one, or in braces",
                            {{"type", Json::array({"string", "object"})}});
  properties["set"] = with("paths and values, set in every run", {{"type", "object"}});
  properties["vary"] = with("paths and lists of values; every value meets every value of the others", lists);
  properties["zip"] = with("objects of paths and lists of values that go in step", {{"type", "array"}, {"items", zip}});
  properties["seeds"] = with("one run of everything for each; default: the base's",
                             {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", seed}});
  const Json over = {{"type", "object"}, {"additionalProperties", {{"type", "array"}}}};
  const Json target = {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}};
  const Json count = {{"type", "integer"}, {"minimum", 1}, {"maximum", 64}};
  properties["tune"] = with(
      "every point is tuned first, over seeds for that alone",
      {{"type", "object"},
       {"properties",
        {{"over", with("paths and values to try; an empty list, of the learning rate: about the scenario's own", over)},
         {"target", with("soonest at this accuracy; default: the best accuracy at the end", target)},
         {"seeds", with("most seeds of a setting; default 4", count)}}},
       {"additionalProperties", false}});
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
