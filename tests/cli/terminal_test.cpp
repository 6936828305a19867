// What a person sees: lines that fit a terminal, emphasis only where it is one, and names by themselves.
#include "sim/cli/terminal.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/results/text/layout.hpp"
#include "tests/cli/workplace.hpp"

namespace ddl::cli::terminal_test {
namespace {

namespace fs = std::filesystem;

// The first line that is wider than a terminal, unless its only word is.
std::string too_wide(const std::string& text, std::size_t width = results::text_columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool one_word = line.find(' ', first) == std::string::npos;
    if (results::columns_of(line) > width && !one_word) return line;
  }
  return "";
}

const char* const learner = R"({ "platform": { "workers": 3, "servers": 1, "bandwidth": "40Mbps" },
    "data": { "train": 300, "test": 100 }, "model": "softmax", "wire": { "model_bytes": "123456B" },
    "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ps_async",
    "stop": { "iterations": 12 }, "evaluate": { "every_iterations": 3, "target_accuracy": [0.2, 0.9] } })";

const char* const sweep = R"({ "base": "good.json", "vary": { "platform.bandwidth": ["5Mbps", "40Mbps"],
    "algorithm": ["ring_allreduce", { "name": "ako", "partitions": 2 }] }, "seeds": [1, 2] })";

TEST_CASE("every help fits a terminal of 80 columns") {
  const Workplace place;
  CHECK(too_wide(place.call("--help").out) == "");
  for (const char* command : {"run", "check", "describe", "sweep", "expect", "emulate", "reproduce", "compare", "plot",
                              "report", "new", "model", "list", "schema", "bench", "completion", "manual"}) {
    const Reply answer = place.call(std::string(command) + " --help");
    CHECK(answer.code == 0);
    CHECK_MESSAGE(too_wide(answer.out) == "", command);
  }
}

TEST_CASE("tables for people fit 80 columns") {
  const Workplace place;
  place.write("learner.json", learner);
  place.write("sweep.json", sweep);
  const std::string shipped = "'" DDLSIM_SOURCE_DIR "/scenarios'";
  for (const std::string& arguments :
       {std::string("list algorithms"), std::string("list models"), std::string("list faults"),
        std::string("list topologies"), std::string("list templates"), std::string("model resnet18-bibd"),
        std::string("check learner.json sweep.json"), std::string("describe algorithm"),
        std::string("describe algorithm.ako"), std::string("describe platform"),
        std::string("run learner.json --seeds 1..3"), std::string("sweep sweep.json"), std::string("compare results"),
        std::string("compare results --runs"), std::string("sweep sweep.json --dry-run"), std::string("reproduce")}) {
    const Reply answer = place.call(arguments);
    CAPTURE(arguments);
    CHECK(answer.code == 0);
    CHECK(answer.out != "");
    CHECK(too_wide(answer.out) == "");
    CHECK(too_wide(answer.err) == "");
  }
  CHECK(too_wide(place.call("list scenarios", "DDLSIM_HOME='" DDLSIM_SOURCE_DIR "'").out) == "");
}

