#include "core/nn/layers/mask.hpp"

#include <algorithm>
#include <optional>

#include "core/nn/layers/finite_field.hpp"

namespace ddl::nn {
namespace {

// The points of a line of the plane of order q.
template <class Line>
std::vector<std::uint32_t> points_of(std::size_t q, std::size_t row, std::size_t inputs, Line line) {
  const std::size_t kind = row / q, m = row % q;
  std::vector<std::uint32_t> points;
  for (std::size_t n = 0; n < q; ++n) {
    const std::size_t point = kind == 0 ? q * m + n : kind == 1 ? q * n + m : q * n + line(kind - 1, n, m);
    if (point < inputs) points.push_back(static_cast<std::uint32_t>(point));
  }
  return points;
}

Connections lines(Mask kind, std::size_t inputs, std::size_t outputs) {
  const std::size_t q = design_order(kind, inputs), count = q * (q + 1);
  std::optional<FiniteField> field;
  if (kind == Mask::bibd_field && q > 1) field.emplace(q);
  Connections connections;
  connections.reserve(outputs);
  for (std::size_t output = 0; output < outputs; ++output) {
    connections.push_back(points_of(q, output % count, inputs, [&](std::size_t k, std::size_t a, std::size_t m) {
      return field ? field->add(field->multiply(k, a), m) : (k * a + m) % q;
    }));
  }
  return connections;
}

Connections scattered(std::size_t inputs, std::size_t outputs, Stream& random) {
  std::size_t count = 0;
  for (const auto& row : lines(Mask::bibd, inputs, outputs)) count += row.size();
  std::vector<std::uint8_t> places(inputs * outputs, 0);
  std::fill_n(places.begin(), count, std::uint8_t{1});
  shuffle(std::span<std::uint8_t>(places), random);
  Connections connections(outputs);
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (places[place] != 0) connections[place / inputs].push_back(static_cast<std::uint32_t>(place % inputs));
  }
  return connections;
}

}  // namespace

std::size_t design_order(Mask kind, std::size_t inputs) {
  std::size_t q = 1;
  while (q * q < inputs) ++q;
  if (kind == Mask::bibd_field) {
    while (q > 1 && !prime_power(q)) ++q;
  }
  return q;
}

Connections make_connections(Mask kind, std::size_t inputs, std::size_t outputs, Stream& random) {
  if (kind == Mask::random) return scattered(inputs, outputs, random);
  if (kind != Mask::none) return lines(kind, inputs, outputs);
  std::vector<std::uint32_t> all(inputs);
  for (std::size_t input = 0; input < inputs; ++input) all[input] = static_cast<std::uint32_t>(input);
  return Connections(outputs, all);
}

std::vector<std::uint32_t> weight_positions(const Connections& connections, std::size_t places, std::size_t inputs) {
  std::vector<std::uint32_t> positions;
  for (std::size_t output = 0; output < connections.size(); ++output) {
    for (const std::size_t input : connections[output]) {
      positions.push_back(static_cast<std::uint32_t>(input * connections.size() + output));
    }
  }
  std::ranges::sort(positions);
  const std::size_t count = positions.size();
  positions.reserve(count * places);
  for (std::size_t i = count; i < count * places; ++i) {
    positions.push_back(static_cast<std::uint32_t>(positions[i - count] + inputs * connections.size()));
  }
  return positions;
}

}  // namespace ddl::nn
