#include "core/data/folder.hpp"

#include "core/base/check.hpp"

namespace ddl::data {

std::filesystem::path data_folder(const DataSpec& spec) {
  const std::string source(name_of(spec.source));
  if (spec.path.empty()) throw InputError("data.path is not given; expected the folder of the " + source + " files");
  std::error_code error;
  if (!std::filesystem::is_directory(spec.path, error)) {
    throw InputError(spec.path + ": no such folder; expected the folder of the " + source + " files");
  }
  return spec.path;
}

std::size_t samples_used(const std::string& where, const char* key, const std::optional<std::int64_t>& wanted,
                         std::size_t available) {
  if (!wanted) return available;
  const auto count = static_cast<std::size_t>(*wanted);
  if (count > available) {
    throw InputError(where + ": holds " + std::to_string(available) + " samples; data." + key + " asks for " +
                     std::to_string(count));
  }
  return count;
}

}  // namespace ddl::data