TEST_CASE("tables and prose follow the terminal's width, tables on wide ones, too") {
  const Workplace place;
  place.write("learner.json", learner);
  place.write("sweep.json", sweep);
  REQUIRE(place.call("sweep sweep.json --quiet").code == 0);
  for (const char* arguments : {"list algorithms", "check learner.json sweep.json", "describe algorithm.ako",
                                "model resnet18-bibd", "learner.json --force", "compare results", "sweep --help"}) {
    const Reply narrow = place.call(arguments, "COLUMNS=60");
    CAPTURE(arguments);
    CHECK(narrow.code == 0);
    // A command that is shown is one line.
    CHECK(too_wide(narrow.out.substr(0, narrow.out.find("Example")), 60) == "");
  }
  // One table instead of several blocks.
  const auto blocks = [&](const char* columns) {
    const std::string text = place.call("compare results/learner", columns).out;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("scheme ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  CHECK(blocks("COLUMNS=80") > 1);
  CHECK(blocks("COLUMNS=300") == 1);
  for (const char* nonsense : {"COLUMNS=", "COLUMNS=0", "COLUMNS=x", "COLUMNS=60x", "COLUMNS=-5"}) {
    CHECK(place.call("compare results/sweep", nonsense).out ==
          place.call("compare results/sweep", "env -u COLUMNS").out);
  }
  if (place.shell("command -v script && command -v stty").code != 0) return;
  const Reply real =
      place.shell("script -qec \"stty cols 60 && NO_COLOR=1 '" DDLSIM_BINARY "' list algorithms\" /dev/null");
  CHECK(real.out != "");
  CHECK(too_wide(real.out, 61) == "");  // with the carriage return
}

TEST_CASE("compare takes columns, labels and forms, and says what it does not understand") {
  const Workplace place;
  place.write("learner.json", learner);
  REQUIRE(place.call("learner.json --quiet --set algorithm=ring_allreduce").code == 0);
  REQUIRE(place.call("learner.json --quiet").code == 0);
  const std::string csv = place.call("compare results --columns accuracy,platform.bandwidth --csv").out;
  CHECK(
      csv.starts_with("scheme,runs,final_accuracy.mean,final_accuracy.mean.low,final_accuracy.mean.high,"
                      "final_accuracy.mean.count,platform.bandwidth_bit_per_s\n"));
  CHECK(csv.find(",40000000\n") != std::string::npos);
  const std::string latex = place.call("compare results --columns accuracy --latex --label ps_async=Server").out;
  CHECK(latex.starts_with("\\begin{tabular}{lr}\n  \\toprule\n  scheme & final accuracy"));
  CHECK(latex.find("ring\\_allreduce") != std::string::npos);
  CHECK(latex.find("Server") != std::string::npos);
  CHECK(place.call("compare results --label algorithm.name").code == 0);
  const auto refused = [&](const std::string& arguments) {
    const Reply answer = place.call("compare results " + arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    return answer.err;
  };
  CHECK(refused("--columns acuracy") ==
        "ddlsim: compare: --columns: \"acuracy\" is no column of these results; did you mean \"accuracy\"?\n");
  CHECK(refused("--label platform.bandwith") ==
        "ddlsim: compare: --label: \"platform.bandwith\" is no setting of these results; did you mean "
        "\"platform.bandwidth\"?\n");
  CHECK(refused("--label ps_asinc=x").find("did you mean \"ps_async\"?") != std::string::npos);
  CHECK(refused("--label name --label platform.workers").find("rows are called by name already") != std::string::npos);
  // A setting that tells rows apart is there once, and a note is not for --quiet.
  const std::string slower =
      "learner.json --set name=slow --set platform.bandwidth=20Mbps --set platform.network.solver=auto";
  CHECK(place.call(slower).err.find("what it says holds anyway, so delete it") != std::string::npos);
  CHECK(place.call(slower + " --force --quiet").err == "");
  const std::string varied = place.call("compare results --columns accuracy,platform.bandwidth --csv").out;
  CHECK(varied.find("platform.bandwidth_bit_per_s") == varied.rfind("platform.bandwidth_bit_per_s"));
}

TEST_CASE("emphasis is for terminals alone, and NO_COLOR switches it off") {
  CHECK(Terminal(true).bold("x") == "\x1b[1mx\x1b[0m");
  CHECK(Terminal(true).titled("a\nb\n") == "\x1b[1ma\x1b[0m\nb\n");
  CHECK(Terminal(false).titled("a\nb\n") == "a\nb\n");
  const Workplace place;
  const std::string plain = place.call("list").out;
  CHECK(plain.find('\x1b') == std::string::npos);
  if (place.shell("command -v script").code != 0) return;
  const auto on_terminal = [&](const std::string& variables) {
    return place.shell(variables + " script -qec \"'" DDLSIM_BINARY "' list\" /dev/null").out;
  };
  CHECK(on_terminal("env -u NO_COLOR TERM=xterm").find("\x1b[1m") != std::string::npos);
  CHECK(on_terminal("env NO_COLOR=1 TERM=xterm").find('\x1b') == std::string::npos);
  CHECK(on_terminal("env -u NO_COLOR TERM=dumb").find('\x1b') == std::string::npos);
}

TEST_CASE("a run whose keys were changed by hand is named after them") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  REQUIRE(place.call("good.json --quiet --set stop.iterations=6").code == 0);
  REQUIRE(place.call("good.json --quiet --set algorithm=ring_allreduce --set platform.bandwidth=8Mbps").code == 0);
  REQUIRE(place.call("good.json --quiet --set stop.iterations=7 --set name=mine").code == 0);
  REQUIRE(place.call("good.json --quiet --force --set seed=3 --set description=x --set record.iterations=false").code ==
          0);
  for (const char* folder :
       {"good/1", "good_iterations=6/1", "good_ring_allreduce_bandwidth=8Mbps/1", "mine/1", "good/3"}) {
    CHECK_MESSAGE(fs::exists(place.at(std::string("results/") + folder + "/run.json")), folder);
  }
  CHECK(std::distance(fs::directory_iterator(place.at("results")), {}) == 4);
}

TEST_CASE("several seeds end with mean and interval, several scenarios with a comparison") {
  const Workplace place;
  place.write("learner.json", learner);
  const Reply seeds = place.call("learner.json --seeds 1,3..4");
  REQUIRE(seeds.code == 0);
  for (const char* seed : {"1", "3", "4"}) CHECK(fs::exists(place.at(std::string("results/learner/") + seed)));
  CHECK(std::distance(fs::directory_iterator(place.at("results/learner")), {}) == 3);
  const std::string end = seeds.out.substr(seeds.out.find("\n\nscheme"));
  CHECK(end.find("ps_async") != std::string::npos);
  CHECK(end.find(" ± ") != std::string::npos);
  place.write("other.json", learner);
  const Reply two = place.call("learner.json other.json --set algorithm.update_time=1ms --seed 1");
  CHECK(two.out.find("\n\nscheme") != std::string::npos);
  CHECK(place.call("learner.json --seed 1").out.find("scheme") == std::string::npos);
}

TEST_CASE("the closing table says what is best, and what guessing gives") {
  const Workplace place;
  place.write("learner.json", learner);
  const std::string table = place.call("learner.json").out;
  CHECK(table.find("  best accuracy     0.") != std::string::npos);
  CHECK(table.find("; guessing gives 0.1\n") != std::string::npos);
}

TEST_CASE("check takes sweeps, and tells a schema that lies beside scenarios") {
  const Workplace place;
  place.write("sweep.json", sweep);
  REQUIRE(place.shell("'" DDLSIM_BINARY "' schema > scenario.schema.json").code == 0);
  const Reply answer = place.call("check *.json");
  CHECK(answer.err == "");
  CHECK(answer.code == 0);
  CHECK(answer.out.find("good.json: ok\n") != std::string::npos);
  CHECK(answer.out.find("sweep.json: ok\n  sweep             4 scenarios by 2 seeds, 8 runs\n") != std::string::npos);
  CHECK(answer.out.find("scenario.schema.json: a JSON Schema") != std::string::npos);
  place.write("wrong.json", R"({ "base": "good.json", "vary": { "platform.workers": [2, 0] } })");
  const Reply wrong = place.call("check wrong.json");
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("$.platform.workers: 0 is too small") != std::string::npos);
}

// What follows "roughly ", in seconds.
double roughly(const std::string& text) {
  std::istringstream rest(text.substr(text.find("roughly ") + 8));
  double number = 0;
  std::string unit;
  rest >> number >> unit;
  return number * (unit.starts_with("ms") ? 1e-3 : unit.starts_with("min") ? 60 : 1);
}

TEST_CASE("what a tuned sweep takes is told with its tuning") {
  const Workplace place;
  place.write("learner.json", learner);
  const std::string grid = R"({ "base": "learner.json", "vary": { "platform.workers": [2, 3] }, "seeds": [1, 2])";
  place.write("plain.json", grid + " }");
  place.write("tuned.json", grid + R"(, "tune": { "over": { "training.batch_size": [1, 40] }, "seeds": 2 } })");
  // Of each point two values are tried with one seed, and the better one with another: three runs before its own two.
  const std::string plain = place.call("check plain.json").out, tuned = place.call("check tuned.json").out;
  CHECK(tuned.find("  tuning            6 runs before these\n") != std::string::npos);
  CHECK(tuned.find("all runs, tuning included, take ") != std::string::npos);
  CHECK(roughly(tuned) / roughly(plain) == doctest::Approx(5.0 / 2).epsilon(0.02));
  const std::string dry = place.call("sweep tuned.json --dry-run --jobs 1").out;
  REQUIRE(dry.starts_with("tuning: 6 runs that take roughly "));
  const std::size_t plan = dry.find("the other 4 take");
  REQUIRE(plan != std::string::npos);
  CHECK(roughly(dry) / roughly(dry.substr(plan)) == doctest::Approx(3.0 / 2).epsilon(0.02));
}

TEST_CASE("check says how the network is computed and how fast models come together, describe the latter beside JSON") {
  const Workplace place;
  const std::string average = " good.json --set algorithm=d_psgd --set platform.workers=6";
  const Reply checked = place.call("check" + average), described = place.call("describe" + average);
  CHECK(checked.code == 0);
  CHECK(too_wide(checked.out) == "");
  for (const char* label : {"lower bound", "model", "network", "network model", "averaging", "consensus", "cost"}) {
    CHECK_MESSAGE(checked.out.find("\n  " + std::string(label) + "  ") != std::string::npos, label);
  }
  CHECK(nlohmann::json::parse(described.out)["algorithm"]["name"] == "d_psgd");
  const std::size_t consensus = checked.out.find("  averaging  ");
  CHECK(checked.out.substr(consensus, described.err.size()) == described.err);
  CHECK(described.err.find("\n  consensus  ") != std::string::npos);
  CHECK(place.call("check good.json").out.find("  averaging  ") == std::string::npos);
  CHECK(place.call("describe good.json").err == "");
}

TEST_CASE("check says that messages will take long where all send to all, and not where few do") {
  const Workplace place;
  const auto cost = [&](const std::string& overflow, int workers) {
    const std::string out = place
                                .call("check good.json --set stop.iterations=40 --set algorithm.overflow=" + overflow +
                                      " --set platform.workers=" + std::to_string(workers))
                                .out;
    return out.substr(out.find("  cost  "));
  };
  // Whether or not a step waits for its messages.
  for (const char* overflow : {"block", "merge"}) {
    CAPTURE(overflow);
    CHECK(cost(overflow, 4).find("messages") == std::string::npos);
    // 9,900 messages a step, each at 10 us and 7 ns for each under way: 31 s for 40 steps.
    CHECK(cost(overflow, 100).find("for messages") != std::string::npos);
  }
}

TEST_CASE("check says how fast models come together where a round or a center averages them") {
  const Workplace place;
  const auto consensus = [&](const std::string& algorithm, const std::string& servers) {
    const std::string out = place
                                .call("check good.json --set platform.workers=4 --set platform.servers=" + servers +
                                      " --set 'algorithm=" + algorithm + "'")
                                .out;
    const std::size_t at = out.find("  averaging  ");
    return at == std::string::npos ? "" : out.substr(at, out.find("  cost  ") - at);
  };
  const auto says = [&](const std::string& algorithm, const std::string& servers, const std::string& what) {
    return consensus(algorithm, servers).find(what) != std::string::npos;
  };
  CHECK(says(R"({"name": "local_sgd", "local_steps": 6})", "0", "every 6 steps all models become their mean"));
  CHECK(says(R"({"name": "local_sgd", "local_steps": 1})", "0", "after each step all models are their mean"));
  CHECK(says(R"({"name": "fedavg", "local_steps": 6})", "1", "every 6 steps all models become their mean"));
  CHECK(says(R"({"name": "fedavg", "local_steps": 6, "sampled": 4})", "1", "every 6 steps"));
  CHECK(consensus(R"({"name": "fedavg", "local_steps": 6, "sampled": 0.5})", "1") == "");  // two are left out
  CHECK(says(R"({"name": "easgd", "tau": 10})", "1", "spectral gap 0.0"));
  // A turn each leaves little of the distance, but comes every hundred steps only.
  CHECK(says(R"({"name": "easgd", "tau": 100, "alpha": 0.5})", "1", "until 1/e of that distance is left: 200;"));
  CHECK(consensus(R"("ps_async")", "1") == "");
}

TEST_CASE("describe prints every scenario of a sweep") {
  const Workplace place;
  place.write("sweep.json", sweep);
  const auto json = nlohmann::json::parse(place.call("describe sweep.json").out);
  CHECK(json["runs"] == 8);
  CHECK(json["scenarios"].size() == 4);
  CHECK(json["scenarios"]["bandwidth=5Mbps_ako,partitions=2"]["algorithm"]["partitions"] == 2);
}

TEST_CASE("describe explains keys: a system's, a block's, one alone, and which there are") {
  const Workplace place;
  const std::string ako = place.call("describe algorithm.ako").out;
  CHECK(ako.starts_with("algorithm.ako\n  "));
  CHECK(ako.find("\n  partitions\n      ") != std::string::npos);
  CHECK(ako.find("default 1") != std::string::npos);
  CHECK(place.call("describe stop").out.find("\n  iterations\n") != std::string::npos);
  CHECK(place.call("describe stop.time").out.find("such as \"20ms\"") != std::string::npos);
  const std::string systems = place.call("describe algorithm").out;
  CHECK(systems.find("algorithm.d_psgd\n") != std::string::npos);
  CHECK(systems.find("keys of one of them: ddlsim describe algorithm.") != std::string::npos);
}

// `count` samples as MNIST's files have them.
void write_idx(const fs::path& folder, const std::string& set, int count) {
  std::string images{0, 0, 8, 3}, labels{0, 0, 8, 1};
  const auto add = [](std::string& text, int number) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
  };
  for (const int number : {count, 28, 28}) add(images, number);
  add(labels, count);
  for (int sample = 0; sample < count; ++sample) {
    for (int pixel = 0; pixel < 28 * 28; ++pixel) images += static_cast<char>((pixel * (sample % 10 + 1)) % 256);
    labels += static_cast<char>(sample % 10);
  }
  std::ofstream(folder / (set + "-images-idx3-ubyte"), std::ios::binary) << images;
  std::ofstream(folder / (set + "-labels-idx1-ubyte"), std::ios::binary) << labels;
}

