// The default data set: small grey images of ten glyphs, similar to handwritten digits. A glyph is shifted, sheared and
// stretched, drawn with varying contrast, and surrounded by stray strokes and noise. So one template per class explains
// about half of the images, and local features that tolerate shifts explain most of the others.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/data/loaders.hpp"

namespace ddl::data {
namespace {

constexpr int side = 12;
constexpr int classes = 10;

// Constants close to the set's mean and deviation, so that a sample's values do not depend on the number of samples.
constexpr float mean_pixel = 60;
constexpr float pixel_deviation = 45;

struct Point {
  double x, y;  // to the right and downwards
};
struct Stroke {
  Point from, to;
};
struct Glyph {
  std::array<Stroke, 3> strokes;  // in the square from -1 to 1
  std::size_t count;
};

constexpr std::array<Glyph, classes> glyphs = {{
    {{{{{-1, -1}, {1, -1}}, {{1, -1}, {1, 1}}, {{1, 1}, {-1, 1}}}}, 3},         // ]
    {{{{{1, -1}, {-1, -1}}, {{-1, -1}, {-1, 1}}, {{-1, 1}, {1, 1}}}}, 3},       // [
    {{{{{-1, -1}, {1, 1}}, {{1, -1}, {-1, 1}}}}, 2},                            // X
    {{{{{-1, 0}, {1, 0}}, {{0, -1}, {0, 1}}}}, 2},                              // +
    {{{{{-1, -1}, {1, -1}}, {{1, -1}, {-1, 1}}, {{-1, 1}, {1, 1}}}}, 3},        // Z
    {{{{{-1, 1}, {-1, -1}}, {{-1, -1}, {1, 1}}, {{1, 1}, {1, -1}}}}, 3},        // N
    {{{{{-1, -1}, {1, -1}}, {{0, -1}, {0, 1}}}}, 2},                            // T
    {{{{{-1, -1}, {-1, 1}}, {{-1, 1}, {1, 1}}}}, 2},                            // L
    {{{{{-1, 1}, {0, -1}}, {{0, -1}, {1, 1}}, {{-0.5, 0.2}, {0.5, 0.2}}}}, 3},  // A
    {{{{{-1, -1}, {-1, 1}}, {{1, -1}, {1, 1}}, {{-1, 0}, {1, 0}}}}, 3},         // H
}};

using Canvas = std::array<double, std::size_t{side} * side>;  // ink, 0 to 1

double between(Stream& random, double low, double high) { return low + (high - low) * random.uniform(); }

// Uses only additions, multiplications, divisions and square roots, which round alike on every machine.
double distance(Point point, const Stroke& stroke) {
  const double dx = stroke.to.x - stroke.from.x;
  const double dy = stroke.to.y - stroke.from.y;
  const double px = point.x - stroke.from.x;
  const double py = point.y - stroke.from.y;
  const double squared = dx * dx + dy * dy;
  const double along = squared > 0 ? std::clamp((px * dx + py * dy) / squared, 0.0, 1.0) : 0.0;
  const double ex = px - along * dx;
  const double ey = py - along * dy;
  return std::sqrt(ex * ex + ey * ey);
}

// Full ink within `radius` - 0.5 pixels of the stroke, none beyond `radius` + 0.5.
void draw(Canvas& canvas, const Stroke& stroke, double radius, double ink) {
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const Point pixel{static_cast<double>(column), static_cast<double>(row)};
      double& value = canvas[static_cast<std::size_t>(row) * side + static_cast<std::size_t>(column)];
      value = std::max(value, ink * std::clamp(radius + 0.5 - distance(pixel, stroke), 0.0, 1.0));
    }
  }
}

void draw_glyph(Canvas& canvas, const Glyph& glyph, Stream& random) {
  const double middle = (side - 1) / 2.0;
  const double x = middle + between(random, -2, 2);
  const double y = middle + between(random, -2, 2);
  const double xx = between(random, 2.25, 3.75);
  const double yy = between(random, 2.25, 3.75);
  const double xy = between(random, -0.75, 0.75);
  const double yx = between(random, -0.75, 0.75);
  const double ink = between(random, 0.5, 1);
  const double radius = between(random, 0.3, 0.8);
  const auto place = [&](Point p) { return Point{x + xx * p.x + xy * p.y, y + yx * p.x + yy * p.y}; };
  for (std::size_t i = 0; i < glyph.count; ++i) {
    draw(canvas, {place(glyph.strokes[i].from), place(glyph.strokes[i].to)}, radius, ink);
  }
}

void draw_stray_stroke(Canvas& canvas, Stream& random) {
  const double x = between(random, 0, side - 1);
  const double y = between(random, 0, side - 1);
  const double dx = between(random, -4, 4);
  const double dy = between(random, -4, 4);
  draw(canvas, {{x, y}, {x + dx, y + dy}}, 0.4, between(random, 0.4, 0.8));
}

void paint(std::uint8_t label, Stream& random, std::span<std::uint8_t> pixels) {
  Canvas canvas{};
  draw_glyph(canvas, glyphs[label], random);
  draw_stray_stroke(canvas, random);
  draw_stray_stroke(canvas, random);
  for (std::size_t k = 0; k < canvas.size(); ++k) {
    const double value = 40 + 160 * canvas[k] + 26 * random.normal();
    pixels[k] = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  }
}

Dataset generate(std::size_t count, Stream random) {
  Dataset data;
  data.shape = data_shape(DataSource::synthetic).shape;
  data.classes = classes;
  data.mean = {mean_pixel};
  data.scale = {1 / pixel_deviation};
  data.pixels.resize(count * data.shape.size());
  data.labels.resize(count);
  // Every ten consecutive samples show all ten glyphs in random order, so classes are balanced wherever the set is cut.
  std::array<std::uint8_t, classes> order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % classes == 0) shuffle(std::span<std::uint8_t>(order), random);
    data.labels[i] = order[i % classes];
    paint(data.labels[i], random, std::span(data.pixels).subspan(i * data.shape.size(), data.shape.size()));
  }
  return data;
}

}  // namespace

DataSplit generate_synthetic(const DataSpec& spec, std::uint64_t seed) {
  const auto train = static_cast<std::size_t>(spec.train.value_or(synthetic_training_samples));
  const auto test = static_cast<std::size_t>(spec.test.value_or(synthetic_test_samples));
  return {generate(train, stream(seed, "train", "synthetic data")),
          generate(test, stream(seed, "test", "synthetic data"))};
}

}  // namespace ddl::data
