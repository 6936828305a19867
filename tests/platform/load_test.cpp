#include <doctest/doctest.h>
#include <simgrid/forward.h>
#include <simgrid/version.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>

#include "core/base/check.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/platform/simgrid_api.hpp"
#include "tests/support/forked.hpp"

using namespace ddl;
using namespace ddl::platform;

using nlohmann::json;

namespace {

json loaded(const std::string& file, const scenario::FilePlatform& hosts,
            const std::vector<std::pair<int, int>>& pairs = {}) {
  return ddl::forked([&] {
    const Fabric fabric(ddl::on_file(file, hosts));
    json result = {{"nodes", ddl::nodes(fabric)}, {"workers", fabric.worker_count()}, {"ways", json::array()}};
    for (const auto& [source, target] : pairs) result["ways"].push_back(ddl::way(fabric, source, target));
    return result;
  });
}

// The one line of the error, without the folder.
std::string error_of(const std::string& file, const scenario::FilePlatform& hosts = {}) {
  std::string said;
  const json result = ddl::forked([&] { return Fabric(ddl::on_file(file, hosts)), json("no error"); }, &said);
  CHECK(said == "");
  if (!result.contains("input_error")) return result.dump();
  const std::string text = result["input_error"].get<std::string>();
  const std::string folder = "$.platform.file: " + std::string(DDLSIM_SOURCE_DIR) + "/tests/platform/data/";
  CHECK(text.starts_with(folder));
  CHECK(text.find('\n') == std::string::npos);
  return text.substr(folder.size());
}

}  // namespace

TEST_CASE("all hosts but the servers are workers, in natural order of their names") {
  const json result = loaded("crossbar.xml", {.servers = {"n10", "n3"}});
  CHECK(result["nodes"] == json{"n0", "n1", "n2", "n4", "n5", "n6", "n7", "n8", "n9", "n11", "n10", "n3"});
  CHECK(result["workers"] == 10);
}

TEST_CASE("workers can be named, or counted") {
  CHECK(loaded("crossbar.xml", {.workers = {"n7", "n2"}, .servers = {"n0"}})["nodes"] == json{"n7", "n2", "n0"});
  CHECK(loaded("crossbar.xml", {.first_workers = 3, .servers = {"n1"}})["nodes"] == json{"n0", "n2", "n3", "n1"});
}

TEST_CASE("a cluster around a switch") {
  const json found = loaded("crossbar.xml", {}, {{0, 7}})["ways"][0];
  CHECK(found["links"] == json{"rack_link_0 up", "rack_link_7 down"});
  CHECK(found["latency_s"].get<double>() == doctest::Approx(100e-6));
  CHECK(found["bandwidths"] == json{125e6, 125e6});
}

TEST_CASE("a cluster around a shared backbone") {
  const json found = loaded("backbone.xml", {}, {{1, 2}})["ways"][0];
  CHECK(found["links"] == json{"rack_link_1 up", "rack_backbone both", "rack_link_2 down"});
  CHECK(found["latency_s"].get<double>() == doctest::Approx(600e-6));
}

// SimGrid 4.0 itself ends with a segmentation fault while it reads clusters of these topologies.
bool simgrid_reads_topologies() {
#if SIMGRID_VERSION >= 40000 && SIMGRID_VERSION < 40100
  MESSAGE("[skipped] SimGrid 4.0 crashes while reading fat trees, tori and dragonflies");
  return false;
#else
  return true;
#endif
}

TEST_CASE("a fat tree: two links under one leaf switch, four across") {
  if (!simgrid_reads_topologies()) return;
  const json result = loaded("fat_tree.xml", {}, {{0, 1}, {0, 15}});
  CHECK(result["workers"] == 16);
  CHECK(result["ways"][0]["links"].size() == 2);
  CHECK(result["ways"][1]["links"].size() == 4);
  CHECK(result["ways"][1]["latency_s"].get<double>() == doctest::Approx(200e-6));
}

TEST_CASE("a torus: one link per step along each axis") {
  if (!simgrid_reads_topologies()) return;
  // Hosts are numbered along the first axis (3 long), then the second, then the third: 11 is (2, 1, 1).
  const json result = loaded("torus.xml", {}, {{0, 1}, {0, 2}, {0, 11}});
  CHECK(result["ways"][0]["links"].size() == 1);
  CHECK(result["ways"][1]["links"].size() == 1);  // round the back
  CHECK(result["ways"][2]["links"].size() == 3);
}

