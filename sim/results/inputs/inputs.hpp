// What a run depends on beside its scenario's text, by content: wherever it lies, the same content gives the same run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::results {

struct FileDigest {
  std::string name;  // without its folder
  std::string digest;
  bool operator==(const FileDigest&) const = default;
};

struct Inputs {
  std::string platform;          // as a platform file: its text as it was read, or that of what is generated
  std::string platform_digest;   // of that text
  std::vector<FileDigest> data;  // of each data file, in the order in which they are read; none of generated data
};

// Reads the data files. Throws InputError, with the setting's path.
Inputs inputs_of(const scenario::Scenario& scenario);

// The same for many scenarios, reading each folder of data once.
class KnownInputs {
 public:
  const Inputs& of(const scenario::Scenario& scenario);

 private:
  Inputs latest_;
  std::map<std::string, std::vector<FileDigest>> data_;  // by source and folder
};

// Of all files together.
std::string digest_of(const std::vector<FileDigest>& files);
std::string digest_of_text(const std::string& text);

}  // namespace ddl::results
