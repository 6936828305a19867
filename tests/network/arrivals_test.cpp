// Messages over networks as runs have them, in every model, by each solver, against hand calculations.
#include "tests/network/arrivals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "sim/network/packets/segment.hpp"

namespace ddl::network {
namespace arrivals_test {
namespace {

using scenario::GeneratedPlatform;
using scenario::NetworkModel;
using scenario::Scenario;
using scenario::Topology;

constexpr double segment = 1448, bandwidth = 5e6;  // bytes, bytes per second of frames
constexpr double useful = segment / (1514 + 33);   // share of a link in TCP: frames have headers and acknowledgements
constexpr double segment_s = segment / useful / bandwidth;                        // in TCP
constexpr double frame_s = 1514 / bandwidth, acknowledgement_s = 66 / bandwidth;  // in packets

Scenario with_window(Scenario scenario, double bytes) {
  scenario.platform.network.tcp_window = {bytes};
  return scenario;
}
Scenario with_queue(Scenario scenario, double seconds) {
  scenario.platform.network.queue = {seconds};
  return scenario;
}
Scenario with_window_after_idle(Scenario scenario) {
  scenario.platform.network.slow_start_after_idle = false;
  return scenario;
}
// The latency of links from a time on.
Scenario with_latency(Scenario scenario, std::initializer_list<const char*> links, double from_s, double latency_s) {
  for (const char* link : links) {
    scenario::LatencyProfile profile;
    profile.link = link;
    profile.points = {{{from_s}, {latency_s}}};
    scenario.platform.profiles.emplace_back(profile);
  }
  return scenario;
}

// 1 MB/s from host to host.
Scenario star(int workers, double latency_s) {
  return on_platform({.workers = workers, .bandwidth = {{1e6}}, .latency = {latency_s}});
}
// The same with more bandwidth, in a model that has frames, and queues of 50 ms.
Scenario star(NetworkModel model, double latency_s, int workers = 6) {
  return with_queue(on_platform({.workers = workers, .bandwidth = {{bandwidth}}, .latency = {latency_s}}, model), 0.05);
}
Scenario tcp(double latency_s) { return star(NetworkModel::TCP, latency_s); }
Scenario packets(double latency_s) { return star(NetworkModel::packets, latency_s); }

// With a seed that makes the first messages from w0 and w2 to w1 count as equally many flows.
Scenario with_equal_shares(Scenario scenario) {
  const auto flows = [&](const char* pair) { return stream(scenario.seed, pair, "uneven shares").below(4); };
  while (flows("w0 to w1") != flows("w2 to w1")) ++scenario.seed;
  return scenario;
}

// In the model of packets, each line makes frames sooner or later by up to half a frame.
double jitter_s(int lines) { return lines * frame_s / 2; }

// Takes a host away when message i is sent, and back at once.
auto away_before(std::size_t i, int host) {
  return [=](Network& network, std::size_t next) {
    if (next != i) return;
    network.set_reachable(host, false);
    network.set_reachable(host, true);
  };
}
auto gone_before(std::size_t i, int host) {
  return [=](Network& network, std::size_t next) {
    if (next == i) network.set_reachable(host, false);
  };
}

std::vector<Sent> all_to_all(int nodes, double bytes) {
  std::vector<Sent> messages;
  for (int source = 0; source < nodes; ++source) {
    for (int target = 0; target < nodes; ++target) {
      if (source != target) messages.push_back({source, target, bytes});
    }
  }
  return messages;
}

}  // namespace

TEST_CASE("in the textbook's model a message takes latency + bytes / bandwidth, and links are shared fairly") {
  const Scenario pair = star(2, 0.001), far = on_platform({.workers = 2, .bandwidth = {{125e6}}, .latency = {0.1}});
  const Scenario uneven = on_platform({.workers = 4,
                                       .servers = 1,
                                       .bandwidth = {{1e6}, {0.5e6}, {0.125e6}},
                                       .server_bandwidth = {{4e6}},
                                       .latency = {0.02}});
  const Scenario narrow_w1_and_w2 =
      on_platform({.workers = 4, .bandwidth = {{1e6}, {0.5e6}, {0.25e6}}, .latency = {0.02}});
  arrives("one message", pair, {{0, 1, 1e6}}, {1.001});
  arrives("two links of 1 and 2 MB/s: the slower one counts, and both latencies",
          on_platform({.topology = Topology::ring, .workers = 5, .bandwidth = {{1e6}, {2e6}}, .latency = {0.25}}),
          {{0, 2, 3e6}}, {3.5});
  arrives("the two directions of a full-duplex link do not meet", pair, {{0, 1, 1e6}, {1, 0, 1e6}}, {1.001, 1.001});
  arrives("those of a plain link share it", on_file("pair.xml"), {{0, 1, 1e6}, {1, 0, 1e6}}, {2.001, 2.001});
  arrives("the scenario's model wins over the file's", on_file("config.xml"), {{0, 1, 1e6}}, {1.001});
  arrives("over fat pipes each has all of the narrowest", on_file("fat_pipes.xml"), {{0, 1, 1e6}, {0, 2, 1e6}},
          {1.02, 2.011});
  arrives("four into one host", star(5, 0.01), {{1, 0, 1e6}, {2, 0, 1e6}, {3, 0, 1e6}, {4, 0, 1e6}},
          {4.01, 4.01, 4.01, 4.01});
  arrives("unequal links hold back their own messages", uneven, {{4, 0, 1e6}, {4, 1, 1e6}, {4, 2, 1e6}, {4, 3, 1e6}},
          {1.02, 2.02, 8.02, 1.02});
  // Each of three gets 1/12 of w2's 1/4 MB/s; each of two gets 5/24, an equal part of the rest of w1's 1/2 MB/s; one
  // gets the rest of w0's and w3's 1 MB/s, 17/24.
  arrives("messages that start together never get more than their links have", narrow_w1_and_w2, all_to_all(4, 1e6),
          {4.82, 12.02, 0.02 + 24 / 17.0, 4.82, 12.02, 4.82, 12.02, 12.02, 12.02, 0.02 + 24 / 17.0, 4.82, 12.02});
  arrives("three out of one host leave the rest of a way to another", star(4, 0.01),
          {{0, 1, 1e6}, {0, 2, 1e6}, {0, 3, 1e6}, {3, 2, 2e6}}, {3.01, 3.01, 3.01, 3.01});
  arrives("alone for a second, halves for two, alone again for a half", star(3, 0.01), {{0, 1, 2.5e6}, {0, 2, 1e6, 1}},
          {3.51, 3.01});
  arrives("there is no window: 4 MiB a round trip would take 5 s", far, {{0, 1, 125e6}}, {1.1});
  arrives("unless one is set: 1 MB in a round trip of 0.2 s", with_window(far, 1e6), {{0, 1, 10e6}}, {2.1});
  arrives("13.01 latencies, 0.97 of the bandwidth: SimGrid's LV08", on_file("lv08.xml"), {{0, 1, 1e6}},
          {13.01 * 0.001 + 1 / 0.97});
  arrives("three times the latency, half of the bandwidth", on_file("factors.xml"), {{0, 1, 12e5}}, {0.3 + 2.4});
  arrives("latencies change where the file sets their factor, by the accelerator",
          with_latency(on_file("factors.xml"), {"wire"}, 1, 0.2), {{0, 1, 0, 0.5}, {0, 1, 0, 2}}, {0.8, 2.6},
          {.solvers = {scenario::LinkSolver::accelerator}});
}

TEST_CASE("n messages out of one host, into it, or both, take n times as long, for thousands as for two") {
  for (const int n : {2, 500, 3000}) {
    std::vector<Sent> out, in, both;
    for (int other = 1; other <= n; ++other) {
      out.push_back({0, other, 1e6});
      in.push_back({other, 0, 1e6});
    }
    both = out;
    both.insert(both.end(), in.begin(), in.end());
    const auto at_s = [&](std::size_t messages) { return std::vector<double>(messages, 0.01 + n); };
    arrives("out", star(n + 1, 0.01), out, at_s(out.size()), {.solvers = {scenario::LinkSolver::accelerator}});
    arrives("in", star(n + 1, 0.01), in, at_s(in.size()), {.solvers = {scenario::LinkSolver::accelerator}});
    arrives("both", star(n + 1, 0.01), both, at_s(both.size()), {.solvers = {scenario::LinkSolver::accelerator}});
  }
}

TEST_CASE("in TCP and in packets each window waits for an acknowledgement of the one before") {
  // The link is idle between windows of 10, 20 and 40 segments. One way is 50 ms.
  const double first_gap_s = 0.1 - 10 * segment_s, second_gap_s = 0.1 - 20 * segment_s,
               gaps_s = first_gap_s + second_gap_s;
  const double rest_s = 0.05 + 70 * segment_s;
  const double trip_s = 0.1 + 2 * frame_s + 2 * acknowledgement_s;  // the first packet's, over two links
  arrives("TCP: the first window takes its length and one way", tcp(0.05), {{0, 1, 10 * segment}},
          {0.05 + 10 * segment_s});
  arrives("TCP: one segment more", tcp(0.05), {{0, 1, 11 * segment}}, {0.05 + first_gap_s + 11 * segment_s});
  arrives("TCP: a second window", tcp(0.05), {{0, 1, 30 * segment}}, {0.05 + first_gap_s + 30 * segment_s});
  arrives("TCP: a third one", tcp(0.05), {{0, 1, 70 * segment}}, {gaps_s + rest_s});
  arrives("TCP: where the first covers the way", tcp(0.001), {{0, 1, 100 * segment}}, {0.001 + 100 * segment_s});
  arrives("TCP: without latency", tcp(0), {{0, 1, 1000 * segment}}, {1000 * segment_s});
  arrives("TCP: a window that was grown is kept", tcp(0.05), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}},
          {gaps_s + rest_s, 0.3 + rest_s});
  arrives("TCP: and forgotten while idle", tcp(0.05), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 9}},
          {gaps_s + rest_s, 9 + gaps_s + rest_s});
  arrives("TCP: unless that is kept, too", with_window_after_idle(tcp(0.05)),
          {{0, 1, 70 * segment}, {0, 1, 70 * segment, 9}}, {gaps_s + rest_s, 9 + rest_s});
  // The second message's 70 segments leave at once, 10 more than the queue holds: a probe after two round trips.
  arrives("TCP: what a queue cannot hold is lost, and found out by a probe",
          with_queue(tcp(0.05), 60 * segment_s + 1e-6), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}},
          {gaps_s + rest_s, 0.3 + 2 * 0.1 + rest_s});
  arrives("packets: one more for the second link", packets(0.05), {{0, 1, 10 * segment}}, {0.05 + 11 * frame_s},
          {.within_s = jitter_s(2)});
  arrives("packets: without latency", packets(0), {{0, 1, 1000 * segment}}, {1001 * frame_s},
          {.within_s = jitter_s(2)});
  arrives("packets: a second window", packets(0.05), {{0, 1, 30 * segment}}, {trip_s + 0.05 + 21 * frame_s},
          {.within_s = jitter_s(6)});
  arrives("packets: a window that was grown is kept, and forgotten while idle", packets(0.05),
          {{0, 1, 30 * segment}, {0, 1, 20 * segment, 0.35}, {0, 1, 30 * segment, 9}},
          {trip_s + 0.05 + 21 * frame_s, 0.35 + 0.05 + 21 * frame_s, 9 + trip_s + 0.05 + 21 * frame_s},
          {.within_s = jitter_s(6)});
  arrives("packets: a latency that changes holds for what leaves a link from then on",
          with_latency(packets(0.02), {"w0", "w1"}, 1, 0.1), {{0, 1, 10 * segment}, {0, 1, 10 * segment, 2}},
          {0.02 + 11 * frame_s, 2 + 0.2 + 11 * frame_s}, {.within_s = jitter_s(2)});
}