TEST_CASE("a dragonfly: two links at one router, a third within a group") {
  if (!simgrid_reads_topologies()) return;
  const json result = loaded("dragonfly.xml", {}, {{0, 1}, {0, 2}, {0, 7}});
  CHECK(result["ways"][0]["links"].size() == 2);
  CHECK(result["ways"][1]["links"].size() == 3);
  CHECK(result["ways"][2]["links"].size() > 3);
}

TEST_CASE("a dogbone: both directions share the bridge") {
  const json result = loaded("dogbone.xml", {}, {{0, 3}, {3, 0}});
  CHECK(result["nodes"] == json{"left0", "left1", "right0", "right1"});
  CHECK(result["ways"][0]["links"] == json{"l0 up", "bridge both", "r1 down"});
  CHECK(result["ways"][1]["links"] == json{"r1 up", "bridge both", "l0 down"});
  CHECK(result["ways"][0]["latency_s"].get<double>() == doctest::Approx(0.007));
}

TEST_CASE("Vivaldi coordinates are milliseconds") {
  const json result = loaded("vivaldi.xml", {.workers = {"here", "there", "nowhere"}}, {{0, 1}, {2, 0}});
  CHECK(result["ways"][0]["links"] == json{"link_here up", "link_there down"});
  CHECK(result["ways"][0]["latency_s"].get<double>() == doctest::Approx(0.050));  // sqrt(30^2 + 40^2)
  CHECK(result["ways"][1]["latency_s"].get<double>() == doctest::Approx(0.031));  // 30 and a height of 1
}

TEST_CASE("two clusters joined by a backbone that gives every flow all of it") {
  const json result = loaded("two_clusters.xml", {.servers = {"b0"}}, {{0, 1}, {0, 7}});
  CHECK(result["nodes"] == json{"a0", "a1", "a2", "a3", "b1", "b2", "b3", "b0"});
  CHECK(result["ways"][0]["links"] == json{"alice_link_0 up", "alice_link_1 down"});
  CHECK(result["ways"][1]["links"] == json{"alice_link_0 up", "backbone free", "bob_link_0 down"});
  CHECK(result["ways"][1]["latency_s"].get<double>() == doctest::Approx(0.0101));
}

TEST_CASE("a route that is not there is told of when it is needed, and links that no route uses are not listed") {
  for (const auto& [file, from, to] :
       {std::tuple("hub_full.xml", "a", "b"), std::tuple("island_floyd.xml", "a", "island"),
        std::tuple("broken_no_route.xml", "a", "b")}) {
    const json result = ddl::forked([&, file = file, from = from, to = to] {
      const Fabric fabric(ddl::on_file(file, {.workers = {from, to}}));
      return json(fabric.find_route(0, 1).latency_s);
    });
    CHECK(result["input_error"].get<std::string>().ends_with(
        std::string(file) + ": has no route from \"" + from + "\" to \"" + to +
        "\" with a link or a latency, between which this system sends messages"));
  }
  const json links = ddl::forked([&] {
    const Fabric fabric(ddl::on_file("hub_full.xml", {.workers = {"a", "b"}, .servers = {"hub"}}));
    json names = json::array();
    for (const auto& link : fabric.links()) names.push_back(link.name + " " + link.direction);
    return names;
  });
  CHECK(links == json{"l_a free", "l_b both"});
}

TEST_CASE("factors scale the links of a file before anything is checked") {
  const json found = ddl::forked([&] {
    scenario::Scenario scenario = ddl::on_file("crossbar.xml");
    scenario.platform.bandwidth_factor = 0.5;
    scenario.platform.latency_factor = 3;
    return ddl::way(Fabric(scenario), 0, 7);
  });
  CHECK(found["latency_s"].get<double>() == doctest::Approx(300e-6));
  CHECK(found["bandwidths"] == json{62.5e6, 62.5e6});
}

TEST_CASE("the text that was read with the scenario counts, not what is in the file now") {
  const json result = ddl::forked([&] {
    std::ifstream file(std::string(DDLSIM_SOURCE_DIR) + "/tests/platform/data/pair.xml");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Fabric fabric(ddl::on_file("gone.xml", {.text = std::make_shared<const std::string>(text)}));
    return ddl::nodes(fabric);
  });
  CHECK(result == json{"a", "b"});
}

