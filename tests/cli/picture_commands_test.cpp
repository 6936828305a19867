// Transcripts of `ddlsim plot` and `ddlsim report`.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/view/look.hpp"
#include "sim/view/plots/type.hpp"
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

// "#0072b2" as gnuplot writes it.
std::string in_svg(const std::string& colour) {
  std::array<char, 24> text{};
  const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  std::snprintf(text.data(), text.size(), "rgb(%3d, %3d, %3d)", part(1), part(3), part(5));
  return text.data();
}

// What a text of an SVG covers, without those parts of letters that only few have below the line.
struct Covered {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;
  bool meets(const Covered& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct Texts {
  double width = 0, height = 0;  // of the picture
  std::vector<Covered> all;
};

Texts texts_in(const std::string& svg) {
  Texts texts;
  std::smatch size;
  REQUIRE(std::regex_search(svg, size, std::regex(R"re(viewBox="0 0 ([\d.]+) ([\d.]+)")re")));
  texts.width = std::stod(size[1]);
  texts.height = std::stod(size[2]);
  const std::regex pattern(R"re(translate\(([-\d.]+),([-\d.]+)\)( rotate\(-90\))?)re"
                           R"re("[^>]*font-size="([\d.]+)"\s+text-anchor="(\w+)">\s*<text>([^<]*)<)re");
  for (std::sregex_iterator found(svg.begin(), svg.end(), pattern), end; found != end; ++found) {
    const std::smatch& part = *found;
    if (part[6].length() == 0) continue;
    const double x = std::stod(part[1]), y = std::stod(part[2]), type = std::stod(part[4]);
    const double width = type * view::text_width(part[6].str()), height = 0.73 * type;
    const double before = part[5] == "middle" ? width / 2 : part[5] == "end" ? width : 0;
    texts.all.push_back(part[3].matched ? Covered{part[6], x - height, x, y - width + before, y + before}
                                        : Covered{part[6], x - before, x - before + width, y - height, y});
  }
  CHECK(texts.all.size() == count_of(svg, "<text>") - count_of(svg, "<text></text>"));
  return texts;
}

// A PDF's page, and its words without a fifth of their lines above and below, in points. Turned words are higher than
// wide.
struct PdfWords {
  Covered page;
  std::vector<Covered> words;
  std::vector<double> line_heights;  // of words long enough to tell which way they run
};

PdfWords words_in(const std::string& boxes) {
  PdfWords all;
  std::smatch size;
  REQUIRE(std::regex_search(boxes, size, std::regex(R"re(<page width="([\d.]+)" height="([\d.]+)")re")));
  all.page = {"", 0, std::stod(size[1]), 0, std::stod(size[2])};
  const std::regex pattern(R"re(<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">([^<]*)<)re");
  for (std::sregex_iterator found(boxes.begin(), boxes.end(), pattern), end; found != end; ++found) {
    const std::smatch& part = *found;
    Covered word{part[5], std::stod(part[1]), std::stod(part[3]), std::stod(part[2]), std::stod(part[4])};
    const double wide = word.right - word.left, high = word.bottom - word.top;
    if (word.text.size() >= 4) all.line_heights.push_back(std::min(wide, high));
    (wide < high ? word.left : word.top) += 0.2 * std::min(wide, high);
    (wide < high ? word.right : word.bottom) -= 0.2 * std::min(wide, high);
    all.words.push_back(word);
  }
  return all;
}

void check_apart(const std::vector<Covered>& texts, double width, double height) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].text);
    CHECK(texts[i].left >= 0);
    CHECK(texts[i].right <= width);
    CHECK(texts[i].top >= 0);
    CHECK(texts[i].bottom <= height);
    for (std::size_t k = 0; k < i; ++k) CHECK_MESSAGE(!texts[i].meets(texts[k]), texts[k].text);
  }
}

}  // namespace

TEST_CASE("a picture's data lie beside it: means of three seeds, and a deviation to either side") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  place.done("learning.json --quiet --seeds 1..3");
  std::size_t rows = 0;
  std::map<double, std::map<std::string, double>> accuracies;  // the last of each seed
  for (const char* seed : {"1", "2", "3"}) {
    for (const auto& row : results::read_mean_curve(place.at("results/learning") / seed)) {
      accuracies[row.epoch][seed] = *row.test_accuracy;
    }
  }
  place.done("plot results/learning -o e.svg --x epochs --band sd");
  results::read_table(place.at("e.data.csv"), "", [&](const results::TableRow& row) {
    const std::vector<std::string> expected = {"series", "runs", "epoch", "test_accuracy", "low", "high"};
    CHECK(row.columns() == expected);
    CHECK(row.text(1) == "3");
    std::vector<double> values;
    for (const auto& [seed, accuracy] : accuracies.at(row.number(2))) values.push_back(accuracy);
    if (values.size() < 3) return;  // between two evaluations of some seed
    const auto estimate = *results::estimate(values);
    CHECK(row.number(3) == doctest::Approx(estimate.mean));
    CHECK(row.number(4) == doctest::Approx(std::max(0.0, estimate.mean - estimate.deviation)));
    CHECK(row.number(5) == doctest::Approx(std::min(1.0, estimate.mean + estimate.deviation)));
    ++rows;
  });
  CHECK(rows >= 3);
}

