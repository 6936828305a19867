#include "sim/cli/progress.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/counted.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/readable.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace {

constexpr int kBarWidth = 12;  // with all fields and a usual name the line fits 80 columns
constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
constexpr double kTooEarly = 0.01;  // share of a run below which the time left is anybody's guess
constexpr double kLongRun_s = 60;
constexpr int kManyWorkers = 1000;

constexpr double kMuch = 0.5;  // share of the math in evaluations
constexpr std::size_t kShortName = 16;

// The name of a run, cut to `room` letters but no further than to a few.
std::string shortened(const std::string& name, std::size_t room) {
  const std::string text = scenario::on_one_line(name);
  const std::size_t most = std::max(room, kShortName);
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

// With the name of the run that ended last, if there is room for all of it.
std::string with_latest(const std::string& text, const jobs::RunsProgress& progress, std::size_t room) {
  if (progress.latest.empty()) return text;
  const std::string whole = text + ", last " + scenario::on_one_line(progress.latest);
  return results::columns_of(whole) <= room ? whole : text;
}

std::string duration(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

// Until the run itself shows how quick it is, as expected; none where nothing was.
std::string time_left(const run::Progress& progress, double fraction, double elapsed_s) {
  if (fraction >= kTooEarly) return duration(elapsed_s * (1 - fraction) / fraction) + " left";
  return progress.expected_s > 0 ? duration(std::max(1.0, progress.expected_s * (1 - fraction))) + " left" : "";
}

// "accuracy 0.710 at 60 s": scores come behind the simulation.
std::string score_text(const run::Progress& progress) {
  return fmt::format("{} {:.3f} at {:.4g} s", name_of(progress.metric), progress.score, progress.scored_s);
}

}  // namespace

std::string expected_text(const std::string& name, const run::Progress& progress) {
  if (progress.expected_s <= kLongRun_s) return "";
  return fmt::format("{}: takes roughly {} by the clock", scenario::on_one_line(name),
                     results::readable_seconds(progress.expected_s));
}

std::string progress_line(const std::string& name, const run::Progress& progress, double elapsed_s) {
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  std::string text =
      fmt::format("{}: {:.0f} %, t = {:.4g} s", scenario::on_one_line(name), 100 * fraction, progress.simulated_s);
  if (progress.score >= 0) text += ", " + score_text(progress);
  const std::string left = time_left(progress, fraction, elapsed_s);
  return left.empty() ? text : text + ", " + left;
}

std::string progress_text(const std::string& name, const run::Progress& progress, double elapsed_s, int width) {
  const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
  const int filled = static_cast<int>(fraction * kBarWidth);
  std::string text = fmt::format(" [{}{}] {:3.0f} %  t = {:.4g} s", std::string(filled, '#'),
                                 std::string(kBarWidth - filled, '-'), 100 * fraction, progress.simulated_s);
  if (progress.score >= 0) text += "  " + score_text(progress);
  if (const std::string left = time_left(progress, fraction, elapsed_s); !left.empty()) text += "  " + left;
  // A line as wide as the terminal would wrap and could then not be erased.
  const auto room = static_cast<std::size_t>(std::max(1, width - 1));
  if (progress.evaluation_share > kMuch && text.size() + kShortName + 20 <= room) {
    text += fmt::format("  {:.0f} % evaluating", 100 * progress.evaluation_share);
  }
  return (shortened(name, room > text.size() ? room - text.size() : 0) + text).substr(0, room);
}

ProgressLine::ProgressLine(std::string name, bool wanted, std::chrono::milliseconds between_lines)
    : name_(std::move(name)),
      shown_(wanted),
      terminal_(isatty(STDERR_FILENO) == 1),
      stream_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)),
      between_lines_(between_lines) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) print("\r\x1b[K");
  close(stream_);
}

void ProgressLine::begin(std::optional<int> workers) const {
  if (!shown_) return;
  const std::string text =
      scenario::on_one_line(name_) + ": sets up " + (workers ? counted(*workers, "worker") : std::string("its hosts"));
  if (terminal_) {
    print("\r" + text.substr(0, Terminal(stream_).columns() - 1) + "\x1b[K");
  } else if (workers.value_or(0) >= kManyWorkers) {
    print(text + "\n");
  }
}

void ProgressLine::show(const run::Progress& progress) {
  if (!shown_) return;
  if (!expectation_told_) {
    expectation_told_ = true;
    if (const std::string text = expected_text(name_, progress); !text.empty()) print(text + "\n");
  }
  const auto now = Clock::now();
  if (terminal_ ? now - drawn_ < kBetweenDrawings : now - std::max(drawn_, start_) < between_lines_) return;
  drawn_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  print(terminal_
            ? "\r" + progress_text(name_, progress, elapsed_s, static_cast<int>(Terminal(stream_).columns())) + "\x1b[K"
            : progress_line(name_, progress, elapsed_s) + "\n");
}

void ProgressLine::print(const std::string& text) const {
  static_cast<void>(!write(stream_, text.data(), text.size()));
}

std::string runs_text(const std::string& name, const jobs::RunsProgress& progress, double elapsed_s, std::size_t room) {
  std::string text = fmt::format("{}: {} of {} runs", scenario::on_one_line(name), progress.finished, progress.runs);
  if (progress.kept > 0) text += fmt::format(", {} kept from before", progress.kept);
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (const auto left_s = progress.seconds_left(elapsed_s))
    text += ", about " + duration(std::max(1.0, *left_s)) + " left";
  return with_latest(text, progress, room);
}

std::string interrupted_text(const jobs::RunsProgress& progress) {
  return fmt::format("interrupted: {} of {} runs are finished and kept; the same command goes on from there",
                     progress.finished, progress.runs);
}

RunsLine::RunsLine(std::string name, bool wanted)
    : name_(std::move(name)), wanted_(wanted), terminal_(isatty(STDERR_FILENO) == 1) {}

RunsLine::~RunsLine() {
  if (wanted_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void RunsLine::show(const jobs::RunsProgress& progress) const {
  if (!wanted_) return;
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  print(runs_text(name_, progress, elapsed_s, room()));
}

// On a terminal one line, without what does not fit.
std::size_t RunsLine::room() const { return terminal_ ? Terminal(STDERR_FILENO).columns() - 1 : std::string::npos; }

void RunsLine::print(const std::string& text) const {
  const std::string line = terminal_ ? results::lines_of(text, room()).front().substr(0, room()) : "";
  std::fputs((terminal_ ? "\r" + line + "\x1b[K" : results::rewrapped(text + "\n", results::text_columns)).c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace ddl::cli
