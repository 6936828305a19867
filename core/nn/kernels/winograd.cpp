#include "core/nn/kernels/winograd.hpp"

#include <algorithm>
#include <vector>

#include "core/nn/kernels/lanes.hpp"
#include "core/nn/kernels/tile.hpp"

namespace ddl::nn {
namespace {

constexpr std::size_t kOut = 4, kIn = 6, kKernel = 3;
// Number of tiles whose products are computed at a time: enough rows for fast products, few enough for the cache. It
// fixes the order of sums, so every result depends on it.
constexpr std::size_t kTiles = 64;
// With fewer channels, the transforms cost more than they save.
constexpr std::size_t kLeastValues = 32;

using Values = Eight::Values;

// The four one-dimensional transforms; each is applied to columns, then to rows.
struct FromInput {
  static constexpr std::size_t from = kIn, to = kIn;
  static void apply(const Values* d, Values* t) {
    const Values even = d[4] - 4 * d[2], odd = d[3] - 4 * d[1];
    const Values even2 = d[4] - d[2], odd2 = 2 * (d[3] - d[1]);
    t[0] = (4 * d[0] - 5 * d[2]) + d[4];
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = even2 + odd2;
    t[4] = even2 - odd2;
    t[5] = (4 * d[1] - 5 * d[3]) + d[5];
  }
};
struct ToOutput {
  static constexpr std::size_t from = kIn, to = kOut;
  static void apply(const Values* m, Values* y) {
    const Values sum = m[1] + m[2], difference = m[1] - m[2], sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    y[0] = (m[0] + sum) + sum2;
    y[1] = difference + 2 * difference2;
    y[2] = sum + 4 * sum2;
    y[3] = (difference + 8 * difference2) + m[5];
  }
};
struct FromOutput {  // the adjoint of ToOutput
  static constexpr std::size_t from = kOut, to = kIn;
  static void apply(const Values* y, Values* m) {
    const Values even = y[0] + y[2], odd = y[1] + y[3], even2 = y[0] + 4 * y[2], odd2 = 2 * y[1] + 8 * y[3];
    m[0] = y[0];
    m[1] = even + odd;
    m[2] = even - odd;
    m[3] = even2 + odd2;
    m[4] = even2 - odd2;
    m[5] = y[3];
  }
};
struct FromWeights {
  static constexpr std::size_t from = kKernel, to = kIn;
  static void apply(const Values* w, Values* u) {
    const Values sixth = (w[0] + w[2]) * (-1.0f / 6), part = w[0] * (1.0f / 24) + w[2] * (1.0f / 6);
    u[0] = w[0] * 0.25f;
    u[1] = sixth - w[1] * (1.0f / 6);
    u[2] = sixth + w[1] * (1.0f / 6);
    u[3] = part + w[1] * (1.0f / 12);
    u[4] = part - w[1] * (1.0f / 12);
    u[5] = w[2];
  }
};
struct ToWeights {  // the adjoint of FromWeights
  static constexpr std::size_t from = kIn, to = kKernel;
  static void apply(const Values* u, Values* w) {
    const Values near = (u[1] + u[2]) * (-1.0f / 6), far = u[3] + u[4];
    w[0] = (u[0] * 0.25f + near) + far * (1.0f / 24);
    w[1] = (u[2] - u[1]) * (1.0f / 6) + (u[3] - u[4]) * (1.0f / 12);
    w[2] = (near + far * (1.0f / 6)) + u[5];
  }
};

// `read(i, value)` gives the from x from values of eight channels, `write(i, value)` takes the to x to results.
template <class T, class Read, class Write>
inline void transform(Read read, Write write) {
  Values columns[T::to][T::from];
#pragma GCC unroll 6
  for (std::size_t x = 0; x < T::from; ++x) {
    Values column[T::from], result[T::to];
#pragma GCC unroll 6
    for (std::size_t y = 0; y < T::from; ++y) read(y * T::from + x, column[y]);
    T::apply(column, result);
#pragma GCC unroll 6
    for (std::size_t y = 0; y < T::to; ++y) columns[y][x] = result[y];
  }
#pragma GCC unroll 6
  for (std::size_t y = 0; y < T::to; ++y) {
    Values result[T::to];
    T::apply(columns[y], result);
#pragma GCC unroll 6
    for (std::size_t x = 0; x < T::to; ++x) write(y * T::to + x, result[x]);
  }
}

// Pointers to the pixels of a size x size window at (top, left); pixels outside the image are read from `zeros`.
template <std::size_t kSize>
void place(const float* image, const Plane& plane, std::ptrdiff_t top, std::ptrdiff_t left, const float* zeros,
           const float** pixels) {
  for (std::size_t y = 0; y < kSize; ++y) {
    for (std::size_t x = 0; x < kSize; ++x) {
      const std::size_t row = static_cast<std::size_t>(top + static_cast<std::ptrdiff_t>(y));
      const std::size_t column = static_cast<std::size_t>(left + static_cast<std::ptrdiff_t>(x));
      const bool inside = row < plane.height && column < plane.width;  // negative values wrap round to huge ones
      pixels[y * kSize + x] = inside ? image + (row * plane.width + column) * plane.values : zeros;
    }
  }
}

// places x rows x columns, where place p of A (rows x terms, or its transposed) multiplies place p of B.
void multiply_places(std::size_t places, PanelCall call, std::size_t a_size, std::size_t b_size, std::size_t columns,
                     std::size_t c_size) {
  const TileSet& set = tile_set_for(columns);
  const float *const a = call.a, *const b = call.b;
  float* const c = call.c;
  for (std::size_t place = 0; place < places; ++place) {
    for (std::size_t column = 0; column < columns; column += set.columns) {
      call.columns = std::min(set.columns, columns - column);
      call.a = a + place * a_size;
      call.b = b + place * b_size + column;
      call.c = c + place * c_size + column;
      set.panel(call);
    }
  }
}

}  // namespace

Winograd::Winograd(Plane input, Plane output, std::size_t above)
    : input_(input),
      output_(output),
      above_(above),
      rows_((output.height + kOut - 1) / kOut),
      columns_((output.width + kOut - 1) / kOut),
      group_(std::max<std::size_t>(1, kTiles / std::max<std::size_t>(1, rows_ * columns_))) {}

bool Winograd::suits(std::size_t kernel, Plane input, Plane output) {
  const auto whole = [](std::size_t values) { return values >= kLeastValues && values % kLanes == 0; };
  return kernel == kKernel && whole(input.values) && whole(output.values) && output.height >= kOut &&
         output.width >= kOut;
}

// visit(image, tile's row, tile's column, number of the tile)
template <class Visit>
void Winograd::each_tile(std::size_t count, Visit visit) const {
  for (std::size_t image = 0, tile = 0; image < count; ++image) {
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t column = 0; column < columns_; ++column) visit(image, row, column, tile++);
    }
  }
}

