// Transcripts of the program: what it prints where, its exit code, and that nothing is written when something is wrong.
#include <nlohmann/json.hpp>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::command_line_test {
namespace {

namespace fs = std::filesystem;

struct Refused {
  const char* arguments;
  const char* error;  // all of stderr
};

constexpr Refused kRefused[] = {
    {"", "ddlsim: nothing to do; expected ddlsim SCENARIO.json, or see ddlsim --help\n"},
    {"run", "ddlsim: run: no scenario given; see ddlsim run --help\n"},
    {"--seed 3", "ddlsim: run: no scenario given; see ddlsim run --help\n"},
    {"absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
    {"chekc good.json", "ddlsim: \"chekc\" is neither a command nor a file; did you mean \"check\"?\n"},
    {"good.json --seeed 3", "ddlsim: --seeed: unknown option; did you mean --seed? see ddlsim run --help\n"},
    {"good.json --xyzzy", "ddlsim: --xyzzy: unknown option; see ddlsim run --help\n"},
    {"good.json --seed x", "ddlsim: --seed: \"x\" is no seed; expected a whole number from 0 to 2^64 - 1\n"},
    {"good.json --seed=-1", "ddlsim: --seed: \"-1\" is no seed; expected a whole number from 0 to 2^64 - 1\n"},
    {"good.json --seeds ''", "ddlsim: --seeds: \"\" is no seed; expected a seed, a range 1..3 or a list 1,3,5\n"},
    {"good.json --seeds 1,,2", "ddlsim: --seeds: \"\" is no seed; expected a seed, a range 1..3 or a list 1,3,5\n"},
    {"good.json --seeds 1,x", "ddlsim: --seeds: \"x\" is no seed; expected a seed, a range 1..3 or a list 1,3,5\n"},
    {"good.json --seeds 1-3", "ddlsim: --seeds: \"1-3\" is no seed; expected a seed, a range 1..3 or a list 1,3,5\n"},
    {"good.json --seeds 1..3,2", "ddlsim: --seeds: 2 is given twice; expected each seed once\n"},
    {"good.json --seeds 1..9999,20000..20005",
     "ddlsim: --seeds: \"20000..20005\" is too long; expected at most 10000 seeds\n"},
    {"good.json --seeds 3..1", "ddlsim: --seeds: \"3..1\" is empty; expected A..B with A not above B\n"},
    {"good.json --seeds 1..99999", "ddlsim: --seeds: \"1..99999\" is too long; expected at most 10000 seeds\n"},
    {"good.json --set x", "ddlsim: --set x: is no assignment; expected PATH=VALUE such as algorithm.partitions=4\n"},
    {"good.json --set a..b=1",
     "ddlsim: --set a..b: is not a path; expected one such as platform.workers or model.layers[0].units\n"},
    {"good.json --set platform.worker=3",
     "ddlsim: good.json: $.platform.worker: is an unknown key; did you mean \"workers\"?\n"},
    {"good.json --set platform.bandwidth=40",
     "ddlsim: good.json: $.platform.bandwidth: 40 has no unit; write for example \"40Mbps\"\n"},
    {"good.json --set seed=-1 --set compute.jitter=9",
     "ddlsim: good.json: $.seed: -1 is too small; expected a whole number from 0 to 18446744073709551615\n"
     "ddlsim: good.json: $.compute.jitter: 9 is too large; expected a number from 0 to 3\n"},
    {"good.json good.json",
     "ddlsim: good.json: $.name: its results would replace those of good.json in results/good/1; "
     "expected another name or seed\n"},
    {"good.json absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
    {"check absent.json also.json",
     "ddlsim: absent.json: no such file; expected a scenario\nddlsim: also.json: no such file; expected a scenario\n"},
    {"describe", "ddlsim: describe: no scenario given; see ddlsim describe --help\n"},
    {"describe absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
    {"describe algoritm", "ddlsim: describe: \"algoritm\" is neither a file nor a key; did you mean \"algorithm\"?\n"},
    {"describe algorithm.akoo",
     "ddlsim: describe: \"algorithm.akoo\" is neither a file nor a key; did you mean \"ako\"?\n"},
    {"describe stop.tim", "ddlsim: describe: \"stop.tim\" is neither a file nor a key; did you mean \"time\"?\n"},
    {"describe stop.time.x", "ddlsim: describe: \"stop.time.x\": stop.time has no keys below it\n"},
    {"expect", "ddlsim: expect: no scenario given; see ddlsim expect --help\n"},
    {"expect good.json", "ddlsim: good.json: $.expect: is missing; expected a list of what its runs must show\n"},
    {"expect absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
    {"tune", "ddlsim: tune: no scenario given; see ddlsim tune --help\n"},
    {"tune good.json",
     "ddlsim: good.json: $.model: is none, and a run without a model learns nothing; expected one that learns\n"},
    {"tune good.json --over algorithm.partitions",
     "ddlsim: --over algorithm.partitions: has no values; expected PATH=VALUE,VALUE,... such as "
     "algorithm.local_steps=4,16\n"},
    {"advise", "ddlsim: advise: no scenario or platform given; see ddlsim advise --help\n"},
    {"advise absent.json", "ddlsim: absent.json: no such file; expected a scenario\n"},
    {"advise absent.xml", "ddlsim: absent.xml: no such file; expected a platform or a scenario\n"},
    {"advise good.json",
     "ddlsim: good.json: $.stop.time: is missing; expected a time that all candidates may take, such as \"600s\"\n"},
    {"advise good.json --budget 0s", "ddlsim: --budget: 0s is no time; expected more than 0s, such as 10min\n"},
    {"advise good.json --target 80",
     "ddlsim: --target: 80 is out of range; expected 0 to 1; see ddlsim advise --help\n"},
    {"run good.json --threads 1.5",
     "ddlsim: --threads: 1.5 is no whole number; expected 1 to 4096; see ddlsim run --help\n"},
    {"emulate", "ddlsim: emulate: no scenario given; see ddlsim emulate --help\n"},
    {"new akoo", "ddlsim: new: \"akoo\" is no template; did you mean \"ako\"?\n"},
    {"new ako -o good.json", "ddlsim: new: good.json: exists; expected another name\n"},
    {"reproduce ako_2081", "ddlsim: \"ako_2081\" is no study; did you mean \"ako_2018\"?\n"},
    {"reproduce ako_2018 --full",
     "ddlsim: reproduce --full: needs CIFAR-10; expected --data with the folder of CIFAR-10's files\n"},
    {"reproduce ako_2018 --data x", "ddlsim: reproduce --data: is for --full alone, which trains on CIFAR-10\n"},
    {"reproduce zhang --data absent",
     "ddlsim: reproduce --data absent: is not the folder of CIFAR-10's files; expected a folder that is\n"},
    {"sweep", "ddlsim: sweep: no sweep file given; see ddlsim sweep --help\n"},
    {"compare", "ddlsim: compare: no results given; see ddlsim compare --help\n"},
    {"compare absent", "ddlsim: absent: no such folder; expected one with run.json, or one above such folders\n"},
    {"compare . --csv --json",
     "ddlsim: compare: --csv, --json, --markdown and --latex exclude one another; expected one of them\n"},
    {"compare . ", "ddlsim: .: holds no finished result; expected a folder with run.json, or one above such folders\n"},
    {"list algoritms", "ddlsim: list: \"algoritms\" is unknown; did you mean \"algorithms\"?\n"},
};

TEST_CASE("a bad command line or scenario has exit code 2, its lines on stderr, and writes nothing") {
  const Workplace place;
  for (const Refused& refused : kRefused) {
    const std::string arguments = refused.arguments;
    CAPTURE(arguments);
    const Reply answer = place.call(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(answer.err == refused.error);
    CHECK_FALSE(fs::exists(place.at("results")));
  }
}

TEST_CASE("what CLI11 finds wrong is one line that names the help") {
  const Workplace place;
  for (const char* arguments : {"good.json --threads 0", "good.json --threads x", "good.json --seed",
                                "good.json --seed 1 --seeds 1..2", "describe good.json good.json", "schema more"}) {
    const std::string shown = arguments;
    CAPTURE(shown);
    const Reply answer = place.call(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(answer.err.starts_with("ddlsim: "));
    CHECK(answer.err.find("--help") != std::string::npos);
    CHECK(answer.err.find('\n') == answer.err.size() - 1);
    CHECK_FALSE(fs::exists(place.at("results")));
  }
}

TEST_CASE("help and version answer on stdout with exit code 0") {
  const Workplace place;
  for (const char* arguments : {"--help",
                                "-h",
                                "help",
                                "run --help",
                                "check --help",
                                "describe --help",
                                "list --help",
                                "schema --help",
                                "model --help",
                                "reproduce --help",
                                "sweep --help",
                                "compare --help",
                                "plot --help",
                                "report --help",
                                "expect --help",
                                "new --help",
                                "emulate --help",
                                "bench --help",
                                "completion --help",
                                "manual --help",
                                "tune --help",
                                "advise --help"}) {
    const Reply answer = place.call(arguments);
    CAPTURE(answer.err);
    CHECK(answer.code == 0);
    CHECK(answer.out.find("Example") != std::string::npos);
    CHECK(answer.err == "");
  }
  const Reply version = place.call("--version");
  CHECK(version.code == 0);
  CHECK(version.out == "ddlsim " DDLSIM_VERSION "\n");
}

TEST_CASE("the main help lists twelve commands, and completion and manual all") {
  const Workplace place;
  const std::string help = place.call("--help").out;
  const std::string list =
      help.substr(help.find("Subcommands:\n"), help.find("\nLaboratory") - help.find("Subcommands:\n"));
  std::string words;
  for (std::size_t at = 0; (at = list.find("\n  ", at)) != std::string::npos; ++at) {
    if (list[at + 3] != ' ') words += list.substr(at + 3, list.find(' ', at + 3) - at - 3) + " ";
  }
  CHECK(words == "run check describe list sweep tune advise expect compare plot report new ");
  const std::string completion = place.call("completion bash").out, manual = place.call("manual").out;
  for (const std::string command : {"model", "schema", "completion", "manual"}) {
    CHECK(place.call(command + " --help").code == 0);
    CHECK(completion.find(" " + command + " ") != std::string::npos);
    CHECK(manual.find("\n.SS " + command + "\n") != std::string::npos);
  }
  CHECK(help.find("\n  emulate, reproduce, bench ") != std::string::npos);
}

TEST_CASE("list names the entries of every kind") {
  const Workplace place;
  CHECK(place.call("list algorithms").out.find("ako ") != std::string::npos);
  CHECK(place.call("list models").out.find("none ") != std::string::npos);
  CHECK(place.call("list data").out.find("cifar-10 ") != std::string::npos);
  CHECK(place.call("list topologies").out.find("two_sites ") != std::string::npos);
  const std::string graphs = place.call("list graphs").out;
  for (const char* graph : {"random_regular", "one_peer_exponential", "bipartite_exponential"}) {
    CHECK(graphs.find(graph) != std::string::npos);
  }
  CHECK(place.call("list optimizers").out.find("nesterov ") != std::string::npos);
  CHECK(place.call("list codecs").out.find("top_k ") != std::string::npos);
  const std::string faults = place.call("list faults").out;
  for (const char* fault : {"link_down ", "link_degraded ", "host_slowed ", "message_loss ", "stragglers ",
                            "host_crash ", "join ", "leave ", "churn "}) {
    CHECK(("\n" + faults).find("\n" + std::string(fault)) != std::string::npos);
  }
  fs::create_directories(place.at("scenarios"));
  place.write("scenarios/shipped.json", text_of(place.at("good.json")));
  CHECK(place.call("list scenarios").out.starts_with("shipped"));
  CHECK(place.call("check shipped").code == 0);
  CHECK(place.call("advise shiped").err == "ddlsim: \"shiped\" is no file; did you mean \"shipped\"?\n");
  CHECK(place.call("check shiped").err == "ddlsim: \"shiped\" is no file; did you mean \"shipped\"?\n");
  CHECK(place.call("shiped").err == "ddlsim: \"shiped\" is neither a command nor a file; did you mean \"shipped\"?\n");
  CHECK(place.call("completion bash").out.find("scenarios='shipped'") != std::string::npos);
  CHECK(place.call("completion zsh").out.find(" algorithm.partitions= ") != std::string::npos);
  fs::create_directories(place.at("scenarios/study"));
  place.write("scenarios/study/grid.json", R"({"base": "../shipped.json", "description": "a grid"})");
  CHECK(place.call("list sweeps").out.find("study/grid  a grid\n") != std::string::npos);
  CHECK(place.call("list scenarios").out.find("grid") == std::string::npos);
  const Reply all = place.call("list");
  CHECK(all.code == 0);
  for (const char* kind : {"systems (algorithms)\n", "models\n", "data\n", "topologies (platform.topology)\n",
                           "graphs (algorithm.topology)\n", "optimizers\n", "scenarios\n"}) {
    CHECK(all.out.find(kind) != std::string::npos);
  }
}

TEST_CASE("describe prints the scenario as it will be run") {
  const Workplace place;
  const Reply answer = place.call("describe good.json --set platform.workers=8");
  REQUIRE(answer.code == 0);
  CHECK(nlohmann::json::parse(answer.out)["platform"]["workers"] == 8);
  place.write("described.json", answer.out);
  CHECK(place.call("describe described.json").out == answer.out);
}

TEST_CASE("describe prints what the columns of a file of results mean") {
  const Workplace place;
  CHECK(place.call("describe traffic.csv").out.find("  utilisation [share]\n      share of the nominal bandwidth") !=
        std::string::npos);
  place.write("summary.json", "{}");
  CHECK(place.call("describe summary.json").out.starts_with("summary.json\n  name\n      "));
}

TEST_CASE("schema prints JSON") {
  const Workplace place;
  const Reply answer = place.call("schema");
  CHECK(answer.code == 0);
  CHECK(nlohmann::json::parse(answer.out)["title"] == "ddlsim scenario");
  CHECK(nlohmann::json::parse(place.call("schema sweep").out)["title"] == "ddlsim sweep");
}

TEST_CASE("check prints bounds and writes nothing") {
  const Workplace place;
  const Reply answer = place.call("check good.json");
  CHECK(answer.code == 0);
  CHECK(answer.err == "");
  CHECK(answer.out.starts_with("good.json: ok\n"));
  CHECK(answer.out.find("nothing that a step has to wait for") !=
        std::string::npos);  // Ako never waits for the network
  const Reply waits = place.call("check good.json --set algorithm=ring_allreduce");
  CHECK(waits.code == 0);
  CHECK(waits.out.find("bottleneck") != std::string::npos);
  CHECK_FALSE(fs::exists(place.at("results")));
}

TEST_CASE("a run writes its results, with or without the word, and prints a table") {
  const Workplace place;
  const Reply answer = place.call("good.json");
  CHECK(answer.err == "");
  REQUIRE(answer.code == 0);
  CHECK(answer.out.find("results/good/1") != std::string::npos);
  CHECK(fs::exists(place.at("results/good/1/run.json")));
  const Reply word = place.call("run good.json --seed 2 --out other --quiet");
  CHECK(word.code == 0);
  CHECK(word.out == "");
  CHECK(fs::exists(place.at("other/good/2/summary.json")));
}

TEST_CASE("with --json stdout is one document, or a list of them for several runs") {
  const Workplace place;
  const Reply one = place.call("good.json --json");
  REQUIRE(one.code == 0);
  CHECK(nlohmann::json::parse(one.out)["stopped_by"] == "iterations");
  const Reply three = place.call("good.json --json --seeds 1..3");
  REQUIRE(three.code == 0);
  CHECK(nlohmann::json::parse(three.out).size() == 3);
  for (const char* seed : {"1", "2", "3"}) CHECK(fs::exists(place.at(std::string("results/good/") + seed)));
}

TEST_CASE("training that diverges is told on stderr, by worker and step, and keeps its results") {
  const Workplace place;
  place.write("wild.json",
              R"({ "platform": { "workers": 2, "bandwidth": "1Gbps" }, "data": { "train": 100, "test": 50 },
                                "model": "softmax", "training": { "optimizer": { "type": "sgd", "learning_rate": 1e38 } },
                                "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ako",
                                "stop": { "iterations": 50 } })");
  const Reply answer = place.call("wild.json --json");
  CHECK(answer.code == 0);
  CHECK(answer.err.starts_with("ddlsim: wild.json: training diverged: w"));
  CHECK(answer.err.find(", step 1 at ") != std::string::npos);
  const auto summary = nlohmann::json::parse(answer.out);
  CHECK(summary["stopped_by"] == "diverged");
  CHECK(answer.err.find(summary["diverged"].get<std::string>()) != std::string::npos);
  CHECK(fs::exists(place.at("results/wild/1/curve.csv")));
  CHECK(place.call("compare results/wild").code == 0);
}

TEST_CASE("another scenario's result is replaced only by force, and is looked at before anything runs") {
  const Workplace place;
  REQUIRE(place.call("good.json --quiet").code == 0);
  place.write("new.json", text_of(place.at("good.json")));
  std::string longer = text_of(place.at("good.json"));
  longer.replace(longer.find("\"iterations\": 5"), 15, "\"iterations\": 6");
  place.write("good.json", longer);
  const Reply refused = place.call("new.json good.json");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--force") != std::string::npos);
  CHECK_FALSE(fs::exists(place.at("results/new")));
  CHECK(place.call("good.json --force --quiet").code == 0);
}

TEST_CASE("Ctrl-C ends a run with exit code 130 and leaves nothing behind") {
  const Workplace place;
  // A terminal sends the signal to the whole process group, which setsid gives the program for itself. In the
  // background a shell ignores SIGINT, hence the handler that is put back first. The run is a child process.
  place.write("interrupt.sh",
              "setsid env --default-signal=INT '" DDLSIM_BINARY
              "' good.json --set stop.iterations=10000000 2>err &\n"
              "pid=$!\nfor i in $(seq 100); do [ -z \"$(cat /proc/$pid/task/$pid/children)\" ] || break; "
              "sleep 0.1; done\nsleep 0.5\nkill -INT -$pid\nwait $pid\n");
  CHECK(WEXITSTATUS(std::system(("cd '" + place.at("").string() + "' && sh interrupt.sh").c_str())) == 130);
  CHECK(text_of(place.at("err")).ends_with("\nddlsim: interrupted\n"));  // after what a long run says first
  CHECK_FALSE(fs::exists(place.at("results")));
}

TEST_CASE("reproduce lists the studies") {
  const Reply answer = Workplace().call("reproduce");
  CHECK(answer.code == 0);
  for (const char* study : {"ako_2018", "cui_2019", "zhang"}) CHECK(answer.out.find(study) != std::string::npos);
}

TEST_CASE("Ctrl-C ends a study with exit code 130, without a page") {
  const Workplace place;
  const Reply answer = place.shell(interrupted_once("results/cells/*/*/*/run.json", "reproduce ako_2018 --quiet"));
  CHECK(answer.code == 130);
  CHECK(answer.err.starts_with("ddlsim: interrupted: "));
  CHECK(answer.err.find("the same command goes on from there\n") != std::string::npos);
  CHECK(answer.out == "");
  CHECK_FALSE(fs::exists(place.at("results/ako_2018.md")));
}

TEST_CASE("several runs may start at once in a folder that none of them finds") {
  const Workplace place;
  place.write("many.sh",
              "for round in 1 2 3 4 5 6; do rm -rf results\n"
              "for seed in 1 2 3 4; do '" DDLSIM_BINARY
              "' good.json --quiet --seed $seed 2>>err & done\n"
              "wait; done\n");
  CHECK(WEXITSTATUS(std::system(("cd '" + place.at("").string() + "' && sh many.sh").c_str())) == 0);
  CHECK(text_of(place.at("err")) == "");
}

TEST_CASE("output that cannot be delivered is no success") {
  const Workplace place;
  const std::string command = "'" DDLSIM_BINARY "' schema >/dev/full 2>/dev/null";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
}

}  // namespace
}  // namespace ddl::cli::command_line_test
