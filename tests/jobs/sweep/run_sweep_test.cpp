// Outputs of a sweep: tables, results, failures; and the runs that an earlier one lets it skip.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/base/check.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/jobs/sweep/sweep_files.hpp"
#include "tests/support/mnist_files.hpp"

namespace ddl::jobs {
namespace {

namespace fs = std::filesystem;

const std::string four = R"("vary": {"stop.iterations": [3, 5]}, "seeds": [1, 2])";

std::vector<std::vector<std::string>> rows_of(const fs::path& file, std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> rows;
  results::read_table(file, "", [&](const results::TableRow& row) {
    columns = row.columns();
    auto& fields = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) fields.push_back(row.text(i));
  });
  return rows;
}

std::size_t column(const std::vector<std::string>& columns, const std::string& name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  REQUIRE(found != columns.end());
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace

TEST_CASE("runs that another program has made after the estimate are not made again") {
  const TemporaryFolder scratch;
  const Sweep sweep = sweep_of(four);
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
  const SweepEstimate early = estimate_sweep(sweep, plan, scratch.path().string(), 2);
  CHECK(early.open.size() == 4);
  SweepRunner other{scratch.path()};
  other(sweep);
  REQUIRE(other.ran == 4);
  CHECK(run_sweep(plan, early, {}).kept == 4);
}

TEST_CASE("runs of a sweep that learn the same learn once, with the same bytes as if each learned") {
  const TemporaryFolder scratch;
  const std::string text = R"({"name": "network", "base": {"platform": {"workers": 2}, "model": "softmax",
      "data": {"train": 200, "test": 50}, "training": {"batch_size": 10}, "compute": {"seconds_per_batch": "100ms"},
      "evaluate": {"every_iterations": 3}, "stop": {"iterations": 8}},
      "vary": {"algorithm": ["d_psgd", "gossip"], "platform.bandwidth": ["1Mbps", "10Mbps", "1Gbps"]}, "seeds": [1, 2]})";
  const Sweep sweep = parse_sweep(text, "network.json");
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
  const auto run = [&](const char* folder, bool learn_each) {
    const SweepEstimate estimate = estimate_sweep(sweep, plan, scratch.file(folder), 2, learn_each);
    return run_sweep(plan, estimate, {.at_once = 2, .progress = {}});
  };
  const SweepOutcome once = run("once", false), each = run("each", true);
  CHECK(once.failed() == 0);
  CHECK(once.replayed == 4);  // d_psgd learns once for each seed; gossip merges what comes first
  CHECK(each.replayed == 0);
  CHECK(bytes_below(once.folder) == bytes_below(each.folder));
  std::size_t replays = 0;
  for (const auto& entry : fs::recursive_directory_iterator(once.folder)) {
    replays += entry.path().filename() == "timing.json" && text_of(entry.path()).find("is_replay") != std::string::npos;
  }
  CHECK(replays == 4);
}

TEST_CASE("leftovers of a killed sweep go, except for others' files in them") {
  const TemporaryFolder scratch;
  SweepRunner run{scratch.path()};
  const fs::path folder = run(sweep_of(four)).folder;
  const fs::path point = fs::directory_entry(folder / "stop.iterations=3").exists() ? folder / "stop.iterations=3"
                                                                                    : *fs::directory_iterator(folder);
  for (const char* name : {".1.partial-there-1-0", ".2.partial-there-2-0"}) {
    fs::create_directory(point / name);
    put(point / name / "run.json", "{}");
  }
  put(point / ".2.partial-there-2-0" / "notes.txt", "mine");
  run(sweep_of(four));
  CHECK_FALSE(fs::exists(point / ".1.partial-there-1-0"));
  CHECK_FALSE(fs::exists(point / ".2.partial-there-2-0" / "run.json"));
  CHECK(text_of(point / ".2.partial-there-2-0" / "notes.txt") == "mine");
}

TEST_CASE("a sweep's table has a row per run with what is varied and every figure") {
  const TemporaryFolder scratch;
  SweepRunner run{scratch.path()};
  const SweepOutcome outcome = run(sweep_of(four));
  CHECK(outcome.failed() == 0);
  CHECK(run.ran == 4);
  std::vector<std::string> columns;
  const auto rows = rows_of(outcome.folder / "sweep.csv", columns);
  REQUIRE(rows.size() == 4);
  CHECK(columns.size() == 7 + results::measures_of({}).size());
  const std::size_t end = column(columns, "simulated_seconds");
  // Steps of 0.1 s.
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(rows[i][0] == (i < 2 ? "3" : "5"));
    CHECK(rows[i][1] == (i % 2 == 0 ? "1" : "2"));
    CHECK(std::stod(rows[i][end]) == doctest::Approx(i < 2 ? 0.3 : 0.5));
    CHECK(rows[i][column(columns, "failure")] == "");
    const fs::path folder = outcome.folder / rows[i][column(columns, "run")];
    CHECK(results::read_finished(folder).digest == rows[i][column(columns, "digest")]);
  }
}

