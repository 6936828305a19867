// Compiled for AVX2 and FMA; called only where the CPU has them.
#include "core/nn/kernels/tile.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "core/nn/kernels/tile_kernel.hpp"

namespace ddl::nn {
namespace {

struct Eight {
  static constexpr std::size_t lanes = 8, rows = 6;
  using Values = __m256;
  static __m256i mask(std::size_t count) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane);
  }
  static Values zero() { return _mm256_setzero_ps(); }
  static Values load(const float* from) { return _mm256_loadu_ps(from); }
  static Values load_first(const float* from, std::size_t count) {
    return count >= lanes ? load(from) : _mm256_maskload_ps(from, mask(count));
  }
  static void store_first(Values x, float* to, std::size_t count) {
    count >= lanes ? _mm256_storeu_ps(to, x) : _mm256_maskstore_ps(to, mask(count), x);
  }
  static Values broadcast(const float* from) { return _mm256_broadcast_ss(from); }
  static Values multiply_add(Values x, Values y, Values z) { return _mm256_fmadd_ps(x, y, z); }
  static Values add(Values x, Values y) { return _mm256_add_ps(x, y); }
  static Values positive(Values x) { return _mm256_max_ps(x, zero()); }
};

}  // namespace

void panel_avx2(const PanelCall& call) { panel<Eight>(call); }

}  // namespace ddl::nn
#endif
