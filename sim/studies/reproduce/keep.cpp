#include "sim/studies/reproduce/keep.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/digest.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::studies {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

std::optional<Readings> readings_in(const Json& list, std::size_t count) {
  if (!list.is_array() || list.size() != count) return std::nullopt;
  Readings readings;
  for (const Json& value : list) {
    if (!value.is_null() && !value.is_number()) return std::nullopt;
    readings.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return readings;
}

Json json_of(const Readings& readings) {
  Json list = Json::array();
  for (const auto& value : readings) list.push_back(value ? Json(*value) : Json());
  return list;
}

}  // namespace

std::string kept_file(const std::string& folder, const scenario::Scenario& scenario, const std::string& program) {
  Digest digest;
  digest.add(scenario::describe(scenario));
  digest.add(program);
  return (fs::path(folder) / (digest.hex() + ".json")).string();
}

void keep(const std::string& file, const scenario::Scenario& scenario, const Readings& readings) {
  Json json;
  json["figures"] = json_of(readings);
  json["scenario"] = Json::parse(scenario::describe(scenario));
  results::write_whole(file, json.dump(2) + "\n");
}

std::optional<Readings> kept(const std::string& file, std::size_t count) {
  const Json json = Json::parse(results::content_of(file), nullptr, false);
  return json.is_object() && json.contains("figures") ? readings_in(json["figures"], count) : std::nullopt;
}

std::string to_text(const Readings& readings) { return json_of(readings).dump(); }

std::optional<Readings> from_text(const std::string& text, std::size_t count) {
  return readings_in(Json::parse(text, nullptr, false), count);
}

}  // namespace ddl::studies