TEST_CASE("a connection is as new when one of its hosts was away, others are not") {
  for (const int host : {0, 1, 2}) {
    const double new_tcp_s = host == 2 ? 0 : 0.2 - 30 * segment_s;
    const double new_packets_s = host == 2 ? 0 : 0.1 - 8 * frame_s + 2 * acknowledgement_s;
    arrives("TCP", tcp(0.05), {{0, 1, 70 * segment}, {0, 1, 70 * segment, 0.3}},
            {whenever, 0.3 + new_tcp_s + 0.05 + 70 * segment_s}, {.before = away_before(1, host)});
    arrives("packets", packets(0.05), {{0, 1, 30 * segment}, {0, 1, 20 * segment, 0.35}},
            {whenever, 0.35 + 0.05 + 21 * frame_s + new_packets_s},
            {.within_s = jitter_s(6), .before = away_before(1, host)});
  }
}

TEST_CASE("a message that is cut off with its host takes no part of a link from those after it, in TCP") {
  arrives("one that is cut off, and one after it", tcp(0.05), {{2, 1, 1000 * segment}, {0, 1, 30 * segment, 0.01}},
          {-1, 0.01 + 0.05 + 0.1 + 20 * segment_s}, {.before = gone_before(1, 2)});
}

TEST_CASE("in TCP a message that its window limits takes a round trip for each window, its last at the link's rate") {
  // 20 segments take 6 of 100 ms: 10 and then 20 a round trip.
  const Scenario limited = with_window(tcp(0.05), 20 * segment);
  for (const int windows : {1, 2, 100}) {
    for (const int last : {1, 13, 20}) {
      arrives(fmt::format("{} windows and {}", windows, last), limited, {{0, 1, (10 + 20 * windows + last) * segment}},
              {0.05 + 0.1 * (1 + windows) + last * segment_s});
    }
  }
  // Half of the opposite traffic is before an acknowledgement: 10 segments of 20 under way.
  const double trip_s = 0.1 + 10 * segment_s, end_s = trip_s + 0.05 + 4 * trip_s + 20 * segment_s;
  // A link carries 100 segments in a round trip, a window has 60. Two messages have 50 each; when the shorter is
  // through, the other has 60.
  const double both_s = 30000 / 50.0 * 100 * segment_s, all_s = both_s + 30000 / 60.0 * 100 * segment_s;
  arrives("a window that is there from the start, and what fits into it", limited,
          {{0, 1, 50 * segment}, {0, 1, 45 * segment, 0.3}, {0, 1, 20 * segment, 0.7}},
          {0.05 + 0.2 + 20 * segment_s, 0.3 + 0.05 + 0.2 + 5 * segment_s, 0.7 + 0.05 + 20 * segment_s});
  arrives("so many that neither the first nor the last round counts", limited, {{0, 1, 1e5 * segment}}, {500},
          {.within_s = 0.5});
  arrives("acknowledgements wait behind what goes the other way", limited,
          {{0, 1, 10 * segment}, {1, 0, 10 * segment}, {0, 1, 100 * segment, trip_s}, {1, 0, 100 * segment, trip_s}},
          {0.05 + 10 * segment_s, 0.05 + 10 * segment_s, end_s, end_s});
  arrives("also after others have left the link", with_window(with_equal_shares(tcp(50 * segment_s)), 60 * segment),
          {{0, 1, 60000 * segment}, {2, 1, 30000 * segment}}, {all_s, both_s}, {.within_s = 0.01 * both_s});
}

