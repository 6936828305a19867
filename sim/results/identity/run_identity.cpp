#include "sim/results/identity/run_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/kernels/blas.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/platform/layout.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::results {
namespace {

std::string digest_of_text(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

// Nothing if it cannot be read.
std::optional<std::string> digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  Digest digest;
  std::array<char, 1 << 16> buffer{};
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    digest.add(std::string_view(buffer.data(), static_cast<std::size_t>(file.gcount())));
  }
  return digest.hex();
}

// Tells a file from what it was before it was written or replaced.
std::string version_of_file(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return "";
  return fmt::format("{}:{}:{}:{}.{:09}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec);
}

std::string platform_of(const scenario::Scenario& scenario) {
  const auto* file = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts);
  return file != nullptr ? platform::file_text(scenario, *file).text : platform::platform_xml(scenario.platform);
}

// The program stays as it is while it runs: digested once, also for forked children.
const ProgramIdentity& this_program() {
  static const ProgramIdentity once = {.version = DDLSIM_VERSION,
                                       .build = digest_of_file("/proc/self/exe").value_or(""),
                                       .simgrid = DDLSIM_SIMGRID_VERSION,
                                       .plug_ins = {}};
  return once;
}

MathIdentity math_of(const scenario::Scenario& scenario) {
  const nn::MathMode math = nn::math_that_runs(scenario.math.mode);
  const bool native = math == nn::MathMode::native;
  return {std::string(name_of(math)), native ? nn::blas_kernels() : "own, the same bits on every CPU"};
}

}  // namespace

RunIdentity Identities::of(const scenario::Scenario& scenario) {
  RunIdentity identity{.scenario = scenario::describe_run(scenario), .learns = !scenario.model.none()};
  identity.platform = platform_of(scenario);
  identity.platform_digest = digest_of_text(identity.platform);
  identity.data = data_of(scenario);
  identity.program = this_program();
  identity.math = math_of(scenario);
  return identity;
}

std::vector<FileDigest> Identities::data_of(const scenario::Scenario& scenario) {
  std::vector<FileDigest> digests;
  if (scenario.model.none()) return digests;
  try {
    for (const std::string& path : data::data_files(resolved_data(scenario))) {
      const auto [known, fresh] = known_.try_emplace(path + ":" + version_of_file(path));
      if (fresh) {
        const auto digest = digest_of_file(path);
        if (!digest) {
          known_.erase(known);
          throw InputError("data.path: " + path + ": cannot be read");
        }
        known->second = {std::filesystem::path(path).filename().string(), *digest};
      }
      digests.push_back(known->second);
    }
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with("data.") ? text : "data.path: " + text);
  }
  return digests;
}

std::string digest_of(const std::vector<FileDigest>& files) {
  Digest digest;
  for (const FileDigest& file : files) digest.add(file.name + " " + file.digest + "\n");
  return digest.hex();
}

}  // namespace ddl::results
