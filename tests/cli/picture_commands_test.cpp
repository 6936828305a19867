// Transcripts of `ddlsim plot` and `ddlsim report`.
#include <regex>

#include "tests/cli/workplace.hpp"

namespace ddl::cli::picture_commands_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* learning = R"({ "platform": { "workers": 2, "servers": 1, "bandwidth": "40Mbps" },
    "data": { "train": 200, "test": 50 }, "model": "softmax", "wire": { "model_bytes": "1MB" },
    "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ps_async", "stop": { "iterations": 20 },
    "evaluate": { "every_iterations": 4, "target_accuracy": [0.1] } })";

constexpr const char* grid = R"({ "base": "learning.json",
    "vary": { "platform.bandwidth": ["8Mbps", "40Mbps"], "platform.workers": [2, 3], "algorithm": ["ps_async", "ako"] },
    "seeds": [1, 2] })";

bool there_is(const Workplace& place, const std::string& programs) {
  const Reply answer =
      place.shell("for p in " + programs + "; do command -v $p >/dev/null || { echo $p; exit 1; }; done");
  if (answer.code != 0) MESSAGE("[skipped] needs " << answer.out);
  return answer.code == 0;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("plot draws in the format that the file's ending says, with every line in the legend and units on axes") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  REQUIRE(place.call("learning.json --quiet --seeds 1..3").code == 0);
  REQUIRE(place.call("learning.json --quiet --set name=other --set algorithm=ako").code == 0);
  const Reply answer = place.call("plot results -o pictures/curves.svg --x bytes --y loss --title 'a < b & c'");
  CHECK(answer.err == "");
  CHECK(answer.code == 0);
  CHECK(answer.out == "pictures/curves.svg\n");
  const std::string svg = text_of(place.at("pictures/curves.svg"));
  CHECK(svg.ends_with("</svg>\n\n"));
  for (const char* text : {">ps_async<", ">ako<", "sent by all nodes (MB)", "test loss (nats)", "a &lt; b &amp; c"}) {
    CAPTURE(text);
    CHECK(svg.find(text) != std::string::npos);
  }
  REQUIRE(place.call("plot results -o curves.png").code == 0);
  CHECK(text_of(place.at("curves.png")).starts_with("\x89PNG"));
  REQUIRE(place.call("plot results/learning -o curves.pdf --x epochs").code == 0);
  CHECK(text_of(place.at("curves.pdf")).starts_with("%PDF"));
  // Two scenarios are two lines; run by run, four.
  REQUIRE(place.call("plot results -o runs.svg --runs").code == 0);
  CHECK(count_of(text_of(place.at("runs.svg")), ", seed ") == 4);
}

TEST_CASE("plot draws a sweep's map and a traced run's links") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  place.write("grid.json", grid);
  REQUIRE(place.call("sweep grid.json --quiet").code == 0);
  const Reply map = place.call("plot results/grid -o map.svg --kind map --y accuracy");
  CHECK(map.err == "");
  REQUIRE(map.code == 0);
  const std::string svg = text_of(place.at("map.svg"));
  for (const char* text : {">8Mbps<", ">40Mbps<", ">workers<", ">bandwidth<", "best scheme by final test accuracy"}) {
    CAPTURE(text);
    CHECK(svg.find(text) != std::string::npos);
  }
  REQUIRE(place.call("learning.json --quiet --trace").code == 0);
  REQUIRE(place.call("plot results/learning -o links.svg --kind links").code == 0);
  CHECK(text_of(place.at("links.svg")).find(">ps0 up<") != std::string::npos);
}