TEST_CASE("in TCP acknowledgements wait behind what goes the other way, and connections share a link evenly") {
  // Both have 10 segments under way at first: an acknowledgement waits for 5 of the other direction's.
  const double gap_s = 0.1 + 5 * segment_s - 10 * segment_s, alone_gap_s = 0.1 - 10 * segment_s;
  const double rest_s = 0.05 + 30 * segment_s, shared_s = 0.05 + 0.1 - 20 * segment_s + 60 * segment_s;
  arrives("both ways", tcp(0.05), {{0, 1, 30 * segment}, {1, 0, 30 * segment}}, {gap_s + rest_s, gap_s + rest_s});
  arrives("but for one that starts first", tcp(0.05), {{0, 1, 30 * segment}, {1, 0, 30 * segment, 0.01}},
          {alone_gap_s + rest_s, 0.01 + gap_s + rest_s});
  // Two to one node: 10 segments take each as long as 20.
  arrives("two to one, whichever starts first in an instant", with_equal_shares(tcp(0.05)),
          {{0, 1, 30 * segment}, {2, 1, 30 * segment}}, {shared_s, shared_s});
}

TEST_CASE("in TCP latency on the way back alone costs its gaps, and windows bound there, too, by the accelerator") {
  const auto one_way = [](const char* latency, double window) {
    return with_window(
        on_elements(fmt::format(R"(<zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>)"
                                R"(<link id="there" bandwidth="5MBps" latency="{}"/>)"
                                R"(<link id="back" bandwidth="5MBps" latency="100ms"/>)"
                                R"(<route src="a" dst="b" symmetrical="NO"><link_ctn id="there"/></route>)"
                                R"(<route src="b" dst="a" symmetrical="NO"><link_ctn id="back"/></route></zone>)",
                                latency),
                    NetworkModel::TCP),
        window);
  };
  const std::vector<Sent> messages = {{0, 1, 70 * segment}, {1, 0, 70 * segment, 1}};
  const double all_s = 0.2 - 30 * segment_s + 70 * segment_s;
  arrives("gaps", one_way("0ms", 1e6), messages, {all_s, 1 + 0.1 + all_s},
          {.solvers = {scenario::LinkSolver::accelerator}});
  arrives("windows", one_way("0ms", 20 * segment), messages, {0.3 + 20 * segment_s, whenever},
          {.solvers = {scenario::LinkSolver::accelerator}});
  // With latency on both ways SimGrid carries it, too; the round trip is the sum of both.
  arrives("both ways", one_way("20ms", 20 * segment), messages,
          {0.02 + 0.36 + 20 * segment_s, 1.1 + 0.36 + 20 * segment_s});
  const Scenario forced = solved_by(one_way("0ms", 1e6), scenario::LinkSolver::simgrid);
  CHECK(refusal(forced).find("on its way back alone") != std::string::npos);
}