TEST_CASE("a system has its colour in every picture, whatever else is in it") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  for (const char* system : {"ps_async", "gossip", "single"}) {
    place.done(std::string("learning.json --quiet --set name=") + system + " --set algorithm=" + system);
  }
  for (const char* kind : {"curves", "steps"}) {
    CAPTURE(kind);
    const std::string options = std::string(" --kind ") + kind + " -o picture.svg";
    place.done("plot results/gossip results/single results/ps_async" + options);
    const std::string three = text_of(place.at("picture.svg"));
    place.done("plot results/ps_async results/gossip" + options);
    const std::string two = text_of(place.at("picture.svg"));
    for (const char* system : {"ps_async", "gossip"}) {
      CHECK(two.find(in_svg(view::look_of(system).colour)) != std::string::npos);
      CHECK(three.find(in_svg(view::look_of(system).colour)) != std::string::npos);
    }
    place.done("plot results/ps_async results/gossip --grey" + options);
    CHECK(text_of(place.at("picture.svg")).find(in_svg(view::look_of("gossip").colour)) == std::string::npos);
  }
}

TEST_CASE("a PDF for paper has 8 pt type, all of it on the page and none over another") {
  const Workplace place;
  if (!there_is(place, "gnuplot pdftotext")) return;
  place.write("learning.json", learning);
  place.write("grid.json", grid);
  place.done("sweep grid.json --quiet");
  place.done("learning.json --quiet --seeds 1..3 --trace");
  place.done("learning.json --quiet --seeds 1..3 --set algorithm=local_sgd");
  for (const std::string size : {"one", "two"}) {
    for (const std::string kind :
         {"results/learning* --kind curves", "results/learning* --kind target", "results/learning* --kind steps",
          "results/learning/1 --kind links", "results/grid --kind map --y accuracy",
          "results/grid --kind curves --facet network", "results/grid --kind speedup --y samples --facet network"}) {
      CAPTURE(size);
      CAPTURE(kind);
      place.done("plot " + kind + " -o p.pdf --size " + size);
      const Reply boxes = place.shell("pdftotext -bbox p.pdf -");
      REQUIRE_MESSAGE(boxes.code == 0, boxes.err);
      const PdfWords all = words_in(boxes.out);
      CHECK(all.page.right == std::floor((size == "one" ? 84 : 174) / 25.4 * 72));
      // A line of a sans serif is 1.1 to 1.2 times its type's size high; notes are of 0.85 times that size.
      for (const double height : all.line_heights) {
        CHECK(height > 0.85 * 8 * 1.1);
        CHECK(height < 8 * 1.2);
      }
      CHECK(std::ranges::max(all.line_heights) > 8 * 1.1);
      check_apart(all.words, all.page.right, all.page.bottom);
    }
  }
}

// Of DejaVu Sans's glyphs the third is the blank, and the others of ASCII follow in order.
TEST_CASE("texts are as wide as the font says") {
  const Workplace place;
  if (!there_is(place, "fc-match")) return;
  const std::string file = place.shell("fc-match -f '%{file}' 'DejaVu Sans:style=Book'").out;
  if (file.find("DejaVuSans.ttf") == std::string::npos) {
    MESSAGE("[skipped] needs DejaVu Sans");
    return;
  }
  const std::string font = text_of(file);
  const auto number = [&](std::size_t at, int bytes) {
    std::size_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value = value << 8 | static_cast<unsigned char>(font.at(at + static_cast<std::size_t>(i)));
    return value;
  };
  std::map<std::string, std::size_t> tables;
  for (std::size_t i = 0; i < number(4, 2); ++i) tables[font.substr(12 + 16 * i, 4)] = number(12 + 16 * i + 8, 4);
  const auto units = static_cast<double>(number(tables.at("head") + 18, 2));
  for (char letter = ' '; letter <= '~'; ++letter) {
    CAPTURE(letter);
    const auto glyph = static_cast<std::size_t>(letter - ' ' + 3);
    const auto advance = static_cast<double>(number(tables.at("hmtx") + 4 * glyph, 2)) / units;
    CHECK(view::text_width(std::string(1, letter)) == doctest::Approx(advance).epsilon(0.002));
  }
}