void Winograd::transform_weights(const float* weights, bool turned, float* result) const {
  const std::size_t inputs = input_.values, outputs = output_.values, step = stride(inputs * outputs);
  float gathered[kKernel * kKernel][kLanes];
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t o = 0; o < outputs; o += kLanes) {
      for (std::size_t p = 0; p < kKernel * kKernel; ++p) {
        const std::size_t from = turned ? kKernel * kKernel - 1 - p : p;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          gathered[p][lane] = turned ? weights[(from * outputs + o + lane) * inputs + i]
                                     : weights[(from * inputs + i) * outputs + o + lane];
        }
      }
      transform<FromWeights>(
          [&](std::size_t p, Values& value) { Eight::load(gathered[p], value); },
          [&](std::size_t p, const Values& value) { Eight::store(value, result + p * step + i * outputs + o); });
    }
  }
}

void Winograd::transform_inputs(const float* images, std::size_t count, float* result) const {
  const std::vector<float> zeros(input_.values);
  const std::size_t step = stride(tiles(count) * input_.values);
  const float* pixels[kPlaces];
  each_tile(count, [&](std::size_t image, std::size_t row, std::size_t column, std::size_t tile) {
    const auto shift = static_cast<std::ptrdiff_t>(above_);
    place<kIn>(images + image * input_.size(), input_, static_cast<std::ptrdiff_t>(row * kOut) - shift,
               static_cast<std::ptrdiff_t>(column * kOut) - shift, zeros.data(), pixels);
    float* const to = result + tile * input_.values;
    for (std::size_t c = 0; c < input_.values; c += kLanes) {
      transform<FromInput>([&](std::size_t p, Values& value) { Eight::load(pixels[p] + c, value); },
                           [&](std::size_t p, const Values& value) { Eight::store(value, to + p * step + c); });
    }
  });
}