TEST_CASE("links that a file calls NAME_UP are not halves of a full-duplex link, which SimGrid calls so") {
  const std::string text =
      "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"caf\xe9>1\" speed=\"1Gf\"/>"
      "<host id=\"&#233;&gt;2\" speed=\"1Gf\"/><link id=\"a\" bandwidth=\"1MBps\" latency=\"0s\" "
      "sharing_policy=\"SPLITDUPLEX\"/>"
      "<link id=\"b_UP\" bandwidth=\"2MBps\" latency=\"0s\"/><link id=\"b_DOWN\" bandwidth=\"3MBps\" latency=\"0s\"/>"
      "<link id=\"c_UP\" bandwidth=\"4MBps\" latency=\"0s\" sharing_policy=\"SPLITDUPLEX\"/>"
      "<route src=\"caf\xe9>1\" dst=\"&#xe9;>2\" symmetrical=\"NO\"><link_ctn id=\"a\" direction=\"UP\"/>"
      "<link_ctn id=\"b_UP\"/><link_ctn id=\"c_UP\" direction=\"DOWN\"/></route>"
      "<route src=\"&#xe9;>2\" dst=\"caf\xe9>1\" symmetrical=\"NO\"><link_ctn "
      "id=\"b_DOWN\"/></route></zone></platform>";
  const json result = loaded("own.xml", {.text = std::make_shared<const std::string>(text)}, {{0, 1}, {1, 0}});
  REQUIRE_MESSAGE(result.contains("nodes"), result.dump());
  CHECK(result["nodes"] == json{"caf\xc3\xa9>1", "\xc3\xa9>2"});  // in UTF-8
  CHECK(result["ways"][0]["links"] == json{"a up", "b_UP both", "c_UP down"});
  CHECK(result["ways"][0]["bandwidths"] == json{1e6, 2e6, 4e6});
  CHECK(result["ways"][1]["links"] == json{"b_DOWN both"});
}

TEST_CASE("hosts that are not there, twice or too few are told of in one line") {
  CHECK(error_of("crossbar.xml", {.workers = {"n0", "m7"}}) ==
        "crossbar.xml: has no host \"m7\"; did you mean \"n7\"?");
  CHECK(error_of("dogbone.xml", {.servers = {"server"}}) ==
        "dogbone.xml: has no host \"server\"; its hosts are left0, left1, right0, right1");
  CHECK(error_of("pair.xml", {.workers = {"a", "a"}}) == "pair.xml: host \"a\" is asked for twice");
  CHECK(error_of("pair.xml", {.workers = {"a"}, .servers = {"a"}}) == "pair.xml: host \"a\" is asked for twice");
  CHECK(error_of("pair.xml", {.servers = {"a", "b"}}) ==
        "pair.xml: has 0 hosts beside the servers; expected at least one for a worker");
  CHECK(error_of("pair.xml", {.first_workers = 2, .servers = {"a"}}) ==
        "pair.xml: has 1 host beside the servers; expected 2 for workers");
}

TEST_CASE("broken platform files are told of in one line") {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"missing.xml", "no such file; expected a SimGrid platform file"},
      {"broken_empty.xml", "line 1: cannot be read as XML: no element found"},
      {"broken_not_xml.xml", "line 1: cannot be read as XML: not well-formed (invalid token)"},
      {"broken_other_xml.xml", "is no SimGrid platform file: starts with <scenario>; expected <platform>"},
      {"broken_no_doctype.xml",
       "has no DOCTYPE before <platform>; expected the line "
       "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"},
      {"broken_unknown_tag.xml", "line 8: unknown tag <rout>; did you mean \"route\"?"},
      {"broken_actor.xml", "line 10: tag <actor>: a scenario brings its own actors; expected only hosts and links"},
      {"broken_duplicate_host.xml", "Refusing to create a second host named 'a'."},
      {"broken_duplicate_link.xml", "Link 'l' declared several times in the platform."},
      {"broken_unknown_attribute.xml",
       "line 5: Invalid XML (XML input line 5, state 74): Bad attribute `colour' in `host' element start tag."},
      {"broken_unit.xml", "line 5: unknown unit: parsecs"},
      {"broken_link_name.xml", "Link not found: l"},
      {"broken_route_end.xml", "line 8: Route dst='c' does name a node"},
      {"broken_routing.xml", "Not a valid model!"},
      {"broken_state_file.xml",
       "line 6: state_file: profiles in platform files are not played; expected times when a host or link is down in "
       "$.faults"},
      {"broken_speed_file.xml",
       "line 6: speed_file: profiles in platform files are not played; expected bandwidths, latencies and speeds in "
       "$.platform.profiles"},
      {"broken_trace.xml",
       "line 5: tag <trace>: profiles in platform files are not played; expected bandwidths, latencies and speeds in "
       "$.platform.profiles, and times when a host or link is down in $.faults"},
      {"broken_coordinates.xml", "Please specify the Vivaldi coordinates of Netzone c1"},
      {"broken_no_graph.xml", "SimGrid crashes while reading it; is there a zone without hosts or routes?"},
      {"broken_no_host.xml", "has 0 hosts beside the servers; expected at least one for a worker"},
      {"broken_no_zone.xml", "SimGrid crashes while reading it; is there a zone without hosts or routes?"},
      {"broken_old.xml", "line 3: ******* THIS FILE IS TOO OLD (v:3.0) *********"},
      {"broken_cut.xml", "line 9: cannot be read as XML: no element found"},
  };
  for (const auto& [file, what] : expected) CHECK(error_of(file) == file + ": " + what);
  CHECK(error_of("") == ": is a folder; expected a SimGrid platform file");
}