TEST_CASE("in TCP a platform file's bandwidth factor counts instead of its own, and fat pipes carry one at a time") {
  const std::string half = "<config>" + property("bandwidth-factor", "0.5") + "</config>";
  std::vector<double> one_after_the_other;
  for (int i = 1; i <= 8; ++i) one_after_the_other.push_back(12 * i / useful);
  // Without latency nothing waits for windows.
  arrives("half", on_elements(half + pair_with_link(R"(latency="0s")"), NetworkModel::TCP), {{0, 1, 12e5}}, {2.4});
  arrives("a fat pipe without latency",
          on_elements(pair_with_link(R"(latency="0s" sharing_policy="FATPIPE")"), NetworkModel::TCP),
          std::vector<Sent>(8, Sent{0, 1, 12e6}), one_after_the_other);
}

TEST_CASE("without latency a message has no window, whatever the one before had") {
  // 1 MB per round trip of 0.4 s at first, then 10 MB/s.
  const Scenario far = on_platform({.workers = 5, .bandwidth = {{1e7}}, .latency = {0.2}});
  arrives("far, then near, and far", with_latency(with_window(far, 1e6), {"w0", "w1", "w2"}, 1, 0),
          {{0, 1, 1e6}, {1, 2, 1e6, 2}, {3, 4, 1e6, 2}}, {0.2 + 0.4, 2.1, 2 + 0.2 + 0.4});
}

