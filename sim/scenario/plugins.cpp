#include "sim/scenario/plugins.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include "core/base/check.hpp"
#include "core/systems/plugin.hpp"

namespace ddl::scenario {
namespace {

constexpr const char* entry = "ddlsim_plugin_v1";

void expect_alike(const char* theirs, const char* ours, const std::string& library) {
  if (std::string_view(theirs) == ours) return;
  throw InputError(library + ": was built for another program (" + theirs + "; this one: " + ours +
                   "); expected a build with the headers and the compiler of this program");
}

}  // namespace

void open_plugin(Registry& systems, const std::string& path) {
  std::error_code error;
  const std::string library = std::filesystem::canonical(path, error).string();
  if (error) throw InputError(path + ": cannot be read; expected a library of training systems");
  if (systems.has_library(library)) return;
  // dlopen would search a path without a slash elsewhere; a canonical one has a slash.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError(path + ": is no library that can be opened: " + dlerror());
  const auto plugin_of = reinterpret_cast<const ddlsim_plugin* (*)()>(dlsym(handle, entry));
  if (plugin_of == nullptr) {
    throw InputError(path + ": has no " + entry + "; expected a library of training systems of this version");
  }
  try {
    const ddlsim_plugin& plugin = *plugin_of();
    expect_alike(plugin.compiler, DDLSIM_COMPILER, path);
    expect_alike(plugin.headers, DDLSIM_HEADERS, path);
    systems.add_from(library, plugin.add_systems);
  } catch (const InputError& problem) {
    const std::string what = problem.what();
    throw InputError(what.starts_with(path) ? what : path + ": " + what);
  } catch (const std::exception& problem) {
    throw InputError(path + ": its systems cannot be made: " + problem.what());
  }
}

}  // namespace ddl::scenario
