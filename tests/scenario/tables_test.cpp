// Files of profiles, traces, graphs and matrices: one reader, so that each may be written in every way.
#include <doctest/doctest.h>

#include "core/systems/table.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/dialects.hpp"
#include "tests/support/files.hpp"

namespace ddl::scenario::tables_test {

namespace {

struct TableOf {
  const char *what, *setting, *before, *after, *plain;
};
constexpr TableOf tables[] = {
    {"a profile", "platform.profiles", R"([{"quantity": "bandwidth", "link": "w0", "file": )", "}]",
     "time_s,bandwidth_bps\n0,2e6\n30,1e-400\n60,8000000\n"},
    {"a trace", "faults", R"([{"type": "availability", "file": )", "}]", "client,start_s,end_s\nw9,0,10\n7,2.5,30\n"},
    {"a graph", "algorithm", R"({"name": "d_psgd", "topology": {"edges": )", "}}",
     "from,to,weight\nw0,w1,0.5\nw1,w2,0.25\n"},
    {"a matrix", "platform", R"({"topology": "regions", "matrix": )", "}",
     "from,to,up,down,latency\na,a,8Mbps,,1ms\nb,b,8Mbps,,1ms\na,b,4Mbps,2Mbps,20ms\n"},
    {"measured connections", "platform", R"({"topology": "measured", "matrix": )", "}",
     "from,to,rate_mbps,rtt_ms,streams\na,a,8,1,1\nb,b,8e0,1.5,1\na,b,4,20,3\n"}};

// The scenario as kept, or its error.
std::string kept(const TableOf& table, const std::string& text) {
  const TemporaryFolder folder;
  folder.write("table.csv", text);
  try {
    return describe(parse_scenario(
        systems::built_in(), R"({"platform": {"workers": 3, "bandwidth": "1Mbps"}, "model": "none",
        "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "1s"}, "algorithm": "d_psgd",
        "stop": {"iterations": 3}})",
        "s.json", {{table.setting, table.before + ("\"" + folder.file("table.csv") + "\"") + table.after}}));
  } catch (const ScenarioErrors& errors) {
    const std::string line = errors.lines.front(), file = folder.file("table.csv");
    const std::size_t at = line.find(file);
    return errors.lines.size() > 1 || at == std::string::npos ? "unexpected: " + line : line.substr(at + file.size());
  }
}

}  // namespace

TEST_CASE("tables of a scenario are the same in every way to write them, and without their ends are refused") {
  for (const TableOf& table : tables) {
    CAPTURE(table.what);
    const std::string plain = table.plain, expected = kept(table, plain);
    REQUIRE(expected.starts_with("{"));
    for (const auto& [what, text] : dialects_of(plain)) {
      CAPTURE(what);
      CHECK(kept(table, text) == expected);
    }
    const std::string header = plain.substr(0, plain.find('\n'));
    const std::string said = kept(table, "");
    CHECK(said.starts_with("\": is empty; expected the header \""));
    CHECK(said.ends_with("\"" + header + "\""));
  }
}

TEST_CASE("tables of a scenario that are none are one line each, with the line of the table") {
  for (const TableOf& table : tables) {
    CAPTURE(table.what);
    const std::string plain = table.plain, header = plain.substr(0, plain.find('\n'));
    CHECK(kept(table, plain + "1\n").find("\"1\" has 1 cell; expected ") != std::string::npos);
    CHECK(kept(table, plain + std::string("\0", 1)).find(": holds a zero byte; expected text") != std::string::npos);
    CHECK(kept(table, plain + "\"1\n").find(", column 1: has no closing quote; expected one") != std::string::npos);
    CHECK(kept(table, header + ",more\n").starts_with("\": line 1: \"" + header + ",more\" is no header; expected \""));
    CHECK(kept(table, header + "\n").find("; expected ") != std::string::npos);
  }
}

}  // namespace ddl::scenario::tables_test
