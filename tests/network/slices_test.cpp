// Messages in slices: when their first slices arrive and when they are whole, by hand.
#include <doctest/doctest.h>

#include "tests/network/arrivals.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::network::slices_test {
namespace {

constexpr double L = 0.1, MB = 1e6, slice = 1e5;

// Hosts w0 .. with links of these rates in MB/s, and 0.1 s between two of them.
scenario::Scenario star(const std::vector<double>& rates, const std::string& model = "CM02") {
  auto scenario = scenario_from(fmt::format(
      R"({{"name": "slices", "platform": {{"topology": "star", "workers": {}, "bandwidth": "8Mbps", "latency": "100ms",
           "network": {{"model": "{}"}}}}, "model": "none", "wire": {{"model_bytes": "1MB"}},
           "compute": {{"seconds_per_batch": "1s"}}, "algorithm": "alone", "stop": {{"iterations": 1}}}})",
      rates.size(), model));
  auto& bandwidth = std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).bandwidth;
  bandwidth.clear();
  for (const double rate : rates) bandwidth.push_back({rate * MB});
  return scenario;
}

}  // namespace

TEST_CASE("a message's first slice comes after latency and its own bytes, and the rest right behind it") {
  arrives("alone", star({1, 1}), {{0, 1, MB, 0, slice}}, {L + 1, L + 0.1});
  arrives("beside a whole one", star({1, 1, 1}), {{0, 1, MB, 0, slice}, {2, 1, MB, 0}}, {L + 2, L + 2, L + 0.2, -1});
}

TEST_CASE("bytes that are sent while a connection is busy leave right behind those before them") {
  const auto two = [](double second_s, double first_bytes) {
    return std::vector<Sent>{{0, 1, MB, 0, slice}, {0, 1, MB, second_s, first_bytes}};
  };
  arrives("early", star({1, 1}), two(0.5, slice), {L + 1, L + 2, L + 0.1, L + 1.1});
  // The first message has left at 1 s, and has 0.1 s to go.
  arrives("late", star({1, 1}), two(1.04, slice), {L + 1, 1.04 + L + 1, L + 0.1, 1.04 + L + 0.1});
  arrives("too late", star({1, 1}), two(1.5, slice), {L + 1, 1.5 + L + 1, L + 0.1, 1.5 + L + 0.1});
  arrives("whole", star({1, 1}), two(0.5, 0), {L + 1, L + 1 + L + 1, L + 0.1, -1});
}

TEST_CASE("a message that follows another is whole a latency and a slice after it, or when its link is through") {
  const auto chain = [](double w0, double w1, double sent_on_s, double whole_s, double first_s, double end_s) {
    CAPTURE(w0);
    arrives("a chain", star({w0, w1, 10}), {{0, 1, MB, 0, slice}, {1, 2, MB, sent_on_s, slice, 0}},
            {whole_s, end_s, sent_on_s, first_s});
  };
  const double quick = L + 0.1, slow = L + 0.2;  // when the first slice is there
  chain(1, 1, quick, L + 1, 2 * quick, quick + L + 1);
  chain(1, 0.5, slow, L + 2, slow + L + 0.2, slow + L + 2);  // w1's link is as slow inwards
  chain(0.5, 2, slow, L + 2, slow + L + 0.05, L + 2 + L + 0.05);
}

TEST_CASE("over TCP a stream of messages in slices takes as long as one message, and less than whole ones") {
  for (const char* model : {"TCP", "packets"}) {
    CAPTURE(model);
    const auto end_s = [&](double first_bytes) {
      std::vector<Sent> messages;
      for (int i = 0; i < 10; ++i) messages.push_back({0, 1, MB, i * 0.9, first_bytes});
      return times(star({1, 1}, model), messages)[9];
    };
    const double one_s = times(star({1, 1}, model), {{0, 1, 10 * MB}})[0];
    CHECK(end_s(slice) == doctest::Approx(one_s).epsilon(0.03));
    CHECK(end_s(0) > one_s + 5 * L);
  }
}

}  // namespace ddl::network::slices_test
