// The model packets over platforms as runs have them, against hand calculations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sim/network/packets/segment.hpp"
#include "tests/support/carried.hpp"
#include "tests/support/forked.hpp"

namespace ddl {
namespace packet_model_test {
namespace {

using network::packets::frame_of_segment_bytes;
using network::packets::overhead_bytes;
using network::packets::segment_bytes;
using nlohmann::json;

constexpr double bandwidth = 5e6;  // bytes of frames per second
constexpr double frame_s = frame_of_segment_bytes / bandwidth;

// Each line that frames cross makes them sooner or later by up to half of one.
doctest::Approx about(double seconds, int lines) {
  return doctest::Approx(seconds).epsilon(lines * frame_s / 2 / (1 + seconds));
}

scenario::Scenario as_packets(scenario::Scenario scenario) {
  scenario.platform.network = {.model = scenario::NetworkModel::packets};
  return scenario;
}

scenario::Scenario on_star(double latency_s, double queue_s = 0.05, int workers = 5) {
  scenario::Scenario scenario =
      as_packets(on_platform({.workers = workers, .bandwidth = {{bandwidth}}, .latency = {latency_s}}));
  scenario.platform.network.queue = {queue_s};
  return scenario;
}

std::vector<double> times(const scenario::Scenario& scenario, const std::vector<Sent>& messages,
                          const std::function<void(network::Network&, std::size_t)>& before = nullptr) {
  const json found = forked([&] { return json(carried(scenario, messages, before)); });
  REQUIRE_MESSAGE(found.is_array(), found.dump());
  return found.get<std::vector<double>>();
}

TEST_CASE("on a star a message takes its frames, one more for the second link, and the latency") {
  CHECK(times(on_star(0.05), {{0, 1, 10 * segment_bytes}})[0] == about(0.05 + 11 * frame_s, 2));
  CHECK(times(on_star(0), {{0, 1, 1000 * segment_bytes}})[0] == about(1001 * frame_s, 2));
  // The next window waits for an acknowledgement.
  const double trip_s = 0.1 + 2 * frame_s + 2 * overhead_bytes / bandwidth;
  CHECK(times(on_star(0.05), {{0, 1, 30 * segment_bytes}})[0] == about(trip_s + 0.05 + 21 * frame_s, 6));
}

TEST_CASE("a connection keeps its window, and forgets it while it is idle") {
  const std::vector<double> found = times(
      on_star(0.05), {{0, 1, 30 * segment_bytes}, {0, 1, 20 * segment_bytes, 0.35}, {0, 1, 30 * segment_bytes, 9}});
  CHECK(found[1] == about(0.35 + 0.05 + 21 * frame_s, 2));
  CHECK(found[2] - 9 == about(found[0], 12));
}

TEST_CASE("on a ring a message crosses each link of its way, and on a mesh one") {
  scenario::Scenario ring = as_packets(
      on_platform({.topology = scenario::Topology::ring, .workers = 6, .bandwidth = {{bandwidth}}, .latency = {0.01}}));
  for (const int target : {1, 2, 3, 4, 5}) {
    CAPTURE(target);
    const int links = std::min(target, 6 - target);
    CHECK(times(ring, {{0, target, 10 * segment_bytes}})[0] == about(0.01 * links + (9 + links) * frame_s, links));
  }
  scenario::Scenario mesh = as_packets(
      on_platform({.topology = scenario::Topology::mesh, .workers = 3, .bandwidth = {{bandwidth}}, .latency = {0.01}}));
  CHECK(times(mesh, {{0, 2, 10 * segment_bytes}})[0] == about(0.01 + 10 * frame_s, 1));
}

TEST_CASE("between two sites all messages share the link of their site") {
  scenario::GeneratedPlatform sites{.topology = scenario::Topology::two_sites,
                                    .workers = 4,
                                    .bandwidth = {{bandwidth}},
                                    .latency = {0.001},
                                    .site_bandwidth = {{1e6}},
                                    .site_latency = {{0.02}}};
  const double bytes = 1e6, all_s = 2 * std::ceil(bytes / segment_bytes) * frame_of_segment_bytes / 1e6;
  const std::vector<double> found = times(as_packets(on_platform(sites)), {{0, 2, bytes}, {1, 3, bytes}});
  const double last_s = *std::ranges::max_element(found);
  CHECK(last_s > all_s);
  CHECK(last_s < 1.05 * all_s + 0.1);
  // Within a site nothing of that is felt.
  CHECK(times(as_packets(on_platform(sites)), {{0, 2, bytes}, {0, 1, 10 * segment_bytes, 0.5}})[1] - 0.5 < 0.1);
}

TEST_CASE("of a fat pipe each message has all, of a link that both directions share both have it together") {
  // Over l0 and l1 of tests/platform/data/fat_pipes.xml, 1 and 2 MB/s; and l3 and l4, 1 and 4 MB/s.
  const scenario::Scenario file = as_packets(on_file("fat_pipes.xml"));
  const double segments = 1000, alone_s = segments * frame_of_segment_bytes / 1e6;
  const std::vector<double> fat = times(
      file, {{0, 1, segments * segment_bytes}, {1, 0, segments * segment_bytes}, {0, 5, segments * segment_bytes}});
  for (const double seconds : fat) CHECK(seconds == doctest::Approx(alone_s).epsilon(0.05));
  const std::vector<double> shared = times(file, {{3, 4, segments * segment_bytes}, {4, 3, segments * segment_bytes}});
  CHECK(*std::ranges::max_element(shared) > 2 * alone_s);
  CHECK(*std::ranges::max_element(shared) < 1.3 * 2 * alone_s);  // with acknowledgements, some of which are lost
}

TEST_CASE("latencies that no link has count, too: those of coordinates") {
  // 50 ms from (0, 0) to (30, 40); 1 MB/s out of one, 10 MB/s into the other.
  const scenario::Scenario file = as_packets(on_file("vivaldi.xml", {.workers = {"here", "there"}}));
  CHECK(times(file, {{0, 1, 10 * segment_bytes}})[0] ==
        doctest::Approx(0.05 + 10 * frame_of_segment_bytes / 1e6 + frame_of_segment_bytes / 1e7)
            .epsilon(frame_of_segment_bytes / 1e6));
}

TEST_CASE("many connections into one host take turns, and lose only time") {
  std::vector<Sent> messages;
  for (const int source : {0, 1, 2, 3}) messages.push_back({source, 4, 1000 * segment_bytes});
  const std::vector<double> found = times(on_star(0.01), messages);
  const double last_s = *std::ranges::max_element(found);
  CHECK(last_s > 4000 * frame_s);
  CHECK(last_s < 1.1 * 4000 * frame_s);
}

TEST_CASE("when a link is up again, a message ends soon after") {
  const std::vector<Sent> messages = {{0, 1, 1000 * segment_bytes}, {0, 1, 1000 * segment_bytes, 0.1}};
  const std::vector<double> usual = times(on_star(0.02), messages);
  for (const char* const link : {"w0", "w1"}) {
    for (const auto direction :
         {scenario::LinkDirection::both, scenario::LinkDirection::up, scenario::LinkDirection::down}) {
      CAPTURE(link);
      CAPTURE(static_cast<int>(direction));
      scenario::Scenario scenario = on_star(0.02);
      scenario.faults.emplace_back(scenario::LinkDown{{{0.05}, {5}}, link, direction});
      const std::vector<double> found = times(scenario, messages);
      for (std::size_t i = 0; i < messages.size(); ++i) {
        CHECK(found[i] > 5);
        CHECK(found[i] - 5 < usual[i] + 2);  // round trips of 5 s count an eighth; a probe waits for two
      }
    }
  }
}

TEST_CASE("a latency that changes holds for what leaves a link from then on") {
  scenario::Scenario scenario = on_star(0.02);
  for (const char* link : {"w0", "w1"}) {
    scenario::LatencyProfile profile;
    profile.link = link;
    profile.points = {{{1}, {0.1}}};  // of one link; of the two of a way it was 20 ms
    scenario.platform.profiles.emplace_back(profile);
  }
  const std::vector<double> found = times(scenario, {{0, 1, 10 * segment_bytes}, {0, 1, 10 * segment_bytes, 2}});
  CHECK(found[0] == about(0.02 + 11 * frame_s, 2));
  CHECK(found[1] == about(2 + 0.2 + 11 * frame_s, 2));
}

TEST_CASE("a connection is as new when one of its hosts was away, others are not") {
  for (const int gone : {0, 1, 2}) {
    CAPTURE(gone);
    const std::vector<double> found =
        times(on_star(0.05), {{0, 1, 30 * segment_bytes}, {0, 1, 20 * segment_bytes, 0.35}},
              [gone](network::Network& network, std::size_t i) {
                if (i != 1) return;
                network.set_reachable(gone, false);
                network.set_reachable(gone, true);
              });
    const double new_s = gone == 2 ? 0 : 0.1 + 2 * frame_s + 2 * overhead_bytes / bandwidth - 10 * frame_s;
    CHECK(found[1] == about(0.35 + 0.05 + 21 * frame_s + new_s, 6));
  }
}

TEST_CASE("turns of one host's messages do not depend on what another begins at the same instant") {
  const scenario::Scenario scenario = on_star(0.01, 0.05, 6);
  const auto ends_of_first_two = [&](const std::vector<Sent>& of_another) {
    std::vector<Sent> messages = {{0, 1, 100 * segment_bytes}, {0, 2, 100 * segment_bytes}};
    messages.insert(messages.end(), of_another.begin(), of_another.end());
    const std::vector<double> found = times(scenario, messages);
    return std::vector<double>(found.begin(), found.begin() + 2);
  };
  const std::vector<double> alone = ends_of_first_two({});
  CHECK(alone[0] != alone[1]);
  CHECK(ends_of_first_two({{3, 4, 100 * segment_bytes}, {3, 5, 100 * segment_bytes}}) == alone);
}

// A message that a crash cuts off, and another into the same host; also one between others, which makes the network
// take a look just before.
TEST_CASE("what a host had sent before it crashed takes its time, whatever else happens in the network") {
  const auto other_ends_s = [](const std::vector<Sent>& between_others) {
    std::vector<Sent> messages = {{2, 1, 1000 * segment_bytes}, {0, 1, 500 * segment_bytes}, {3, 4, 1, 0.1}};
    messages.insert(messages.end(), between_others.begin(), between_others.end());
    const std::vector<double> found = times(on_star(0.01), messages, [](network::Network& network, std::size_t i) {
      if (i == 2) network.set_reachable(2, false);
    });
    CHECK(found[0] == -1);
    return found[1];
  };
  const double alone_s = times(on_star(0.01), {{0, 1, 500 * segment_bytes}})[0];
  const double expected_s = other_ends_s({});
  CHECK(expected_s > alone_s + 10 * frame_s);
  CHECK(other_ends_s({{4, 3, 1, 0.0999}}) == expected_s);
  CHECK(other_ends_s({{4, 3, 1, 0.05}, {4, 3, 1, 0.07}, {4, 3, 1, 0.09}}) == expected_s);
}

TEST_CASE("what of an unfinished message has got through is counted up to now") {
  const json carried_bytes = forked([] {
    double of_link = 0;
    carried(on_star(0.01), {{0, 1, 1000 * segment_bytes}, {3, 4, 1, 0.2}},
            [&](network::Network& network, std::size_t i) {
              if (i == 1) of_link = std::ranges::max(network.totals().bytes_per_link);
            });
    return json(of_link);
  });
  REQUIRE_MESSAGE(carried_bytes.is_number(), carried_bytes.dump());
  // 200 ms at the rate, but for the latency, and some round trips of 20 ms with the first windows.
  const double most = (0.2 - 0.01) / frame_s * segment_bytes;
  CHECK(carried_bytes.get<double>() <= most);
  CHECK(carried_bytes.get<double>() > 0.7 * most);
}

TEST_CASE("messages that are lost at random are sent again, and all arrive") {
  scenario::Scenario scenario = on_star(0.01);
  scenario::MessageLoss loss;
  loss.probability = 0.3;
  loss.link = "w0";
  scenario.faults.emplace_back(loss);
  std::vector<Sent> messages;
  for (int i = 0; i < 20; ++i) messages.push_back({0, 1, 10 * segment_bytes, 0.1 * i});
  const std::vector<double> found = times(scenario, messages);
  CHECK(std::ranges::min(found) > 0);
  CHECK(std::ranges::is_sorted(found));
  CHECK(std::ranges::any_of(messages, [&](const Sent& sent) {
    return found[static_cast<std::size_t>(&sent - messages.data())] > sent.start_s + 0.1;
  }));
}

}  // namespace
}  // namespace packet_model_test
}  // namespace ddl
