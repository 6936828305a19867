#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>

#include "sim/results/writing/table_text.hpp"
#include "tests/results/writing/example.hpp"

namespace ddl::results {

TEST_CASE("the curve is written row by row, with an empty field for a loss that is not there") {
  run::RunResult result = example_result();
  result.curve.erase(result.curve.begin() + 4, result.curve.end() - 2);
  CHECK(curve_csv(result) ==
        "time_s,worker,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy\n"
        "0,w0,0,0,0,0,,2.5,0.125\n"
        "0,w1,0,0,0,0,,2.5,0.125\n"
        "0,mean,0,0,0,0,,2.5,0.125\n"
        "0,averaged_model,0,0,0,0,,2.5,0.125\n"
        "10,mean,2.5,160,1.25,3000,1.75,1.125,0.625\n"
        "10,averaged_model,2.5,160,1.25,3000,,1.0625,0.6875\n");
}

TEST_CASE("a step's waiting time is what its computing leaves of it, and never negative") {
  run::RunResult result = example_result();
  result.iterations.resize(2);
  // 0.3 - 0.1 - 0.2 is -2.8e-17 in doubles.
  result.iterations.push_back({1, 4, 0.1, 0.2, 0.3, std::nullopt, std::nullopt, 0.5});
  CHECK(iterations_csv(result) ==
        "worker,iteration,start_s,compute_s,wait_s,end_s,train_loss,train_accuracy,staleness\n"
        "w0,0,0,1.5,0.5,2,2.5,0.125,0\n"
        "w0,1,2,1.5,1.5,5,2,0.25,1\n"
        "w1,4,0.1,0.2,0,0.3,,,0.5\n");
}

TEST_CASE("traffic is written per link, messages per pair of host names") {
  const run::RunResult result = example_result();
  CHECK(traffic_csv(result) ==
        "link,direction,bytes,utilisation\nw0,up,2000,0.25\nw1,down,1500,0.5\ncore,free,3500,0.9\n");
  CHECK(pairs_csv(result) == "source,target,messages,bytes\nw0,ps0,2,2000\nps0,w1,1,1500\n");
}

TEST_CASE("numbers are the shortest decimals that read back as the same double") {
  run::RunResult result;
  for (const double value : {0.1, 1.0 / 3, 17e6, 5e-324, 1e22, 123456789.125}) {
    result.traffic = {{"l", "up", value, 0}};
    const std::string text = traffic_csv(result);
    const std::size_t begin = text.find("up,") + 3;
    CHECK(std::strtod(text.c_str() + begin, nullptr) == value);
  }
  result.traffic = {{"l", "up", 0.1, 1.0 / 3}};
  CHECK(traffic_csv(result).ends_with("l,up,0.1,0.3333333333333333\n"));
  result.traffic = {{"l", "up", 17e6, -std::numeric_limits<double>::quiet_NaN()}};
  CHECK(traffic_csv(result).ends_with("l,up,17000000,nan\n"));
}

TEST_CASE("a name with a comma or a quote is quoted") {
  run::RunResult result;
  result.traffic = {{"rack 1, \"left\"", "up", 1, 0}};
  CHECK(traffic_csv(result).ends_with("\n\"rack 1, \"\"left\"\"\",up,1,0\n"));
}

}  // namespace ddl::results