TEST_CASE("packets cross each link of their way") {
  const auto on = [](Topology topology, int workers) {
    return on_platform({.topology = topology, .workers = workers, .bandwidth = {{bandwidth}}, .latency = {0.01}},
                       NetworkModel::packets);
  };
  for (const int target : {1, 2, 3, 4, 5}) {
    const int links = std::min(target, 6 - target);
    arrives(fmt::format("a ring's node {}", target), on(Topology::ring, 6), {{0, target, 10 * segment}},
            {0.01 * links + (9 + links) * frame_s}, {.within_s = jitter_s(links)});
  }
  // 50 ms from (0, 0) to (30, 40); 1 MB/s out of one, 10 MB/s into the other.
  arrives("a mesh's", on(Topology::mesh, 3), {{0, 2, 10 * segment}}, {0.01 + 10 * frame_s}, {.within_s = jitter_s(1)});
  arrives("latencies of coordinates count, too",
          on_file("vivaldi.xml", {.workers = {"here", "there"}}, NetworkModel::packets), {{0, 1, 10 * segment}},
          {0.05 + 10 * 1514 / 1e6 + 1514 / 1e7}, {.within_s = 1514 / 1e6});
}

TEST_CASE("when a link is up again, a message ends soon after, in TCP and in packets") {
  // In TCP a connection's segments under way when the link fails may cost it a loss: the time of a probe. In packets,
  // round trips of 5 s count an eighth, and a probe waits for two.
  const std::vector<Sent> messages = {{0, 1, 1000 * segment}, {0, 1, 1000 * segment, 0.1}, {2, 1, 100 * segment, 0.1}};
  for (const auto& [over, late_s] :
       {std::pair{solved_by(tcp(0.02), scenario::LinkSolver::accelerator), 0.2}, std::pair{packets(0.02), 2.0}}) {
    const std::vector<double> usual = times(over, messages);
    for (const char* const link : {"w0", "w1"}) {
      for (const auto direction :
           {scenario::LinkDirection::both, scenario::LinkDirection::up, scenario::LinkDirection::down}) {
        CAPTURE(link);
        CAPTURE(static_cast<int>(direction));
        Scenario down = over;
        down.faults.emplace_back(scenario::LinkDown{{{0.05}, {5}}, link, direction});
        const std::vector<double> found = times(down, messages);
        if (down.platform.network.model == NetworkModel::packets) CHECK(std::min(found[0], found[1]) > 5);
        for (std::size_t i = 0; i < messages.size(); ++i) CHECK(found[i] - 5 < usual[i] + late_s);
      }
    }
  }
}