TEST_CASE("each scenario that new writes runs as it is") {
  const Workplace place;
  fs::create_directories(place.at("data"));
  write_idx(place.at("data"), "train", 400);
  write_idx(place.at("data"), "t10k", 1000);
  for (const std::string name : {"ako", "ps", "two_sites", "edge", "own_data"}) {
    CAPTURE(name);
    CHECK(place.call("list templates").out.find(name) != std::string::npos);
    const Reply written = place.call("new " + name + " -o " + name + ".json");
    CHECK(written.code == 0);
    CHECK(written.out == name + ".json\n");
    CHECK(text_of(place.at(name + ".json")) == place.call("new " + name).out);
    CHECK(text_of(place.at(name + ".json")).find("// ") != std::string::npos);
    const Reply run =
        place.call(name + ".json --set name=run --force --quiet --set evaluate.samples=100 --out " + name);
    CHECK(run.err == "");
    CHECK(run.code == 0);
    CHECK(fs::exists(place.at(name + "/run/1/summary.json")));
  }
  CHECK(place.call("new").out == place.call("new ako").out);
}

TEST_CASE("expect prints what was seen, and has exit code 4 when something does not hold") {
  const Workplace place;
  std::string base = text_of(place.at("good.json"));
  base.replace(base.find("\"ako\""), 5, R"({"name": "ako", "overflow": "block"})");
  const auto write = [&](const std::string& expect) {
    place.write("expected.json", base.substr(0, base.rfind('}')) + ", \"expect\": [" + expect + "]}");
  };
  // Two workers, five steps: each sends its gradient of 1 MB to the other in every step.
  write(R"({"bytes": ["10MB", "10MB"]}, {"bytes": ["11MB", "12MB"]})");
  const Reply broken = place.call("expect expected.json");
  CHECK(broken.code == 4);
  CHECK(broken.out.find("bytes        10 MB .. 10 MB  10 MB  yes\n") != std::string::npos);
  CHECK(broken.out.find("bytes        11 MB .. 12 MB  10 MB  NO\n") != std::string::npos);
  CHECK(broken.out.ends_with("1 of 2 expectations hold\n"));
  const auto json = nlohmann::json::parse(place.call("expect expected.json --json --seeds 1,2").out);
  CHECK(json[0]["seeds"].get<std::vector<int>>() == std::vector<int>{1, 2});
  CHECK(json[0]["expectations"][1]["holds"] == false);
  CHECK(json[0]["expectations"][1]["seen"].get<std::vector<double>>() == std::vector<double>{1e7, 1e7});
  write(R"({"bytes": ["10MB", "10MB"]})");
  CHECK(place.call("expect expected.json").code == 0);
  CHECK(place.call("expect expected.json --quiet").out == "");
  CHECK(place.call("expect expected.json --seeds 1..3").out.starts_with("expected.json, seeds 1..3\n"));
  CHECK(place.call("expect expected.json --seeds 1,5,3").out.starts_with("expected.json, seeds 1,5,3\n"));
  // The result is that of the scenario without expectations.
  REQUIRE(place.call("run expected.json --quiet --set name=good").code == 0);
  const std::string result = text_of(place.at("results/good/1/run.json"));
  place.write("plain.json", base);
  REQUIRE(place.call("run plain.json --quiet --set name=good").code == 0);
  CHECK(text_of(place.at("results/good/1/run.json")) == result);
}

}  // namespace
}  // namespace ddl::cli::terminal_test
