#include "sim/results/identity/identity_json.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<FileDigest>& files) {
  auto json = Json::object();
  for (const FileDigest& file : files) json[file.name] = file.digest;
  return json;
}

}  // namespace

Json identity_json(const RunIdentity& identity) {
  const ProgramIdentity& program = identity.program;
  Json provenance = {
      {"program", "ddlsim"}, {"version", program.version}, {"build", program.build}, {"simgrid", program.simgrid}};
  if (!program.plug_ins.empty()) provenance["plug_ins"] = json_of(program.plug_ins);
  provenance["math_mode"] = identity.math.mode;
  provenance["math_kernels"] = identity.math.kernels;
  Json json = {{"schema_version", result_schema_version},
               {"scenario", Json::parse(identity.scenario)},
               {"provenance", provenance},
               {"platform_digest", identity.platform_digest},
               {"data_digests", json_of(identity.data)}};
  if (!json["scenario"]["model"].is_object() || !json["scenario"]["model"].contains("command")) return json;
  json["model_digests"] = json_of(identity.model);
  json["model_version"] = identity.model_version ? Json(*identity.model_version) : Json();
  return json;
}

}  // namespace ddl::results
