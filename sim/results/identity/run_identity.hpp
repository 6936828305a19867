// Identity of a run, by content: two runs of one identity have one result, wherever their files lie.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::results {

struct FileDigest {
  std::string name;  // without its folder
  std::string digest;
  bool operator==(const FileDigest&) const = default;
};

struct ProgramIdentity {
  std::string version;
  std::string build;    // digest of the executable
  std::string simgrid;  // version
  std::vector<FileDigest> plug_ins;
};

struct MathIdentity {
  std::string mode;     // the one that runs here, also where the scenario says `auto`
  std::string kernels;  // native math: the library and its kernels for this CPU, which decide the last bits
};

struct RunIdentity {
  std::string scenario;       // resolved, as JSON text
  bool learns = true;         // here; false: timing only, or a program's mathematics, the same with any of ours
  std::string platform = {};  // as a platform file: its text as it was read, or that of what is generated
  std::string platform_digest = {};
  std::vector<FileDigest> data{};  // each data file, in the order in which they are read; none of generated data
  ProgramIdentity program = {};
  MathIdentity math = {};
  // Model computed by a program of the user's: the files that its command names, and what the program says of itself,
  // if it has been asked.
  std::vector<FileDigest> model{};
  std::vector<std::string> command{};  // likewise: the command's words, those that name files as their digests
  std::optional<std::string> model_version{};
};

// Makes identities. A data file is digested once, and again if it has changed.
class Identities {
 public:
  // To be called before the run reads its files: they may change meanwhile. Throws InputError, with the setting's path.
  RunIdentity before_run(const scenario::Scenario& scenario);
  // The same to compare with what there is: starts the program that computes the model, if one does, to ask for its
  // version, once for all seeds.
  RunIdentity of(const scenario::Scenario& scenario);

 private:
  std::vector<FileDigest> data_of(const scenario::Scenario& scenario);
  // Its files and the command.
  void put_model(RunIdentity& identity, const scenario::Scenario& scenario);
  // The library that the system came from.
  std::vector<FileDigest> plug_ins_of(const systems::SystemChoice& algorithm);
  const FileDigest& digest_of(const std::string& path);  // its digest is empty if it cannot be read

  std::map<std::string, FileDigest> known_;      // by path and version of the file
  std::map<std::string, FileDigest> libraries_;  // by path
  std::map<std::string, std::string> versions_;  // programs', by folder, command and digests
};

// One digest of all files: of their content, in order.
std::string digest_of(const std::vector<FileDigest>& files);

}  // namespace ddl::results
