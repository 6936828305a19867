#include "sim/results/identity/run_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"
#include "core/data/dataset.hpp"
#include "core/nn/kernels/blas.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/external/model.hpp"
#include "sim/platform/layout.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/scenario/data_problem.hpp"
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
  if (file != nullptr) return platform::file_text(scenario, *file).text;
  return platform_xml(platform::layout_of(scenario.platform));
}

// The program stays as it is while it runs: digested once, also for forked children.
const ProgramIdentity& this_program() {
  static const ProgramIdentity once = {.version = DDLSIM_VERSION,
                                       .build = digest_of_file("/proc/self/exe").value_or(""),
                                       .simgrid = DDLSIM_SIMGRID_VERSION,
                                       .plug_ins = {}};
  return once;
}

// Adds one, under a name that no other has.
void add_file(std::vector<FileDigest>& files, FileDigest file) {
  const std::string name = file.name;
  const auto has_name = [&](const FileDigest& other) { return other.name == file.name; };
  for (int number = 2; std::ranges::any_of(files, has_name); ++number) file.name = fmt::format("{} ({})", name, number);
  files.push_back(std::move(file));
}

MathIdentity math_of(const scenario::Scenario& scenario) {
  const nn::MathMode math = nn::math_that_runs(scenario.math.mode);
  const bool native = math == nn::MathMode::native;
  return {std::string(name_of(math)), native ? nn::blas_kernels() : "own, the same bits on every CPU"};
}

}  // namespace

RunIdentity Identities::before_run(const scenario::Scenario& scenario) {
  RunIdentity identity{.scenario = scenario::describe_run(scenario),
                       .learns = !scenario.model.none() && !scenario.program};
  identity.platform = platform_of(scenario);
  identity.platform_digest = digest_of_text(identity.platform);
  identity.data = data_of(scenario);
  identity.program = this_program();
  identity.program.plug_ins = plug_ins_of(scenario.algorithm);
  identity.math = math_of(scenario);
  put_model(identity, scenario);
  return identity;
}

RunIdentity Identities::of(const scenario::Scenario& scenario) {
  RunIdentity identity = before_run(scenario);
  if (!scenario.program) return identity;
  const std::string key = scenario::program_folder(scenario) + "\n" + scenario::command_of(*scenario.program) + "\n" +
                          results::digest_of(identity.model);
  auto known = versions_.find(key);
  if (known == versions_.end()) {
    known = versions_.emplace(key, external::Model(scenario, 1).hello().model.version).first;
  }
  identity.model_version = known->second;
  return identity;
}

void Identities::put_model(RunIdentity& identity, const scenario::Scenario& scenario) {
  if (!scenario.program) return;
  for (const std::string& word : scenario.program->command) {
    identity.command.push_back(word);
    std::error_code unreadable;
    const std::string path = (std::filesystem::path(scenario::program_folder(scenario)) / word).string();
    if (word.empty() || !std::filesystem::is_regular_file(path, unreadable)) continue;
    add_file(identity.model, digest_of(path));
    identity.command.back() = identity.model.back().digest;
  }
}

// Like the program a library stays as it was opened, whatever becomes of its file.
std::vector<FileDigest> Identities::plug_ins_of(const systems::SystemChoice& algorithm) {
  const std::string& library = algorithm.among().library_of(algorithm->facts().name);
  if (library.empty()) return {};
  auto known = libraries_.find(library);
  if (known == libraries_.end()) known = libraries_.emplace(library, digest_of(library)).first;
  return {known->second};
}

const FileDigest& Identities::digest_of(const std::string& path) {
  const auto [known, fresh] = known_.try_emplace(path + ":" + version_of_file(path));
  if (fresh) {
    known->second = {std::filesystem::path(path).filename().string(), digest_of_file(path).value_or("")};
  }
  return known->second;
}

std::vector<FileDigest> Identities::data_of(const scenario::Scenario& scenario) {
  std::vector<FileDigest> digests;
  if (scenario.model.none() || scenario.program) return digests;
  const auto add = [&](const std::string& path, const char* key) {
    add_file(digests, digest_of(path));
    if (digests.back().digest.empty()) throw InputError(fmt::format("{}: {}: cannot be read", key, path));
  };
  for (const std::string& path : scenario::about_data([&] { return data::data_files(resolved_data(scenario)); })) {
    add(path, "$.data.path");
  }
  if (const auto* start = scenario.training.init.from_file()) {
    add(resolve_path(scenario, start->file), "$.training.init.file");
  }
  return digests;
}

std::string digest_of(const std::vector<FileDigest>& files) {
  Digest digest;
  for (const FileDigest& file : files) digest.add(file.digest + "\n");
  return digest.hex();
}

}  // namespace ddl::results
