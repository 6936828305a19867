// From JSON text to a checked Scenario and back. Strict: whatever is not understood is an error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Everything that is wrong with one scenario, one line each: `FILE: $.json.path: what is wrong; what was expected`.
struct ScenarioErrors : std::runtime_error {
  explicit ScenarioErrors(std::vector<std::string> lines_);
  std::vector<std::string> lines;
};

// `PATH=VALUE` as given to --set: a path such as `algorithm.partitions` and a JSON value, or bare text for a string.
struct Override {
  std::string path;
  std::string value;
};

// Reads, overrides, checks, fills defaults; a scenario may choose among `systems`. Checks everything that needs neither
// SimGrid nor the data's contents: the model is built against the data's shape, the platform file and data folder must
// exist. Throws ScenarioErrors.
Scenario read_scenario(const Registry& systems, const std::string& file, const std::vector<Override>& overrides = {});
// The same from text; `file` is named in errors, and relative paths start from its folder.
Scenario parse_scenario(const Registry& systems, const std::string& text, const std::string& file,
                        const std::vector<Override>& overrides = {});

// The text of a file or pipe. Throws ScenarioErrors that say `what` was expected.
std::string scenario_text(const std::string& file, const char* what = "a scenario");

// The resolved scenario, every default filled in, as JSON: reading it again gives the same scenario.
std::string describe(const Scenario& scenario);
// The same without what is expected of its runs: all that decides a result.
std::string describe_run(const Scenario& scenario);

// The same as a flat object from path to value, in SI base units (bandwidths in bit/s); without what changes no result,
// the seed, and the paths of files. `effective`: every default filled in, as a run had them.
std::string settings_of(const Scenario& effective);

// One expectation as JSON, on one line.
std::string describe(const Expectation& expectation);

// The JSON Schema of scenario files (draft 2020-12).
std::string scenario_schema(const Registry& systems);

// A key, in words.
struct KeyRow {
  std::string key, value, by_default, meaning;
  bool required = false;
  bool has_keys = false;  // keys below it
};
// The keys of one object.
struct KeyTable {
  std::string path;  // ends in the object's word if there are several objects
  std::vector<KeyRow> keys;
};
// Tables of the keys at a path such as `platform`, `stop.time` or `algorithm.ako`, where a word stands for the object
// that it is short for: the objects' keys, or one key alone. More than a few objects come without their keys. Throws
// InputError.
std::vector<KeyTable> keys_at(const std::string& schema, const std::string& path);
// Every path that can be set, in order: "algorithm", "algorithm.partitions", ...
std::vector<std::string> key_paths(const Registry& systems);

}  // namespace ddl::scenario
