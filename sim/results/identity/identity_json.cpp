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

Keys identity_keys(const RunIdentity& identity) {
  const ProgramIdentity& program = identity.program;
  const bool is_programs = !identity.command.empty();  // a program computes the model
  return {
      {"schema_version", "", "version of these files; raised when their readers must know", result_schema_version},
      {"scenario", "",
       "the resolved scenario, every default filled in, as a scenario file; relative paths start where the scenario "
       "lay; the platform is platform.xml beside it",
       Json::parse(identity.scenario, nullptr, false)},
      {"provenance.program", "", "the program's name, ddlsim", "ddlsim"},
      {"provenance.version", "", "version of the program", program.version},
      {"provenance.build", "", "digest of the executable, 16 hexadecimal digits", program.build},
      {"provenance.simgrid", "", "version of SimGrid it was built with", program.simgrid},
      {"provenance.plug_ins", "", "digest of the library that the system came from, by its name; absent without one",
       program.plug_ins.empty() ? left_out() : json_of(program.plug_ins)},
      {"provenance.math_mode", "",
       "mode that ran, also where the scenario says auto; portable: the same bits on every machine; native: another "
       "kind of CPU may differ in the last bits",
       identity.math.mode},
      {"provenance.math_kernels", "",
       "what formed the matrix products; when native, the library and its kernels for this CPU", identity.math.kernels},
      {"platform_digest", "", "digest of platform.xml", identity.platform_digest},
      {"data_digests", "", "digest of each data file, by its name", json_of(identity.data)},
      {"model_digests", "",
       "of a model that a program computes: digest of each file that its command names, by its name",
       is_programs ? json_of(identity.model) : left_out()},
      {"model_version", "", "likewise: what the program says of itself",
       is_programs ? or_null(identity.model_version) : left_out()},
  };
}

}  // namespace ddl::results