TEST_CASE("means and intervals are over the seeds of a point") {
  const TemporaryFolder scratch;
  SweepRunner run{scratch.path()};
  const SweepOutcome outcome = run(sweep_of(R"("set": {"compute.jitter": 0.5}, "seeds": [1, 2, 3])"));
  std::vector<double> ends;
  for (const char* seed : {"1", "2", "3"}) {
    ends.push_back(*results::read_finished(outcome.folder / "base" / seed).measure("simulated_seconds"));
  }
  const double mean = (ends[0] + ends[1] + ends[2]) / 3;
  double squares = 0;
  for (const double end : ends) squares += (end - mean) * (end - mean);
  const double half = 4.302653 * std::sqrt(squares / 2) / std::sqrt(3);  // t of two degrees of freedom, any table
  std::vector<std::string> columns;
  bool seen = false;
  for (const auto& row : rows_of(outcome.folder / "means.csv", columns)) {
    if (row[column(columns, "measure")] != "simulated_seconds") continue;
    seen = true;
    CHECK(row[column(columns, "count")] == "3");
    CHECK(std::stod(row[column(columns, "mean")]) == doctest::Approx(mean));
    CHECK(std::stod(row[column(columns, "low")]) == doctest::Approx(mean - half));
    CHECK(std::stod(row[column(columns, "high")]) == doctest::Approx(mean + half));
  }
  CHECK(seen);
}

TEST_CASE("a sweep's curves are one table, with numbers and their units instead of quantities") {
  const TemporaryFolder scratch;
  SweepRunner run{scratch.path()};
  const Sweep sweep = sweep_of(R"("set": {"model": "softmax", "data.train": 100, "data.test": 50, "stop.iterations": 4,
      "evaluate.every_iterations": 2}, "vary": {"platform.bandwidth": ["8Mbps", "1MBps", "40Mbps"],
      "training.batch_size": [5, 10], "algorithm": ["single", "alone"]}, "seeds": [1, 2])");
  const SweepOutcome outcome = run(sweep);
  REQUIRE(outcome.failed() == 0);
  std::vector<std::string> columns;
  const auto rows = rows_of(outcome.folder / "curves.csv", columns);
  const std::vector<std::string> expected = {"platform.bandwidth_bit_per_s",
                                             "training.batch_size",
                                             "algorithm",
                                             "seed",
                                             "time_s",
                                             "iteration",
                                             "samples",
                                             "epoch",
                                             "bytes_sent",
                                             "train_loss",
                                             "test_loss",
                                             "test_accuracy"};
  CHECK(columns == expected);
  // Evaluations at the start and after steps 2 and 4, of 24 runs.
  REQUIRE(rows.size() == 3 * 24);
  for (const char* table : {"sweep.csv", "means.csv"}) {
    std::vector<std::string> titles;
    CHECK(rows_of(outcome.folder / table, titles)[0][0] == rows[0][0]);
    CHECK(titles[0] == columns[0]);
  }
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
  std::size_t row = 0;
  for (std::size_t i = 0; i < plan.runs(); ++i) {
    for (const run::CurveRow& point : results::read_mean_curve(outcome.folder / plan.name_of(i))) {
      const std::string& bandwidth = plan.point_of(i).values[0];
      CHECK(std::stod(rows[row][0]) == (bandwidth == "40Mbps" ? 40e6 : 8e6));
      CHECK(rows[row][1] == plan.point_of(i).values[1]);
      CHECK(rows[row][3] == std::to_string(plan.seed_of(i)));
      CHECK(std::stod(rows[row][4]) == point.time_s);
      CHECK(std::stod(rows[row][11]) == point.test_accuracy);
      ++row;
    }
  }
}

TEST_CASE("finished runs are kept, and missing, damaged and foreign ones are run again, to the same bytes") {
  const TemporaryFolder scratch, other;
  SweepRunner run{scratch.path()};
  const Sweep sweep = sweep_of(four);
  const fs::path folder = run(sweep).folder;
  const auto whole = bytes_below(folder);
  run(sweep);
  CHECK(run.ran == 0);

  fs::remove_all(folder / "iterations=3" / "2");
  fs::resize_file(folder / "iterations=5" / "1" / "run.json", 100);
  run(sweep);
  CHECK(run.ran == 2);
  CHECK(bytes_below(folder) == whole);

  // Under the right name, but of another program.
  std::string text = text_of(folder / "iterations=3" / "1" / "run.json");
  const std::size_t build = text.find("\"build\": \"") + 10;
  text[build] = text[build] == '0' ? '1' : '0';
  put(folder / "iterations=3" / "1" / "run.json", text);
  run(sweep);
  CHECK(run.ran == 1);
  CHECK(bytes_below(folder) == whole);

  // Under the right name, but of another scenario: the base has changed.
  run(sweep_of(R"("set": {"compute.seconds_per_batch": "200ms"}, )" + four));
  CHECK(run.ran == 4);
  CHECK(*results::read_finished(folder / "iterations=3" / "1").measure("simulated_seconds") == doctest::Approx(0.6));
}

