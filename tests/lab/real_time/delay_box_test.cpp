// Emulated links in real time, as real packets and TCP see them.
#include "lab/emulate/testbed/delay_box.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "lab/emulate/machine.hpp"
#include "lab/emulate/testbed/connections.hpp"
#include "lab/runs/run.hpp"
#include "tests/lab/stage_needed.hpp"

namespace ddl::emulate {
namespace delay_box_test {
namespace {

using Json = nlohmann::json;

constexpr double kRate = 40e6 / 8;          // bytes/s
constexpr double kCarried = 1448.0 / 1514;  // TCP's share of a full frame
constexpr double kMs = 1e-3;

bool delay_box_is_allowed() {
  if (!stage_is_allowed()) return false;
  try {
    const Star pair{{{"a", 0, 1, kRate, kRate, kMs, kMs}, {"b", 2, 3, kRate, kRate, kMs, kMs}}, {{0, kMs}, {kMs, 0}}};
    const Testbed testbed(pair, {.links = LinkKind::delay_box});
    return true;
  } catch (const InputError& error) {
    MESSAGE("[skipped] " << error.what());
    return false;
  }
}

Star star_of(int nodes, double latency_s) {
  Star star;
  for (int i = 0; i < nodes; ++i) {
    star.hosts.push_back({"h" + std::to_string(i), 2 * i, 2 * i + 1, kRate, kRate, latency_s, latency_s});
  }
  star.latency_s.assign(star.hosts.size(), std::vector<double>(star.hosts.size(), 2 * latency_s));
  return star;
}

double seconds_since(WallClock::time_point then) {
  return std::chrono::duration<double>(WallClock::now() - then).count();
}

struct Echo {
  icmphdr head{};
  char data[48]{};
};

// Round trips of ICMP echo requests from the first host to the second, sorted.
std::vector<double> pings(const Testbed& testbed, int count) {
  const InNamespace visit(testbed.host(0));
  const Descriptor raw(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
  REQUIRE(raw.number() >= 0);
  sockaddr_in target{};
  target.sin_family = AF_INET;
  inet_pton(AF_INET, testbed.address(1).c_str(), &target.sin_addr);
  std::vector<double> round_trips_s;
  for (int i = 0; i < count; ++i) {
    Echo request;
    request.head.type = ICMP_ECHO;
    request.head.un.echo.sequence = static_cast<std::uint16_t>(i);
    // The checksum of all words but its own, in ones' complement.
    request.head.checksum = static_cast<std::uint16_t>(~(ICMP_ECHO + i));
    const auto sent = WallClock::now();
    sendto(raw.number(), &request, sizeof request, 0, reinterpret_cast<const sockaddr*>(&target), sizeof target);
    char answer[256];
    constexpr std::size_t ip_header = 20;
    icmphdr head{};
    do {
      if (recv(raw.number(), answer, sizeof answer, 0) < 0) break;
      std::memcpy(&head, answer + ip_header, sizeof head);
    } while (head.type != ICMP_ECHOREPLY || head.un.echo.sequence != i);
    round_trips_s.push_back(seconds_since(sent));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::ranges::sort(round_trips_s);
  return round_trips_s;
}

// Bytes/s that each host's connection to the next one carries between two moments, all at once.
std::vector<double> bulk_rates(const Testbed& testbed, int nodes, double from_s, double until_s) {
  std::vector<Connection> all = connect_all(testbed, nodes, "cubic"), used;
  for (Connection& connection : all) {
    if (connection.target == (connection.source + 1) % nodes) used.push_back(std::move(connection));
  }
  std::vector<double> rates(used.size());
  std::vector<std::thread> threads;
  const auto start = WallClock::now();
  for (std::size_t i = 0; i < used.size(); ++i) {
    threads.emplace_back([&socket = used[i].writing] {
      const std::vector<char> data(65536);
      while (socket.send_all(data.data(), data.size(), true)) {
      }
    });
    threads.emplace_back([&socket = used[i].reading, &rate = rates[i], start, from_s, until_s] {
      std::vector<char> data(262144);
      double bytes = 0, first_s = 0;
      socket.wait_for(16384);
      while (const std::size_t size = socket.receive(data.data(), data.size())) {
        const double now_s = seconds_since(start);
        if (now_s >= until_s) break;
        if (now_s < from_s) continue;
        if (first_s == 0)
          first_s = now_s;
        else
          bytes += static_cast<double>(size), rate = bytes / (now_s - first_s);
      }
    });
  }
  std::this_thread::sleep_until(start + wall_duration(until_s));
  for (const Connection& connection : used) connection.writing.shut(), connection.reading.shut();
  for (std::thread& thread : threads) thread.join();
  return rates;
}

// A busy machine's delays say nothing about the box: at 40 Mbit/s a packet takes 0.3 ms.
bool machine_kept_up(double error_p99_s) {
  if (error_p99_s < 0.25 * kMs) return true;
  MESSAGE("[skipped] this machine is too busy: 99 % of packets were within " << 1e3 * error_p99_s << " ms only");
  return false;
}

TEST_CASE("a ping over two links of 10 ms takes 40 ms") {
  if (!delay_box_is_allowed()) return;
  const auto precedence = take_precedence();
  MESSAGE("precedence: " << precedence);
  const auto median_s = [] {
    const Testbed testbed(star_of(2, 10 * kMs), {});
    REQUIRE(testbed.has_latencies());
    const std::vector<double> round_trips_s = pings(testbed, 41);
    MESSAGE("ping, ms: least " << 1e3 * round_trips_s.front() << ", median " << 1e3 * round_trips_s[20] << ", most "
                               << 1e3 * round_trips_s.back());
    CHECK(round_trips_s.front() > 39.5 * kMs);
    return round_trips_s[20];
  };
  const auto expected_s = doctest::Approx(40 * kMs).epsilon(0.5 / 40);
  CHECK(one_of_three(expected_s, median_s).value() == expected_s);
}

TEST_CASE("the first ping over new links takes as long as any") {
  if (!delay_box_is_allowed()) return;
  const auto precedence = take_precedence();
  const auto median_s = [] {
    std::vector<double> first_s;
    for (int i = 0; i < 5; ++i) {
      const Testbed testbed(star_of(2, 10 * kMs), {});
      first_s.push_back(pings(testbed, 1)[0]);
    }
    std::ranges::sort(first_s);
    return first_s[2];
  };
  const auto expected_s = doctest::Approx(40 * kMs).epsilon(1.0 / 40);
  CHECK(one_of_three(expected_s, median_s).value() == expected_s);
}

TEST_CASE("a bulk transfer fills a link with a round trip of 40 ms") {
  if (!delay_box_is_allowed()) return;
  take_precedence();
  double open_s = 3;  // once the window is open: where delays vary, cubic leaves slow start early and takes seconds
  const auto share = [&open_s]() -> std::optional<double> {
    Testbed testbed(star_of(2, 10 * kMs), {});
    testbed.begin(WallClock::now());
    const double rate = bulk_rates(testbed, 2, open_s, open_s + 4).front();
    testbed.stop();
    open_s *= 2;
    MESSAGE("goodput: " << 100 * rate / kRate << " % of the nominal rate, " << 100 * rate / (kRate * kCarried)
                        << " % of what TCP can carry");
    if (!machine_kept_up(testbed.box_use()->error_p99_s)) return std::nullopt;
    return rate / (kRate * kCarried);
  };
  const auto full = doctest::Approx(0.99).epsilon(0.02).scale(0);
  const auto measured = one_of_three(full, share);
  CHECK((!measured || *measured == full));
}

TEST_CASE("eight links that are full both ways take less than half a core") {
  if (!delay_box_is_allowed()) return;
  take_precedence();
  Testbed testbed(star_of(8, 10 * kMs), {});
  testbed.begin(WallClock::now());
  double carried = 0;
  for (const double rate : bulk_rates(testbed, 8, 2, 6)) carried += rate;
  testbed.stop();
  const DelayBoxUse use = testbed.box_use().value();
  MESSAGE("carried " << carried * 8e-6 << " Mbit/s, " << use.packets << " packets, share of a core "
                     << use.processor_share << ", error mean " << 1e6 * use.error_mean_s << " us, 99 % within "
                     << 1e3 * use.error_p99_s << " ms, at most " << 1e3 * use.error_max_s << " ms");
  if (!machine_kept_up(use.error_p99_s)) return;
  CHECK(carried > 0.6 * 8 * kRate);  // acknowledgements share the links, and queues overflow
  CHECK(use.processor_share < 0.5);
  CHECK(use.packets > 100'000);
}

TEST_CASE("packets sent into a full queue or a lossy link are counted") {
  if (!delay_box_is_allowed()) return;
  Testbed testbed(star_of(2, 10 * kMs), {.queue = {.bytes = 20e3}, .loss = 0.01});
  testbed.begin(WallClock::now());
  bulk_rates(testbed, 2, 1, 2);
  testbed.stop();
  const DelayBoxUse use = testbed.box_use().value();
  CHECK(use.dropped > 0);
  CHECK(use.lost > 0);
  CHECK(testbed.retransmitted_share() > 0);
}

TEST_CASE("a message is sent in as many round trips as slow start takes") {
  if (!delay_box_is_allowed()) return;
  // 25 segments: 10 of them at once (RFC 6928), the rest when these are acknowledged. Each step pushes them, asks, and
  // gets as many; a gradient lasts long enough for TCP to forget its window.
  constexpr double latency_s = 0.05, segments = 25, compute_s = 1.5;
  scenario::Scenario scenario = small_star(R"("ps_async")", 1, 1, R"("model": "none", "stop": {"iterations": 3})");
  scenario.wire.model_bytes = Bytes{segments * 1448};
  scenario.compute.seconds_per_batch = Seconds{compute_s};
  std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).latency = {latency_s};
  EmulateOptions options;
  const auto seconds_beside_computing = [&] {
    const run::RunResult result = emulate(scenario, options);
    CHECK(Json::parse(result.measured->how)["links"] == "delay box");
    double sum_s = 0;
    for (std::size_t i = 1; i < result.iterations.size(); ++i) {
      sum_s += result.iterations[i].end_s - result.iterations[i].start_s - result.iterations[i].compute_s;
    }
    return sum_s / static_cast<double>(result.iterations.size() - 1);
  };
  // A message's last segments cross both links: those of the second flight, or all if they leave at once.
  const double frame_s = 1514 / kRate;
  const double slow_s = 3 * latency_s + 2 * (2 * latency_s + (segments - 10 + 2) * frame_s);
  const auto slow = doctest::Approx(slow_s).epsilon(0.05);
  CHECK(one_of_three(slow, seconds_beside_computing).value() == slow);
  // With windows that are kept, the first message alone starts slowly.
  options.testbed.slow_start_after_idle = false;
  const double quick_s = 3 * latency_s + 2 * (segments + 1) * frame_s;
  CHECK(seconds_beside_computing() < quick_s + 2 * latency_s);
}

TEST_CASE("while a link is down nothing arrives, and TCP goes on after at most as long again") {
  if (!delay_box_is_allowed()) return;
  // A step takes 50 ms and two transfers of 100 ms. The link is down from 1 s to 2 s: TCP tries again after a timeout,
  // twice that, and so on, so its first try after 2 s comes before 3 s and a timeout (0.2 s and a round trip of 40 ms).
  scenario::Scenario scenario = small_star(R"("ps_async")", 1, 1, R"("model": "none", "stop": {"iterations": 12},
                 "faults": [{"type": "link_down", "link": "w0", "from": "1s", "until": "2s"}])");
  std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).latency = {0.02};
  const run::RunResult measured = emulate(scenario, {}), simulated = run::run(scenario);
  CHECK(Json::parse(measured.measured->how)["links"] == "delay box");
  const auto goes_on_s = [](const run::RunResult& result) {
    const auto row = std::ranges::find_if(result.iterations, [](const auto& each) { return each.end_s > 1.1; });
    REQUIRE(row != result.iterations.end());
    return row->end_s;
  };
  MESSAGE("the step across the fault ends at " << goes_on_s(measured) << " s, simulated " << goes_on_s(simulated));
  CHECK(goes_on_s(simulated) > 2);
  CHECK(goes_on_s(measured) > 2);
  CHECK(goes_on_s(measured) < 3.3 + 0.5);
}

TEST_CASE("a degraded link carries its share") {
  if (!delay_box_is_allowed()) return;
  // From its first instant on, the server's link has a tenth of its 40 Mbit/s.
  scenario::Scenario scenario = small_star(R"("ps_async")", 1, 1, R"("model": "none", "stop": {"iterations": 2},
      "faults": [{"type": "link_degraded", "link": "ps0", "from": "0s", "until": "1h", "bandwidth": 0.1}])");
  const auto transfers_s = [&]() -> std::optional<double> {
    const run::RunResult measured = emulate(scenario, {});
    if (!machine_kept_up(Json::parse(measured.measured->cost)["delay_box"]["error_p99_s"])) return std::nullopt;
    const auto& last = measured.iterations.back();
    return last.end_s - last.start_s - last.compute_s;
  };
  constexpr double message_bytes = 500e3;
  const auto expected_s = doctest::Approx(2 * message_bytes / (0.1 * kRate * kCarried)).epsilon(0.08);
  const auto measured_s = one_of_three(expected_s, transfers_s);
  CHECK((!measured_s || *measured_s == expected_s));
}

TEST_CASE("links with more packets than a delay box carries are refused") {
  CHECK_NOTHROW(check_packet_rate(std::vector<double>(9, kRate), std::vector<double>(9, kRate)));
  CHECK_THROWS_WITH_AS(check_packet_rate({1e9, 1e9}, {1e9, 1e9}), doctest::Contains("packets/s, more than"),
                       InputError);
  // Data that cannot be sent need not be received.
  CHECK_NOTHROW(check_packet_rate({1e6}, {1e9}));
}

// Mean bytes per packet sent by a host's device.
double mean_packet_sent(const NetworkNamespace& host) {
  const InNamespace visit(host);
  std::ifstream devices("/proc/thread-self/net/dev");
  double bytes = 0, packets = 0;
  for (std::string line; std::getline(devices, line);) {
    if (line.find("eth0:") == std::string::npos) continue;
    std::istringstream counters(line.substr(line.find(':') + 1));
    constexpr int of_receiving = 8;
    for (int i = 0; i < of_receiving; ++i) counters >> bytes;
    counters >> bytes >> packets;
  }
  REQUIRE(packets > 0);
  return bytes / packets;
}

TEST_CASE("between token buckets a burst is single frames, which a full queue drops one by one") {
  if (!stage_is_allowed()) return;
  // A bucket would cut larger bursts itself: these hold 100 kB, and a burst has 64 KiB at most.
  Star quick = star_of(2, 0);
  for (StarHost& host : quick.hosts) host.up_bytes_per_s = host.down_bytes_per_s = 20 * kRate;
  const Testbed testbed(quick, {});
  bulk_rates(testbed, 2, 0.1, 0.5);
  for (int node = 0; node < 2; ++node) {
    const double mean = mean_packet_sent(testbed.host(node));
    CHECK(mean > 100);  // more than acknowledgements
    CHECK(mean <= 1500 + ethernet_bytes);
  }
}

TEST_CASE("token buckets refuse what only a delay box can do") {
  CHECK_THROWS_WITH_AS(Testbed(star_of(2, 0), {.links = LinkKind::token_buckets, .loss = 0.1}),
                       doctest::Contains("--links delay_box"), InputError);
  CHECK_THROWS_WITH_AS(Testbed(star_of(2, 1 * kMs), {.jitter_s = 2 * kMs}), doctest::Contains("--jitter"), InputError);
}

}  // namespace
}  // namespace delay_box_test
}  // namespace ddl::emulate
