// The innermost loops of every matrix product and convolution, for each kind of CPU.
//
// Every element of a result is one chain of fused multiply-adds in the order of its terms. So rounding depends only on
// that order, not on a register's lanes or on how rows and columns are cut into tiles, and all sets give the same bits.
// (Blocking for registers after Goto and van de Geijn, ACM TOMS 2008.)
#pragma once

#include <cstddef>
#include <span>

namespace ddl::nn {

// Memory layout of a sum's terms: `outer` runs of `inner` terms, each term one step further in A and in B.
struct Terms {
  std::size_t outer = 1, inner = 0;
  std::size_t a_outer = 0, a_inner = 1;
  std::size_t b_outer = 0, b_inner = 0;
};

// C(i, j) = start + sum over the terms of A(i, term) B(term, j).
struct PanelCall {
  Terms terms;
  std::size_t rows = 0;         // any number
  std::size_t columns = 0;      // at most the set's; B is still read up to padded_columns()
  const float* a = nullptr;     // at row 0
  std::size_t a_row = 1;        // from row to row; 1 or terms.a_inner must be 1
  const float* b = nullptr;     // the columns of a term lie together
  float* c = nullptr;           // the columns of a row lie together
  std::size_t c_row = 0;        // from row to row
  const float* bias = nullptr;  // start, a value per column; null: zero
  bool add = false;             // adds the sum to the content of C
  bool relu = false;            // max(0, .) of the result
};

struct TileSet {
  const char* name;
  std::size_t lanes;    // columns are read in multiples of this
  std::size_t columns;  // most columns of a panel
  void (*panel)(const PanelCall&);

  std::size_t padded_columns(std::size_t count) const { return (count + lanes - 1) / lanes * lanes; }
};

// The sets that this CPU can run, the fastest for wide panels first; the last is plain C++. The environment variable
// DDLSIM_KERNELS ("AVX2", "plain") removes those before the one it names.
std::span<const TileSet> tile_sets();

// Throws InputError when DDLSIM_KERNELS names none of them.
void check_kernel_choice();

// The fastest set for results with this many columns.
const TileSet& tile_set_for(std::size_t columns);

// The panels of the sets, each defined only where its file could be compiled for that CPU.
void panel_avx512(const PanelCall& call);
void panel_avx2(const PanelCall& call);
void panel_plain(const PanelCall& call);

}  // namespace ddl::nn