TEST_CASE("a sweep that shrinks leaves old results out of its tables") {
  const TemporaryFolder scratch;
  SweepRunner run{scratch.path()};
  run(sweep_of(four));
  const fs::path folder = run(sweep_of(R"("vary": {"stop.iterations": [3, 4]}, "seeds": [1])")).folder;
  CHECK(run.ran == 1);
  const std::string table = text_of(folder / "sweep.csv");
  CHECK(std::ranges::count(table, '\n') == 3);
  for (const char* name : {"iterations=3/1", "iterations=4/1"}) CHECK(table.find(name) != std::string::npos);
}

TEST_CASE("a failed run is told and stops no other, and mended, it alone is run again") {
  const TemporaryFolder scratch;
  // Data are lost after everything has been checked.
  const fs::path folder = scratch.path() / "mnist", lost = folder / "train-images-idx3-ubyte";
  write_mnist(folder, 1);
  const std::string good = text_of(lost);
  const Sweep sweep = sweep_of(R"("set": {"model": "softmax", "training.batch_size": 4}, "vary": {"data": [
      {"train": 30, "test": 30}, {"source": "mnist", "path": ")" +
                               folder.string() + R"("}, {"train": 40, "test": 30}]})");
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
  const SweepEstimate outlook = estimate_sweep(sweep, plan, scratch.path().string(), 1);
  fs::remove(lost);
  const SweepOutcome outcome = run_sweep(plan, outlook, {.at_once = 1, .progress = {}});
  CHECK(outcome.failed() == 1);
  CHECK(outcome.failures[1].find("train-images-idx3-ubyte") != std::string::npos);
  std::vector<std::string> columns;
  const auto rows = rows_of(outcome.folder / "sweep.csv", columns);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1][column(columns, "failure")] == outcome.failures[1]);
  CHECK(rows[1].back() == "");
  CHECK(rows[2][column(columns, "failure")] == "");
  put(lost, good);
  SweepRunner run{scratch.path()};
  CHECK(run(sweep).failed() == 0);
  CHECK(run.ran == 1);
}

TEST_CASE("a child that dies is a failed run too") {
  const TemporaryFolder scratch;
  const Sweep sweep = sweep_of(R"("vary": {"stop.iterations": [3, 20000000]})");
  const SweepPlan plan = plan_sweep(systems::built_in(), sweep);
  const SweepEstimate outlook = estimate_sweep(sweep, plan, scratch.path().string(), 1);
  // Some seconds of computing for each process: plenty for three steps, too little for this many.
  const rlimit seconds{static_cast<rlim_t>(std::clock() / CLOCKS_PER_SEC) + 2, RLIM_INFINITY};
  REQUIRE(setrlimit(RLIMIT_CPU, &seconds) == 0);
  const SweepOutcome outcome = run_sweep(plan, outlook, {.at_once = 1, .progress = {}});
  CHECK(outcome.failed() == 1);
  CAPTURE(outcome.failures[1]);
  CHECK(outcome.failures[1].find("out of processor time (ulimit -t allows ") != std::string::npos);
}

TEST_CASE("every platform is built before the first run starts, and then nothing is written") {
  const TemporaryFolder scratch;
  const Sweep sweep =
      sweep_of(R"("vary": {"stop.iterations": [3, 4]}, "set": {"platform": {"file": ")" DDLSIM_SOURCE_DIR
               R"(/platforms/uniform_lan.xml", "workers": ["nobody"]}})");
  SweepRunner run{scratch.path()};
  CHECK_THROWS_AS(run(sweep), scenario::ScenarioErrors);
  CHECK(names_in(scratch.path()).empty());
}

TEST_CASE("a folder that is no sweep's is left alone") {
  const TemporaryFolder scratch;
  fs::create_directories(scratch.path() / "tiny");
  put(scratch.path() / "tiny" / "letter.txt", "dear");
  SweepRunner run{scratch.path()};
  CHECK_THROWS_AS(run(sweep_of(four)), InputError);
  CHECK(names_in(scratch.path() / "tiny").size() == 1);
}

}  // namespace ddl::jobs