namespace {

// The error at a platform whose <config> starts in line 4, or "".
std::string error_of_config(const std::string& config) {
  const std::string before =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n";
  const std::string zone = "<zone id=\"z\" routing=\"Wifi\"><prop id=\"access_point\" value=\"ap\"/></zone></platform>";
  try {
    read_platform_text(before + config + zone, "p.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a file's <config> may set factors of the network model, and repeat keys of the scenario") {
  for (const char* name : {"network/bandwidth-factor", "network/latency-factor", "network/weight-S", "network/model",
                           "network/crosstraffic", "network/TCP-gamma", "network/optim"}) {
    CHECK(error_of_config("<config><prop value='2' id = '" + std::string(name) + "'/></config>") == "");
  }
  CHECK(error_of_config("") == "");
  CHECK(error_of_config("<config/>") == "");
  CHECK(error_of_config("<config id=\"General\"></config>") == "");
}

// SimGrid obeys them: a limit of flows and another solver share links otherwise than the accelerator does, and a plugin
// changes the speeds of hosts.
TEST_CASE("what else a file's <config> sets is refused by name, and the line says that it may be deleted") {
  const std::string expected =
      "which is not obeyed here; expected only network/bandwidth-factor, network/latency-factor, network/weight-S of "
      "what changes times; the <config> may be deleted";
  for (const char* name : {"maxmin/concurrency-limit", "network/solver", "plugin", "contexts", "smpi", "smpiX/a"}) {
    CHECK(error_of_config("<config id='General'>\n<prop id='network/weight-S' value='0'/>\n<prop id=\"" +
                          std::string(name) + "\" value=\"yes\"/></config>") ==
          "p.xml: line 6: <config> sets \"" + std::string(name) + "\", " + expected);
  }
  CHECK(error_of_config("<config><prop id='network/latency_factors' value='2'/></config>") ==
        "p.xml: line 4: <config> sets \"network/latency_factors\", which is not obeyed here; did you mean "
        "\"network/latency-factor\"?; the <config> may be deleted");
  // However it is written.
  for (const char* prop :
       {"<prop value=' id=\"network/model\"' id='network/solver'/>", "<prop value='>' id='network/solver'/>",
        "<prop\nid\t=\n'network/solver' value='1'/>", "<!-- > --><prop id='network/solver' value='1'></prop>",
        "<prop id='net&#119;ork/sol&#x76;er' value='1'/>"}) {
    CHECK(error_of_config("<config>" + std::string(prop) + "</config>").ends_with("\"network/solver\", " + expected));
  }
}

TEST_CASE("a value of a file's <config> that no network can have is refused with its line") {
  const auto error_of_value = [](const std::string& name, const std::string& value) {
    return error_of_config("<config>\n<prop id=\"network/" + name + "\" value=\"" + value + "\"/></config>");
  };
  const auto expected = [](const std::string& name, const std::string& value, const std::string& what) {
    return "p.xml: line 5: <config> sets \"network/" + name + "\" to \"" + value + "\"; expected a finite number " +
           what;
  };
  const std::map<std::string, std::string> what = {
      {"latency-factor", "of at least 0"}, {"bandwidth-factor", "above 0"}, {"weight-S", "of at least 0"}};
  for (const auto& [name, range] : what) {
    for (const char* value : {"inf", "nan", "-1", "1e400", "abc", "", "0x10", "2 3", "0:1;1000:-2", "1;2"}) {
      CHECK(error_of_value(name, value) == expected(name, value, range));
    }
    for (const char* value : {"0.97", "1e-3", " 2 ", "13"}) CHECK(error_of_value(name, value) == "");
  }
  CHECK(error_of_value("bandwidth-factor", "0") == expected("bandwidth-factor", "0", "above 0"));
  CHECK(error_of_value("latency-factor", "0") == "");
  CHECK(error_of_value("weight-S", "0") == "");
  // Factors by size, which not every version of SimGrid has.
  const std::string list = "0:0.9;1000:0.5";
  CHECK(error_of_value("weight-S", list) == expected("weight-S", list, "of at least 0"));
  CHECK((error_of_value("latency-factor", list) == "") == simgrid_api::factors_by_size);
}
