// A result's statement of how it was measured.
#include "lab/emulate/measurement.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace ddl::emulate::measurement_test {
using Json = nlohmann::json;

TEST_CASE("a measured result says over which network it was measured, instead of how one is simulated") {
  run::RunResult result;
  result.settings = R"({"name": "x", "platform.network.draw": 3, "platform.network.model": "TCP"})";
  Measurement measured{.kernel = "Linux 6", .congestion_control = "cubic", .compute = "slept", .repetition = 2};
  measured.links = "token buckets";
  measured.queue_s = 0.05;
  measured.retransmitted_share = 0.0062;
  put_measurement(result, measured);
  CHECK(result.measured->network == "TCP (cubic), token buckets, queues of 50 ms, 0.6 % of segments sent again");
  const Json how = Json::parse(result.measured->how), cost = Json::parse(result.measured->cost);
  CHECK(how["repetition"] == 2);
  CHECK(how["queue_bytes"].is_null());
  CHECK(cost["retransmitted_share"] == 0.0062);
  CHECK_FALSE(cost.contains("delay_box"));
  CHECK(Json::parse(result.settings) == Json::parse(R"({"name": "x", "platform.network.draw": 3,
      "measured.kernel": "Linux 6", "measured.congestion_control": "cubic", "measured.links": "token buckets",
      "measured.queue_s": 0.05, "measured.jitter_s": 0.0, "measured.loss": 0.0,
      "measured.slow_start_after_idle": true, "measured.compute": "slept"})"));

  measured.queue_s = 0;
  measured.queue_bytes = 64000;
  measured.delay_box = {.error_p99_s = 3e-6, .processor_share = 0.2};
  put_measurement(result, measured);
  CHECK(result.measured->network ==
        "TCP (cubic), token buckets, queues of 64 kB, 0.6 % of segments sent again; 99 % of packets at most 3 us late, "
        "20 % of a core");
  CHECK(Json::parse(result.measured->cost)["delay_box"]["processor_share"] == 0.2);
}

}  // namespace ddl::emulate::measurement_test
