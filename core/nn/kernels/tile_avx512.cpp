// Compiled for AVX-512F; called only where the CPU has it.
#include "core/nn/kernels/tile.hpp"

#ifdef __AVX512F__
#include <immintrin.h>

#include "core/nn/kernels/tile_kernel.hpp"

namespace ddl::nn {
namespace {

struct Sixteen {
  static constexpr std::size_t lanes = 16, rows = 8;
  using Values = __m512;
  static __mmask16 mask(std::size_t count) { return static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1); }
  static Values zero() { return _mm512_setzero_ps(); }
  static Values load(const float* from) { return _mm512_loadu_ps(from); }
  static Values load_first(const float* from, std::size_t count) { return _mm512_maskz_loadu_ps(mask(count), from); }
  static void store_first(Values x, float* to, std::size_t count) { _mm512_mask_storeu_ps(to, mask(count), x); }
  static Values broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static Values multiply_add(Values x, Values y, Values z) { return _mm512_fmadd_ps(x, y, z); }
  static Values add(Values x, Values y) { return _mm512_add_ps(x, y); }
  static Values positive(Values x) { return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, zero(), _CMP_GT_OQ), x); }
};

}  // namespace

void panel_avx512(const PanelCall& call) { panel<Sixteen>(call); }

}  // namespace ddl::nn
#endif
