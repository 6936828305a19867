#include "sim/results/reading/shown_values.hpp"

#include <doctest/doctest.h>

#include <set>

namespace ddl::results {
namespace {

using Texts = std::vector<std::string>;

const std::string crash = R"({"type":"host_crash","host":"w1","at":"20s","restart":"30s","state":"kept"})";
const std::string down = R"({"type":"link_down","link":"w0","direction":"up","from":"1s","until":"2s"})";

}  // namespace

TEST_CASE("numbers, texts and lists of them are shown as they are") {
  const Texts values = {"40Mbps", "3", "[1,2]", R"(["a","b"])", R"({"time":"1s"})", "[", "[1"};
  CHECK(shown_values(values) == values);
}

TEST_CASE("an empty list is none") {
  CHECK(shown_values({"", "[]", "none", "1s"}) == Texts{"", "none", "none (2)", "1s"});
  CHECK(shown_values({"[]", "[" + crash + "]", "[]"}) ==
        Texts{"none", "host_crash w1 at 20s restart 30s state kept", "none"});
}

TEST_CASE("lists of objects are as short as tells them apart") {
  CHECK(shown_values({"[" + crash + "," + down + "]", "[" + down + "]"}) ==
        Texts{"host_crash w1 at 20s restart 30s state kept +1 more", "link_down w0 direction up from 1s until 2s"});
  const Texts two =
      shown_values({"[" + crash + "," + down + "," + down + "]", "[" + crash + "," + crash + "," + down + "]"});
  CHECK(two[0] == "host_crash w1 at 20s restart 30s state kept, link_down w0 direction up from 1s until 2s +1 more");
  CHECK(two[1] == "host_crash w1 at 20s restart 30s state kept, host_crash w1 at 20s restart 30s state kept +1 more");
}

TEST_CASE("long lists within an object are their ends, numbered where these are alike") {
  const auto profile = [](const char* third) {
    return std::string(R"([{"quantity":"speed","host":"w0","points":[1,2,)") + third + ",4,5]}]";
  };
  CHECK(shown_values({profile("3"), profile("7"), profile("3")}) ==
        Texts{"speed w0 points 1 .. 5 (5)", "speed w0 points 1 .. 5 (5) (2)", "speed w0 points 1 .. 5 (5)"});
}

}  // namespace ddl::results