TEST_CASE("no text is cut or lies over another, in every kind of picture and at every size") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  place.write("grid.json", R"({ "base": "learning.json", "set": { "evaluate.target_accuracy": [0.1, 0.2] },
      "vary": { "platform.bandwidth": ["4Mbps", "8Mbps", "16Mbps", "100Mbps", "1Gbps"], "platform.workers": [1, 2, 3],
      "algorithm": ["ps_async", "ako"] }, "seeds": [1, 2] })");
  place.done("sweep grid.json --quiet");
  place.done("learning.json --quiet --seeds 1..3 --trace --set name='a_long_name-of-what_was_run_here'");
  place.done(
      "learning.json --quiet --seeds 1..3 --set algorithm=local_sgd --set training.optimizer.learning_rate=0.125");
  const std::string named = " --label ps_async='a parameter server, of which much is to be said' ";
  const std::string all = "results/grid" + named;
  const std::string kinds[] = {
      "results/l* results/a* --kind curves --y loss --title 'What is learned, as a title of many words says, over "
      "time'",
      "results/l* results/a* --kind target --target 0.1",
      "results/grid/*=100Mbps*=2* --kind target --target 0.2 --logx",
      "results/l* results/a* --kind steps --logx",
      "results/grid --kind staleness --facet platform.workers",
      "results/a*/1 --kind links",
      all + "--kind map --y accuracy",
      all + "--kind map --y time --target 0.1 --grey",
      "results/grid/*=1Gbps* results/grid/*=16Mbps*" + named + "--kind curves --facet network",
      all + "--kind curves --facet platform.workers",
      all + "--kind target --target 0.1 --facet network",
      all + "--kind speedup --y samples --facet network"};
  for (const std::string size : {"screen", "one", "two", "160x170"}) {
    for (const std::string& kind : kinds) {
      CAPTURE(size);
      CAPTURE(kind);
      place.done("plot " + kind + " -o p.svg --size " + size);
      const std::string svg = text_of(place.at("p.svg"));
      CHECK(svg.find("scale(0.00)") == std::string::npos);  // some programs refuse such a picture
      CHECK(svg.find("<text> ") == std::string::npos);      // a blank would move a number off its tick
      const Texts texts = texts_in(svg);
      CHECK(texts.all.size() > 5);
      check_apart(texts.all, texts.width, texts.height);
    }
  }
}

TEST_CASE("panels are in order of value, and a loss's axis does not begin at 0") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  place.write("grid.json",
              R"({ "base": "learning.json", "vary": { "platform.bandwidth": ["8Mbps", "40Mbps", "1Gbps"] } })");
  place.done("sweep grid.json --quiet");
  place.done("plot results/grid/*1G* results/grid/*40M* results/grid/*=8M* -o p.svg --y loss --facet network");
  const std::string svg = text_of(place.at("p.svg"));
  const std::size_t first = svg.find(">bandwidth 8Mbps<"), second = svg.find(">bandwidth 40Mbps<");
  CHECK(first < second);
  CHECK(second < svg.find(">bandwidth 1Gbps<"));
  double least = 1e9;
  results::read_table(place.at("p.data.csv"), "", [&](const auto& row) { least = std::min(least, row.number(4)); });
  std::vector<double> numbers;
  for (const Covered& text : texts_in(svg).all) {
    if (text.left < 100 && text.text.find_first_not_of("0123456789.") == std::string::npos)
      numbers.push_back(std::stod(text.text));
  }
  REQUIRE(numbers.size() > 3);
  CHECK(least > 0.5);
  CHECK(std::ranges::min(numbers) == 0);  // of the x axis
  CHECK(std::ranges::count_if(numbers, [&](double number) { return number < least / 2; }) == 1);
}

TEST_CASE("bars show the mean time to a target") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  const std::string targets = " --set 'evaluate.target_accuracy=[0.2, 0.99]' --quiet --seeds 1..3";
  place.done("learning.json --set name=a" + targets);
  place.done("learning.json --set name=b --set algorithm=gossip" + targets);
  place.done("plot results/a results/b -o t.svg --kind target");
  std::size_t rows = 0;
  results::read_table(place.at("t.data.csv"), "series,runs,time_to_target_s,low,high", [&](const auto& row) {
    double sum = 0;
    for (const char* seed : {"1", "2", "3"}) {
      sum += *results::read_finished(place.at(rows == 0 ? "results/a" : "results/b") / seed)
                  .measure(results::time_to(0.2));
    }
    CHECK(row.number(2) == doctest::Approx(sum / 3));
    ++rows;
  });
  CHECK(rows == 2);
}

