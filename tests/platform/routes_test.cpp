// Contents of platforms, generated and from files: routes.txt.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/base/check.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/forked.hpp"

namespace ddl::platform::routes_test {
namespace {

using nlohmann::json;

int node_called(const Fabric& fabric, const std::string& name) {
  for (int node = 0; node < fabric.node_count(); ++node) {
    if (fabric.name(node) == name) return node;
  }
  return -1;
}

// The part of a line of routes.txt behind "nodes", "sites", "links", "link names", "w0 to w1" or
// "window of w0 to w1".
std::string answer(const Fabric& fabric, const std::string& asked) {
  std::string text;
  if (asked == "links") return std::to_string(fabric.links().size());
  if (asked == "link names") {
    for (const LinkInfo& info : fabric.links()) text += (text.empty() ? "" : ", ") + info.name + " " + info.direction;
    return text;
  }
  if (asked == "sites") {
    const auto& names = fabric.site_names();
    for (int node = 0; node < fabric.node_count(); ++node) {
      const int site = fabric.site(node);
      text += (node > 0 ? " " : "") + (names.empty() ? std::to_string(site) : names.at(static_cast<std::size_t>(site)));
    }
    return text;
  }
  if (asked == "nodes") {
    for (int node = 0; node < fabric.node_count(); ++node) text += (node > 0 ? " " : "") + fabric.name(node);
    return text;
  }
  const std::string of_window = "window of ";
  const std::string nodes = asked.substr(asked.starts_with(of_window) ? of_window.size() : 0);
  const std::size_t to = nodes.find(" to ");
  try {
    const Route route =
        fabric.find_route(node_called(fabric, nodes.substr(0, to)), node_called(fabric, nodes.substr(to + 4)));
    if (nodes != asked) return fmt::format("{:.6g}", route.window_bytes);
    for (const int link : route.links) {
      const LinkInfo& info = fabric.links().at(static_cast<std::size_t>(link));
      text += fmt::format("{} {} {:.6g}, ", info.name, info.direction, info.bandwidth_bytes_per_s);
    }
    return text + fmt::format("{:.6g} s", route.latency_s);
  } catch (const InputError& error) {
    return error.what();
  }
}

json all_answers(const Example& example) {
  const std::string text = R"({"algorithm": "alone", "stop": {"iterations": 1}, "platform": )" + example.given + "}";
  const scenario::Scenario scenario = scenario::parse_scenario(
      systems::built_in(), text, std::string(DDLSIM_SOURCE_DIR) + "/tests/platform/data/scenario.json");
  const Fabric fabric(scenario);
  json answers = json::array();
  for (const std::string& line : example.expected) {
    const std::string asked = line.substr(0, line.find(": "));
    answers.push_back(asked + ": " + answer(fabric, asked));
  }
  return answers;
}

}  // namespace

TEST_CASE("platforms have the hosts, links and ways that are derived by hand, and broken ones one line that says why") {
  for (const Example& example : examples_in("tests/platform/routes.txt")) {
    CAPTURE(example.place);
    std::string said;
    const json result = forked([&] { return all_answers(example); }, &said);
    CHECK(said == "");
    if (result.is_object()) {
      const std::string error = result.begin().value();
      REQUIRE_MESSAGE(example.expected.size() == 1, error);
      CHECK_MESSAGE(is_like("error: " + error, example.expected[0]), error);
      continue;
    }
    for (std::size_t i = 0; i < example.expected.size(); ++i) {
      CHECK_MESSAGE(is_like(result[i], example.expected[i]), result[i]);
    }
  }
}

}  // namespace ddl::platform::routes_test
