#include "sim/results/reading/mean_curve.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "sim/results/reading/statistics.hpp"

namespace ddl::results {

TEST_CASE("the band of one line is the line") {
  const Band band = band_of({{{0, 1, 4}, {5, 6, 8}}}, 100);
  CHECK(band.x == std::vector<double>{0, 1, 4});
  CHECK(band.mean == std::vector<double>{5, 6, 8});
  CHECK(band.low == band.mean);
  CHECK(band.high == band.mean);
}

TEST_CASE("lines with points at different places are averaged along straight lines, where all of them go") {
  // y = x and y = 2 + 2x, on [0, 4] and [1, 6].
  const Band band = band_of({{{0, 4}, {0, 4}}, {{1, 3, 6}, {4, 8, 14}}}, 100);
  CHECK(band.x == std::vector<double>{1, 3, 4});
  REQUIRE(band.mean.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = band.x[i], a = x, b = 2 + 2 * x;
    CHECK(band.mean[i] == doctest::Approx((a + b) / 2));
    const double half = *estimate({a, b})->half_width;
    CHECK(band.high[i] - band.mean[i] == doctest::Approx(half));
    CHECK(band.mean[i] - band.low[i] == doctest::Approx(half));
  }
}

TEST_CASE("a band may also be one deviation to either side, or reach from the least run to the largest") {
  const std::vector<Line> lines = {{{0, 1}, {1, 2}}, {{0, 1}, {3, 2}}, {{0, 1}, {8, 2}}};
  const Band all = band_of(lines, 100, BandKind::extremes), deviation = band_of(lines, 100, BandKind::deviation);
  const Band none = band_of(lines, 100, BandKind::none);
  CHECK(all.mean[0] == 4);
  CHECK(all.low[0] == 1);
  CHECK(all.high[0] == 8);
  CHECK(deviation.high[0] - 4 == doctest::Approx(std::sqrt(13.0)));  // (9 + 1 + 16) / 2
  CHECK(4 - deviation.low[0] == doctest::Approx(std::sqrt(13.0)));
  CHECK(none.low[0] == 4);
  CHECK(none.high[0] == 4);
  for (const Band& band : {all, deviation, none}) CHECK(band.low[1] == band.high[1]);
}

TEST_CASE("where a run diverged its band has no value, and a run without points is left out") {
  const Band band = band_of({{{0, 1}, {1, NAN}}, {{}, {}}, {{0, 1}, {3, 3}}}, 100);
  CHECK(band.mean[0] == 2);
  CHECK(std::isnan(band.mean[1]));
  CHECK(band_of({{{}, {}}}, 100).x.empty());
}

TEST_CASE("long lines are thinned evenly, and keep their ends") {
  CHECK(spread_evenly(3, 10) == std::vector<std::size_t>{0, 1, 2});
  CHECK(spread_evenly(101, 5) == std::vector<std::size_t>{0, 25, 50, 75, 100});
  CHECK(spread_evenly(0, 5).empty());
  Line line;
  for (int i = 0; i < 1000; ++i) line.x.push_back(i), line.y.push_back(2 * i);
  const Band band = band_of({line}, 100);
  CHECK(band.x.size() == 100);
  CHECK(band.x.front() == 0);
  CHECK(band.x.back() == 999);
}

}  // namespace ddl::results