TEST_CASE("packets share links: of a site, of a host, and of both directions, but for a fat pipe") {
  const auto last_of = [](const std::vector<double>& found) { return std::ranges::max(found); };
  const Scenario sites = on_platform({.topology = Topology::two_sites,
                                      .workers = 4,
                                      .bandwidth = {{bandwidth}},
                                      .latency = {0.001},
                                      .site_bandwidth = {{1e6}},
                                      .site_latency = {{0.02}}},
                                     NetworkModel::packets);
  const double bytes = 1e6, site_s = 2 * std::ceil(bytes / segment) * 1514 / 1e6;
  const double between_s = last_of(times(sites, {{0, 2, bytes}, {1, 3, bytes}}));
  CHECK(between_s > site_s);
  CHECK(between_s < 1.05 * site_s + 0.1);
  // Traffic within a site does not notice it.
  CHECK(times(sites, {{0, 2, bytes}, {0, 1, 10 * segment, 0.5}})[1] - 0.5 < 0.1);

  std::vector<Sent> into_one;
  for (const int source : {0, 1, 2, 3}) into_one.push_back({source, 4, 1000 * segment});
  const double into_one_s = last_of(times(packets(0.01), into_one));
  CHECK(into_one_s > 4000 * frame_s);
  CHECK(into_one_s < 1.1 * 4000 * frame_s);

  // Over fat pipes of 1 and 2 MB/s; and over links of 1 and 4 MB/s.
  const Scenario file = on_file("fat_pipes.xml", {}, NetworkModel::packets);
  const double much = 1000 * segment, alone_s = 1000 * 1514 / 1e6;
  for (const double seconds : times(file, {{0, 1, much}, {1, 0, much}, {0, 5, much}})) {
    CHECK(seconds == doctest::Approx(alone_s).epsilon(0.05));
  }
  const double both_ways_s = last_of(times(file, {{3, 4, much}, {4, 3, much}}));
  CHECK(both_ways_s > 2 * alone_s);
  CHECK(both_ways_s < 1.3 * 2 * alone_s);  // with acknowledgements, some of which are lost
}

