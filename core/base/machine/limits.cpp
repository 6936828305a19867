#include "core/base/machine/limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <new>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"

namespace ddl {
namespace {

// A limit as set by the shell's ulimit.
struct Limit {
  decltype(RLIMIT_AS) resource;
  const char* option;
  std::int64_t unit;
  const char* unit_name;  // a noun to be counted, or kB
};

constexpr std::int64_t kilobyte = 1024;
constexpr Limit address_space{RLIMIT_AS, "-v", kilobyte, "kB"}, data_segment{RLIMIT_DATA, "-d", kilobyte, "kB"},
    file_size{RLIMIT_FSIZE, "-f", kilobyte, "kB"}, open_files{RLIMIT_NOFILE, "-n", 1, "file"},
    processes{RLIMIT_NPROC, "-u", 1, "process"}, processor_time{RLIMIT_CPU, "-t", 1, "second"};

bool is_set(const Limit& limit, rlimit& value) {
  return getrlimit(limit.resource, &value) == 0 && value.rlim_cur != RLIM_INFINITY;
}

// " (ulimit -v allows 160,000 kB)", for the limits that are set.
std::string text_of(std::initializer_list<Limit> limits) {
  std::string text;
  for (const Limit& limit : limits) {
    rlimit value{};
    if (!is_set(limit, value)) continue;
    const auto units = static_cast<std::int64_t>(value.rlim_cur) / limit.unit;
    const std::string amount = limit.unit_name == std::string("kB") ? with_separators(std::to_string(units)) + " kB"
                                                                    : counted(units, limit.unit_name);
    text += (text.empty() ? " (ulimit " : ", ") + std::string(limit.option) + " allows " + amount;
  }
  return text.empty() ? text : text + ")";
}

std::string limits_behind(int error) {
  switch (error) {
    case EMFILE:
      return text_of({open_files});
    case EFBIG:
      return text_of({file_size});
    case EAGAIN:  // for processes and threads, whose stacks need memory
      return text_of({processes, address_space, data_segment});
    case ENOMEM:
      return text_of({address_space, data_segment});
    default:
      return "";
  }
}

}  // namespace

bool is_of_resources(int error) {
  for (const int known : {EMFILE, ENFILE, EFBIG, EAGAIN, ENOMEM}) {
    if (error == known) return true;
  }
  return false;
}

std::string error_text(int error) { return std::strerror(error) + limits_behind(error); }

void fail_with(const std::string& what, int error) {
  const std::string text = what + ": " + error_text(error);
  if (is_of_resources(error)) throw OutOfResources(text);
  throw InputError(text);
}

void rethrow_as_ours() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw OutOfResources(out_of_memory());
  } catch (const std::filesystem::filesystem_error& error) {
    fail_with(error.path1().string() + ": cannot be used", error.code().value());
  }
}

std::string out_of_memory() {
  return "out of memory" + limits_behind(ENOMEM) + "; expected fewer workers, a smaller model or more memory";
}

double most_processor_seconds() {
  rlimit value{};
  return is_set(processor_time, value) ? static_cast<double>(std::max<rlim_t>(1, value.rlim_cur))
                                       : std::numeric_limits<double>::infinity();
}

std::string out_of_processor_time() { return "out of processor time" + text_of({processor_time}); }

}  // namespace ddl