void Winograd::multiply(const float* inputs, const float* weights, std::size_t count, float* products) const {
  const std::size_t rows = tiles(count);
  PanelCall call;
  call.terms = {.inner = input_.values, .b_inner = output_.values};
  call.rows = rows;
  call.a = inputs;
  call.a_row = input_.values;
  call.b = weights;
  call.c = products;
  call.c_row = output_.values;
  multiply_places(kPlaces, call, stride(rows * input_.values), stride(input_.values * output_.values), output_.values,
                  stride(rows * output_.values));
}

void Winograd::finish(const float* products, std::size_t count, const float* bias, bool relu, float* outputs) const {
  const std::size_t step = stride(tiles(count) * output_.values);
  const Values nothing{};
  each_tile(count, [&](std::size_t image, std::size_t row, std::size_t column, std::size_t tile) {
    const float* const from = products + tile * output_.values;
    float* const corner = outputs + image * output_.size() + (row * output_.width + column) * kOut * output_.values;
    const std::size_t height = output_.height - row * kOut, width = output_.width - column * kOut;
    for (std::size_t c = 0; c < output_.values; c += kLanes) {
      Values start{};
      if (bias != nullptr) Eight::load(bias + c, start);
      transform<ToOutput>([&](std::size_t p, Values& value) { Eight::load(from + p * step + c, value); },
                          [&](std::size_t p, const Values& value) {
                            const std::size_t y = p / kOut, x = p % kOut;
                            if (y >= height || x >= width) return;
                            Values result = value + start;
                            if (relu) result = result > nothing ? result : nothing;
                            Eight::store(result, corner + (y * output_.width + x) * output_.values + c);
                          });
    }
  });
}

void Winograd::transform_gradients(const float* gradients, std::size_t count, float* result) const {
  const std::vector<float> zeros(output_.values);
  const std::size_t step = stride(tiles(count) * output_.values);
  const float* pixels[kOut * kOut];
  each_tile(count, [&](std::size_t image, std::size_t row, std::size_t column, std::size_t tile) {
    place<kOut>(gradients + image * output_.size(), output_, static_cast<std::ptrdiff_t>(row * kOut),
                static_cast<std::ptrdiff_t>(column * kOut), zeros.data(), pixels);
    float* const to = result + tile * output_.values;
    for (std::size_t c = 0; c < output_.values; c += kLanes) {
      transform<FromOutput>([&](std::size_t p, Values& value) { Eight::load(pixels[p] + c, value); },
                            [&](std::size_t p, const Values& value) { Eight::store(value, to + p * step + c); });
    }
  });
}

void Winograd::add_weight_gradient(const float* inputs, const float* gradients, std::size_t count, bool first,
                                   float* result) const {
  const std::size_t terms = tiles(count);
  PanelCall call;
  call.terms = {.inner = terms, .a_inner = input_.values, .b_inner = output_.values};
  call.rows = input_.values;
  call.a = inputs;
  call.b = gradients;
  call.c = result;
  call.c_row = output_.values;
  call.add = !first;
  multiply_places(kPlaces, call, stride(terms * input_.values), stride(terms * output_.values), output_.values,
                  stride(input_.values * output_.values));
}

void Winograd::finish_weight_gradient(const float* transformed, float* result) const {
  const std::size_t size = input_.values * output_.values;
  for (std::size_t i = 0; i < size; i += kLanes) {
    transform<ToWeights>([&](std::size_t p, Values& value) { Eight::load(transformed + p * stride(size) + i, value); },
                         [&](std::size_t p, const Values& value) { Eight::store(value, result + p * size + i); });
  }
}

}  // namespace ddl::nn