TEST_CASE("turns of one host's messages do not depend on what another begins at the same instant") {
  const auto ends_of_first_two = [](const std::vector<Sent>& of_another) {
    std::vector<Sent> messages = {{0, 1, 100 * segment}, {0, 2, 100 * segment}};
    messages.insert(messages.end(), of_another.begin(), of_another.end());
    const std::vector<double> found = times(packets(0.01), messages);
    return std::vector<double>(found.begin(), found.begin() + 2);
  };
  const std::vector<double> alone = ends_of_first_two({});
  CHECK(alone[0] != alone[1]);
  CHECK(ends_of_first_two({{3, 4, 100 * segment}, {3, 5, 100 * segment}}) == alone);
}

// A message cut off by a crash, and another into the same host; also one between others, which makes the network
// process events just before.
TEST_CASE("packets sent by a host before it crashed take their time, whatever else happens in the network of packets") {
  const auto other_ends_s = [](const std::vector<Sent>& between_others) {
    std::vector<Sent> messages = {{2, 1, 1000 * segment}, {0, 1, 500 * segment}, {3, 4, 1, 0.1}};
    messages.insert(messages.end(), between_others.begin(), between_others.end());
    const std::vector<double> found = times(packets(0.01), messages, gone_before(2, 2));
    CHECK(found[0] == -1);
    return found[1];
  };
  const double alone_s = times(packets(0.01), {{0, 1, 500 * segment}})[0], expected_s = other_ends_s({});
  CHECK(expected_s > alone_s + 10 * frame_s);
  CHECK(other_ends_s({{4, 3, 1, 0.0999}}) == expected_s);
  CHECK(other_ends_s({{4, 3, 1, 0.05}, {4, 3, 1, 0.07}, {4, 3, 1, 0.09}}) == expected_s);
}

TEST_CASE("the delivered part of an unfinished message is counted up to now, packet by packet") {
  const nlohmann::json carried_bytes = forked([] {
    double of_link = 0;
    carried(packets(0.01), {{0, 1, 1000 * segment}, {3, 4, 1, 0.2}}, [&](Network& network, std::size_t i) {
      if (i == 1) of_link = std::ranges::max(network.totals().bytes_per_link);
    });
    return nlohmann::json(of_link);
  });
  REQUIRE_MESSAGE(carried_bytes.is_number(), carried_bytes.dump());
  // 200 ms at the rate, minus the latency and some round trips of 20 ms with the first windows.
  const double most = (0.2 - 0.01) / frame_s * segment;
  CHECK(carried_bytes.get<double>() <= most);
  CHECK(carried_bytes.get<double>() > 0.7 * most);
}

TEST_CASE("messages of packets that are lost at random are sent again, and all arrive") {
  Scenario lossy = packets(0.01);
  scenario::MessageLoss loss;
  loss.probability = 0.3;
  loss.link = "w0";
  lossy.faults.emplace_back(loss);
  std::vector<Sent> messages;
  for (int i = 0; i < 20; ++i) messages.push_back({0, 1, 10 * segment, 0.1 * i});
  const std::vector<double> found = times(lossy, messages);
  CHECK(std::ranges::min(found) > 0);
  CHECK(std::ranges::is_sorted(found));
  bool any_late = false;
  for (std::size_t i = 0; i < found.size(); ++i) any_late = any_late || found[i] > messages[i].start_s + 0.1;
  CHECK(any_late);
}

TEST_CASE("SimGrid says nothing, not even of a deadlock") {
  std::string said;
  const nlohmann::json result = forked(
      [] {
        platform::Fabric fabric(star(2, 0.001));
        bool unwound = false;
        simgrid_api::add_actor("waits for ever", fabric.host(0), [&unwound] {
          simgrid::s4u::this_actor::on_exit([&unwound](bool failed) { unwound = failed; });
          simgrid::s4u::Mailbox::by_name("nobody writes here")->get<void>();
        });
        fabric.engine().run();
        return nlohmann::json{{"unwound", unwound}};
      },
      &said);
  CHECK(result == nlohmann::json{{"unwound", true}});
  CHECK(said == "");
}

}  // namespace arrivals_test
}  // namespace ddl::network
