#include "sim/view/plots/gnuplot.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
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
  if (pipe == nullptr) fail_with("no pipe to gnuplot", errno);
  Outcome outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) outcome.said.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) fail_with("gnuplot's picture", EFBIG);
  if (outcome.said.find("error while loading shared libraries") != std::string::npos) {
    throw OutOfResources("gnuplot cannot start: " + scenario::on_one_line(outcome.said));
  }
  return outcome;
}

std::string in_xml(const std::string& text) {
  std::string safe;
  for (const char letter : scenario::on_one_line(text)) {
    safe += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : letter == '>' ? "&gt;" : std::string(1, letter);
  }
  return safe;
}

void replace_once(std::string& text, const std::string& from, const std::string& end, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return;
  const std::size_t behind = text.find(end, at + from.size());
  if (behind != std::string::npos) text.replace(at, behind + end.size() - at, to);
}

std::string four_bytes(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 255);
  return bytes;
}

// A chunk of a PNG (W3C, Portable Network Graphics, section 11.3.4: tEXt).
std::string text_chunk(const std::string& keyword, const std::string& text) {
  const std::string body = "tEXt" + keyword + '\0' + text;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return four_bytes(static_cast<std::uint32_t>(body.size() - 4)) + body + four_bytes(static_cast<std::uint32_t>(sum));
}

constexpr std::string_view svg_font = "font-family=\"DejaVu Sans\"";

// The picture with what `about` says in it. An SVG for paper says how large it is there.
std::string with_description(std::string picture, const std::string& format, const About& about) {
  // Where a reader lacks the font, one as wide.
  for (std::size_t at = 0; format == "svg" && (at = picture.find(svg_font, at)) != std::string::npos;) {
    picture.replace(at, svg_font.size(), "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
  }
  if (about.command.empty()) return picture;
  if (format == "png") {
    constexpr std::size_t after_header = 33;  // signature and IHDR
    picture.insert(std::min(after_header, picture.size()),
                   text_chunk("Description", scenario::on_one_line(about.command)));
  } else if (format == "pdf") {
    picture += "% " + scenario::on_one_line(about.command) + "\n";
  } else {
    replace_once(picture, "<title>", "</title>",
                 about.title.empty() ? "" : "<title>" + in_xml(about.title) + "</title>");
    replace_once(picture, "<desc>", "</desc>", "<desc>" + in_xml(about.command) + "</desc>");
    if (about.canvas.paper) {
      replace_once(picture, "width=\"", "\"", fmt::format("width=\"{:.0f}pt\"", about.canvas.width));
      replace_once(picture, "height=\"", "\"", fmt::format("height=\"{:.0f}pt\"", about.canvas.height));
    }
  }
  return picture;
}

constexpr int not_found = 127;  // the exit code that shells use

}  // namespace

std::string picture_format(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  for (const char* format : {"svg", "png", "pdf"}) {
    if (ending == std::string(".") + format) return format;
  }
  throw InputError(file + ": unknown picture format; expected a name that ends in .svg, .png or .pdf");
}

void draw(const std::string& file, const About& about, const std::string& definitions, std::string_view script) {
  const std::string format = picture_format(file);
  const ScratchFolder scratch;
  const fs::path text = scratch / "picture.gp", picture = scratch / "picture";
  const Canvas& canvas = about.canvas;
  results::write_whole(
      text.string(),
      fmt::format("picture_format = '{}'\npicture_file = {}\nwidth = {:.0f}\nheight = {:.0f}\ntype_size = {}\n"
                  "paper = {}\n{}{}{}unset output\n",
                  format, gnuplot_text(picture.string()), canvas.width, canvas.height, canvas.type,
                  canvas.paper ? 1 : 0, style_script, definitions, script));
  const Outcome outcome = run_gnuplot(text);
  if (outcome.code == not_found) {
    throw InputError("gnuplot: not found; expected Debian's package gnuplot-nox, or any gnuplot from 5.4 on");
  }
  std::error_code absent;
  if (outcome.code != 0 || fs::file_size(picture, absent) == 0 || absent) {
    throw InputError(file + ": gnuplot could not draw it: " + scenario::on_one_line(outcome.said.substr(0, 500)));
  }
  results::write_whole(file, with_description(results::content_of(picture.string()), format, about));
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
