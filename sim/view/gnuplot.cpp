#include "sim/view/gnuplot.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/check.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::view {
namespace fs = std::filesystem;
namespace {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "ddlsim-plot-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw InputError(pattern + ": cannot be made; gnuplot needs such a folder");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Outcome {
  int code = 0;
  std::string said;
};

std::string in_shell_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

// -d: the user's own start-up file stays out of it.
Outcome run_gnuplot(const fs::path& script) {
  FILE* pipe = popen(("exec gnuplot -d " + in_shell_quotes(script.string()) + " 2>&1").c_str(), "re");
  if (pipe == nullptr) throw InternalError("no pipe to gnuplot");
  Outcome outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) outcome.said.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

constexpr int not_found = 127;  // the exit code that shells use

}  // namespace

std::string picture_format(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  for (const char* format : {"svg", "png", "pdf"}) {
    if (ending == std::string(".") + format) return format;
  }
  throw InputError(file + ": is no kind of picture; expected a name that ends in .svg, .png or .pdf");
}

void draw(const std::string& file, const std::string& definitions, std::string_view script) {
  const std::string format = picture_format(file);
  const ScratchFolder scratch;
  const fs::path text = scratch / "picture.gp", picture = scratch / "picture";
  std::ofstream(text) << "picture_format = '" << format << "'\npicture_file = " << gnuplot_text(picture.string())
                      << "\n"
                      << definitions << style_script << script << "unset output\n";
  const Outcome outcome = run_gnuplot(text);
  if (outcome.code == not_found) {
    throw InputError("gnuplot: not found; expected Debian's package gnuplot-nox, or any gnuplot from 5.4 on");
  }
  std::error_code absent;
  if (outcome.code != 0 || fs::file_size(picture, absent) == 0 || absent) {
    throw InputError(file + ": gnuplot could not draw it: " + scenario::on_one_line(outcome.said.substr(0, 500)));
  }
  results::write_whole(file, results::content_of(picture.string()));
}

std::string gnuplot_text(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : scenario::on_one_line(text))
    quoted += letter == '\'' ? std::string("''") : std::string(1, letter);
  return quoted + "'";
}

std::string gnuplot_array(const std::string& name, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + gnuplot_text(text);
  return fmt::format("array {}[{}] = [{}]\n", name, texts.size(), list);
}

std::string gnuplot_number(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "NaN"; }

}  // namespace ddl::view