TEST_CASE("speed-up is over one worker alone") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  // Nothing travels and no gradient varies: n workers alone finish n times as many samples.
  place.write("grid.json", R"({ "base": "learning.json", "set": { "compute.jitter": 0 },
      "vary": { "platform.workers": [1, 2, 4], "algorithm": ["single", "alone"] }, "seeds": [1, 2, 3] })");
  place.done("sweep grid.json --quiet");
  place.done("plot results/grid -o s.svg --kind speedup --y samples");
  std::vector<double> seen;
  results::read_table(place.at("s.data.csv"), "series,runs,workers,speed_up,low,high", [&](const auto& row) {
    CHECK(row.number(3) == doctest::Approx(row.number(2)));
    CHECK(row.number(4) == doctest::Approx(row.number(2)));
    seen.push_back(row.number(2));
  });
  CHECK(seen == std::vector<double>{1, 2, 4});
}

TEST_CASE("step times and staleness are cumulative shares that end at one") {
  const Workplace place;
  if (!there_is(place, "gnuplot")) return;
  place.write("learning.json", learning);
  place.done("learning.json --quiet --seeds 1..2");
  const struct { const char *kind, *column; } kinds[] = {{"steps", "step_s"}, {"staleness", "staleness_updates"}};
  for (const auto& [kind, column] : kinds) {
    CAPTURE(kind);
    place.done(std::string("plot results/learning -o d.svg --kind ") + kind);
    std::vector<double> values;  // of all steps
    for (const char* seed : {"1", "2"}) {
      results::NodeNames nodes;
      results::read_rows<run::IterationRow>(
          place.at("results/learning") / seed, nodes, [&](const run::IterationRow& row) {
            values.push_back(std::string(kind) == "steps" ? row.end_s - row.start_s : row.staleness);
          });
    }
    double last = -1;
    bool first = true;
    results::read_table(
        place.at("d.data.csv"), std::string("series,runs,") + column + ",share_of_steps,low,high",
        [&](const results::TableRow& row) {
          const auto at_most = std::ranges::count_if(values, [&](double v) { return v <= row.number(2); });
          if (!first)
            CHECK(row.number(3) == doctest::Approx(static_cast<double>(at_most) / static_cast<double>(values.size())));
          first = false;
          last = row.number(3);
        });
    CHECK(last == 1);
  }
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
  place.done("odd.json --quiet");
  place.done("report results -o page.html");
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
  place.done("learning.json --quiet --seeds 1..2 --trace");
  place.done("learning.json --quiet --set name=other --set algorithm=gossip");
  place.done("report results -o page.html --title 'Two schemes'");
  const Reply small = place.shell(check + "page.html 3 2");
  CHECK_MESSAGE(small.code == 0, small.out << small.err);
  // However long a name is.
  std::string page = text_of(place.at("page.html"));
  const std::string name = "\"gossip\"", longer = "\"gossip_" + std::string(80, 'x') + "\"";
  for (std::size_t at = 0; (at = page.find(name, at)) != std::string::npos; at += longer.size()) {
    page.replace(at, name.size(), longer);
  }
  place.write("long.html", page);
  const Reply wide_names = place.shell(check + "long.html 3 2");
  CHECK_MESSAGE(wide_names.code == 0, wide_names.out << wide_names.err);
  place.write("grid.json",
              R"({ "base": "learning.json", "set": { "stop.iterations": 300, "evaluate.every_iterations": 1 },
      "vary": { "platform.bandwidth": ["8Mbps", "40Mbps", "80Mbps", "1Gbps", "2Gbps"],
                "algorithm": ["ps_async", "ako"] },
      "seeds": [1, 2, 3, 4, 5] })");
  place.done("sweep grid.json --quiet");
  place.done("report results/grid -o grid.html");
  const Reply large = place.shell(check + "grid.html 50 10");
  CHECK_MESSAGE(large.code == 0, large.out << large.err);
  std::smatch opened;
  REQUIRE(std::regex_search(large.out, opened, std::regex("opened in (\\d+) ms")));
  CHECK(std::stoi(opened[1]) > 0);
  CHECK(std::stoi(opened[1]) < 2000);
}

}  // namespace ddl::cli::picture_commands_test
