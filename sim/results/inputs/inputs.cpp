#include "sim/results/inputs/inputs.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"
#include "core/data/data_files.hpp"
#include "sim/platform/layout.hpp"
#include "sim/platform/platform_text.hpp"

namespace ddl::results {
namespace {

FileDigest digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("data.path: " + path + ": cannot be read");
  Digest digest;
  std::array<char, 1 << 16> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    digest.add(std::string_view(buffer.data(), static_cast<std::size_t>(file.gcount())));
  }
  return {std::filesystem::path(path).filename().string(), digest.hex()};
}

// Without them a run is none either, and says why.
std::vector<FileDigest> data_of(const scenario::Scenario& scenario) {
  std::vector<FileDigest> digests;
  if (scenario.model.none()) return digests;
  try {
    for (const std::string& path : data::data_files(resolved_data(scenario))) digests.push_back(digest_of_file(path));
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with("data.") ? text : "data.path: " + text);
  }
  return digests;
}

std::string platform_of(const scenario::Scenario& scenario) {
  const auto* file = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts);
  return file != nullptr ? platform::file_text(scenario, *file).text
                         : platform::platform_xml(std::get<scenario::GeneratedPlatform>(scenario.platform.hosts));
}

}  // namespace

Inputs inputs_of(const scenario::Scenario& scenario) {
  Inputs inputs;
  inputs.platform = platform_of(scenario);
  inputs.platform_digest = digest_of_text(inputs.platform);
  inputs.data = data_of(scenario);
  return inputs;
}

const Inputs& KnownInputs::of(const scenario::Scenario& scenario) {
  latest_.platform = platform_of(scenario);
  latest_.platform_digest = digest_of_text(latest_.platform);
  const std::string key = std::to_string(static_cast<int>(scenario.data.source)) + (scenario.model.none() ? "n" : "y") +
                          resolved_data(scenario).path;
  auto known = data_.find(key);
  if (known == data_.end()) known = data_.emplace(key, data_of(scenario)).first;
  latest_.data = known->second;
  return latest_;
}

std::string digest_of(const std::vector<FileDigest>& files) {
  Digest digest;
  for (const FileDigest& file : files) digest.add(file.name + " " + file.digest + "\n");
  return digest.hex();
}

std::string digest_of_text(const std::string& text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

}  // namespace ddl::results