TEST_CASE("what cannot be drawn is refused with one line, and no file") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  REQUIRE(place.call("learning.json --quiet").code == 0);
  REQUIRE(place.call("good.json --quiet").code == 0);
  const struct {
    const char *arguments, *error;
  } cases[] = {
      {"plot results/learning -o picture.jpg",
       "picture.jpg: is no kind of picture; expected a name that ends in .svg, .png or .pdf"},
      {"plot -o picture.svg", "plot: no results given; see ddlsim plot --help"},
      {"plot absent -o picture.svg", "absent: no such folder; expected one with run.json, or one above such folders"},
      {"plot results/learning -o picture.svg --y speed",
       "--y: \"speed\" is not to be had for curves; expected one of accuracy, loss, train_loss"},
      {"plot results/learning -o picture.svg --kind map",
       "a map needs two settings that vary beside the scheme, but none does; expected a sweep over "
       "platform.bandwidth and platform.workers, for instance"},
      {"plot results/learning -o picture.svg --kind links",
       "results/learning/1: has no links.csv; expected a run with --trace, which writes it"},
      {"plot results/good -o picture.svg", "results/good/1: has no learning curve; expected runs that were evaluated"},
      {"plot results/learning -o picture.svg --target 0.5", "--target: is for --kind map"},
      {"report -o page.html", "report: no results given; see ddlsim report --help"},
  };
  for (const auto& [arguments, error] : cases) {
    CAPTURE(arguments);
    const Reply answer = place.call(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out == "");
    CHECK(answer.err == std::string("ddlsim: ") + error + "\n");
  }
  CHECK_FALSE(fs::exists(place.at("picture.svg")));
  const Reply without = place.shell("PATH=/nowhere '" DDLSIM_BINARY "' plot results/learning -o picture.svg");
  CHECK(without.code == 2);
  CHECK(without.err.starts_with("ddlsim: gnuplot: not found; expected Debian's package gnuplot-nox"));
}

TEST_CASE("a report holds everything itself, whatever is in the names") {
  const Workplace place;
  place.write("odd.json", R"({ "name": "</script><b>", "description": "<!--",
                               "platform": { "workers": 2, "bandwidth": "40Mbps" },
                               "model": "none", "wire": { "model_bytes": "1MB" },
                               "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ako",
                               "stop": { "iterations": 5 } })");
  CHECK(place.call("odd.json --quiet").code == 2);  // a name is a folder's
  place.write("odd.json", text_of(place.at("odd.json")).replace(11, 12, "<script><b>"));
  REQUIRE(place.call("odd.json --quiet").code == 0);
  REQUIRE(place.call("report results -o page.html").code == 0);
  const std::string page = text_of(place.at("page.html"));
  CHECK(page.find("<title>results</title>") == std::string::npos);
  CHECK(page.find("&lt;script&gt;&lt;b&gt;") != std::string::npos);
  CHECK(count_of(page, "<script") == 3);  // data, library, page
  CHECK(count_of(page, "</script>") == 3);
  CHECK_FALSE(std::regex_search(page, std::regex("(src|href)=\"?(https?:)?//")));
}

TEST_CASE("a report opens in a browser without errors, its toggles work, and a large sweep's opens in two seconds") {
  const Workplace place;
  if (!there_is(place, "node chromium")) return;
  const std::string check = "node '" DDLSIM_SOURCE_DIR "/tests/cli/page_check.mjs' ";
  place.write("learning.json", learning);
  REQUIRE(place.call("learning.json --quiet --seeds 1..2 --trace").code == 0);
  REQUIRE(place.call("learning.json --quiet --set name=other --set algorithm=gossip").code == 0);
  REQUIRE(place.call("report results -o page.html --title 'Two schemes'").code == 0);
  const Reply small = place.shell(check + "page.html 3 2");
  CHECK_MESSAGE(small.code == 0, small.out << small.err);
  place.write("grid.json",
              R"({ "base": "learning.json", "set": { "stop.iterations": 300, "evaluate.every_iterations": 1 },
      "vary": { "platform.bandwidth": ["8Mbps", "40Mbps", "80Mbps", "1Gbps", "2Gbps"],
                "algorithm": ["ps_async", "ako"] },
      "seeds": [1, 2, 3, 4, 5] })");
  REQUIRE(place.call("sweep grid.json --quiet").code == 0);
  REQUIRE(place.call("report results/grid -o grid.html").code == 0);
  const Reply large = place.shell(check + "grid.html 50 10");
  CHECK_MESSAGE(large.code == 0, large.out << large.err);
  std::smatch opened;
  REQUIRE(std::regex_search(large.out, opened, std::regex("opened in (\\d+) ms")));
  CHECK(std::stoi(opened[1]) > 0);
  CHECK(std::stoi(opened[1]) < 2000);
}

}  // namespace ddl::cli::picture_commands_test
