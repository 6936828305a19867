// Which values an axis names, and where they lie.
#include "sim/view/plots/axis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "sim/view/plots/type.hpp"

namespace ddl::view::axis_test {
namespace {

Values values_of(std::initializer_list<double> list) {
  Values values;
  for (const double value : list) values.take(value);
  return values;
}

std::vector<std::string> named(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) {
    if (!tick.text.empty()) texts.push_back(tick.text);
  }
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("an axis names round values, fewer where there is less room, and never one over another") {
  const Axis axis;
  const Extent extent = extent_of(axis, values_of({0, 350}), 0);
  CHECK(named(ticks_on(axis, extent, 40, false)) == Texts{"0", "50", "100", "150", "200", "250", "300", "350"});
  CHECK(named(ticks_on(axis, extent, 14, false)) == Texts{"0", "100", "200", "300"});
  for (double room = 1; room < 60; room += 0.7) {
    for (const Spacing spacing : {Spacing::linear, Spacing::logarithmic, Spacing::logarithmic_from_zero}) {
      Axis one;
      one.spacing = spacing;
      const Extent shown = extent_of(one, values_of({0.37, 7300}), 0.04);
      const std::vector<Tick> ticks = ticks_on(one, shown, room, false);
      double end = -1;
      for (const Tick& tick : ticks) {
        if (tick.text.empty()) continue;
        const double middle = shown.share(tick.place) * room, half = text_width(tick.text) / 2;
        CHECK_MESSAGE(middle - half > end, tick.text << " in " << room);
        end = middle + half;
      }
    }
  }
}

TEST_CASE("a logarithmic axis names powers of ten, or 1, 2 and 5 where there is room") {
  Axis axis;
  axis.spacing = Spacing::logarithmic;
  const Extent extent = extent_of(axis, values_of({1, 1000}), 0);
  CHECK(named(ticks_on(axis, extent, 40, false)) ==
        Texts{"1", "2", "5", "10", "20", "50", "100", "200", "500", "1000"});
  CHECK(named(ticks_on(axis, extent, 12, false)) == Texts{"1", "10", "100", "1000"});
  axis.limits.low = 0;
  CHECK_THROWS_AS(extent_of(axis, values_of({1, 1000}), 0), InputError);
}

TEST_CASE("a logarithmic axis from zero has a place for 0") {
  Axis axis;
  axis.spacing = Spacing::logarithmic_from_zero;
  CHECK(axis.place(0) == 0);
  CHECK(axis.place(9) == doctest::Approx(1));
  CHECK(axis.place(99) == doctest::Approx(2));
  CHECK(named(ticks_on(axis, extent_of(axis, values_of({0, 100}), 0), 12, false)) ==
        Texts{"0", "1", "3", "10", "30", "100"});
}

TEST_CASE("values that an axis is given are named from the largest down, where they have room") {
  Axis axis;
  axis.ticks = {1, 2, 4, 8, 16, 32, 64};
  const std::vector<Tick> ticks = ticks_on(axis, extent_of(axis, values_of({64}), 0), 20, false);
  CHECK(ticks.size() == 7);  // all are marked
  CHECK(named(ticks) == Texts{"2", "8", "16", "32", "64"});
}

TEST_CASE("an axis need not begin at 0") {
  Axis axis;
  CHECK(extent_of(axis, values_of({2, 3}), 0.1).low == 0);
  axis.from_zero = false;
  CHECK(extent_of(axis, values_of({2, 3}), 0.1).low == doctest::Approx(1.9));
  CHECK(extent_of(axis, values_of({0.05, 3}), 0.1).low == 0);
}

TEST_CASE("texts are broken at blanks, and words at their marks, into lines that fit") {
  for (const std::string text :
       {"ring_allreduce learning_rate=0.4", "mean of 3 seeds; band: 95 % interval", "aaaaaaaaaaaaaaaaaa"}) {
    for (double room = 3; room < 30; room += 0.9) {
      std::string joined;
      for (const std::string& line : broken(text, room)) {
        CHECK_MESSAGE(text_width(line) <= room, line);
        joined += line;
      }
      std::string letters = text;
      std::erase(letters, ' ');
      std::erase(joined, ' ');
      CHECK(joined == letters);
    }
  }
  CHECK(broken("ring_allreduce", 6) == Texts{"ring_", "allreduce"});
  CHECK(broken("a bc", 100) == Texts{"a bc"});
  CHECK(broken("learning_rate=0.75", 8.5) == Texts{"learning_rate=", "0.75"});
}

}  // namespace ddl::view::axis_test
