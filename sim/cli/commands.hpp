// The commands, with the systems of this program and their parsed arguments. All throw only exceptions that
// report_error handles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/jobs/expect/expect.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::cli {

struct RunSettings {
  std::vector<std::string> scenarios;
  std::vector<scenario::Override> overrides;
  std::vector<std::uint64_t> seeds;  // empty: each scenario's own
  std::string out = "results";
  int threads = 0;  // 0: all cores
  bool json = false, quiet = false, force = false;
  bool trace = false;               // as record.trace
  std::string verify;               // a result folder, to be repeated instead
  std::optional<std::string> live;  // the file that evaluations go to as they happen, "-": stdout, with nothing else
};

// Reads all scenarios and checks all result folders before the first run starts.
void run_scenarios(const Registry& systems, const RunSettings& settings);

// Repeats the run of a result folder from its run.json and says whether it is the same, or what differs first (exit
// code 1). A scenario, if given, only determines where relative paths start; of overrides data.path alone may be one.
// Writes nothing.
int verify_digest(const Registry& systems, const RunSettings& settings);

// The kind of a file, by its text.
enum class FileKind { scenario, sweep, schema };
FileKind kind_of(const std::string& text);

// JSON is an object for a scenario, of several a list, and nothing else; with the bounds alone no step is simulated.
enum class CheckOutput { text, json, bounds_as_json };

// Prints the lower bounds of each scenario, how fast its models come together, and what a run may cost; of sweeps how
// many runs they are. JSON Schemas, which lie beside scenarios, are named as such. `programs`: whether those that
// scenarios name are started, and libraries opened.
void check_scenarios(const Registry& systems, const std::vector<std::string>& files,
                     const std::vector<scenario::Override>& overrides, run::Programs programs, CheckOutput output);

// How fast averaging alone brings the models together, in lines of `width` letters; empty where a system does not
// average.
std::string consensus_text(const scenario::Scenario& scenario, std::size_t width, run::Programs programs);

// Prints a scenario with all defaults filled in, or a sweep with all its scenarios; or, of a path such as
// algorithm.ako, the keys there. With `output` a scenario goes into that file instead, and its paths start from there.
void describe(const Registry& systems, const std::string& what, const std::vector<scenario::Override>& overrides,
              run::Programs programs, const std::string& output);

struct NewSettings {
  std::string name = "ako";
  std::string file;                  // empty: stdout
  std::vector<std::string> iperf3;   // files, of the template measured
  std::vector<std::string> sites{};  // their hosts: see matrix_of_iperf3
};
// Writes a scenario to start from, and what it needs beside it; never over a file.
void write_new(NewSettings settings);
// Names of templates with their descriptions.
std::vector<std::pair<std::string, std::string>> template_list();

// Lists one kind ("algorithms", "models", ...; see catalogue_words), or everything.
void list_catalogue(const Registry& systems, const std::string& word);
// The same as JSON: {kind: [{"name", "what"}, ...]}, all kinds or one; systems with facts, presets, and keys as JSON
// Schema has them.
void list_as_json(const Registry& systems, const std::string& word);

// Prints the JSON Schema of a kind of file: "scenario" (also if empty) or "sweep".
void print_schema(const Registry& systems, const std::string& kind);
std::vector<std::string> catalogue_words();

struct ModelSettings {
  std::string model;  // a named model, or a scenario file
  std::vector<scenario::Override> overrides;
  std::string data;           // source of the samples; empty: what the named model was made for
  std::string mask;           // for its hidden layers; empty: their own
  std::optional<int> groups;  // for its convolutions; none: their own
  bool json = false;
};

// Prints a model layer by layer: shapes, parameters, what masks leave of them, operations, bytes.
void show_model(const Registry& systems, const ModelSettings& settings);

struct SweepSettings {
  std::string file;
  std::vector<scenario::Override> overrides;
  std::string out = "results";
  int jobs = 0;                     // parallel runs; 0: as many as cores, or as the cluster has room for
  std::string engine = "local";     // or "slurm"
  std::optional<std::size_t> task;  // this process is one task of a Slurm array
  std::string tuned;                // the file with the settings that tuning found; empty: "tune" is still to come
  bool dry_run = false, json = false, quiet = false;
  bool learn_each = false;          // replays nothing
  std::optional<std::string> live;  // see RunSettings
};

// Runs a grid of scenarios, and prints its table, or as JSON where its results are; or says what it would run. Failed
// runs are listed at the end (exit code 3).
int sweep(const Registry& systems, const SweepSettings& settings);

struct BatchSettings {
  int jobs = 0;  // parallel runs; 0: as many as cores
  bool trusted = false;
  bool finished_only = false;
};

// Runs jobs that are lines of JSON on the standard input, and answers with a line each (sim/jobs/batch/batch.hpp).
// kRunFailed if one failed, else kBadInput if one was refused.
int batch(const Registry& systems, const BatchSettings& settings);

struct ExpectSettings {
  jobs::ExpectRequest request;
  int jobs = 0;  // parallel runs; 0: as many as cores
  bool json = false, quiet = false;
  bool widen = false;
};

// Runs scenarios and prints how what they show fits what is expected of them; kNotAsExpected if something does not.
int expect(const Registry& systems, const ExpectSettings& settings);

// Reads all files; throws the errors of all of them together.
std::vector<scenario::Scenario> read_all(const Registry& systems, const std::vector<std::string>& files,
                                         const std::vector<scenario::Override>& overrides);

}  // namespace ddl::cli
