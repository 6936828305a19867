#include "core/nn/kernels/tile.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/check.hpp"
#include "core/nn/kernels/tile_kernel.hpp"

namespace ddl::nn {
namespace {

// For any CPU. A fused multiply-add rounds once by definition, whether done by an instruction or by the library.
struct Single {
  static constexpr std::size_t lanes = 1, rows = 4;
  using Values = float;
  static Values zero() { return 0; }
  static Values load(const float* from) { return *from; }
  static Values load_first(const float* from, std::size_t) { return *from; }
  static void store_first(Values x, float* to, std::size_t) { *to = x; }
  static Values broadcast(const float* from) { return *from; }
  static Values multiply_add(Values x, Values y, Values z) { return std::fma(x, y, z); }
  static Values add(Values x, Values y) { return x + y; }
  static Values positive(Values x) { return x > 0 ? x : 0; }
};

constexpr TileSet kSets[] = {
#ifdef DDLSIM_X86_TILES
    {"AVX-512", 16, 32, panel_avx512},
    {"AVX2", 8, 16, panel_avx2},
#endif
    {"plain", 1, 2, panel_plain}};

std::span<const TileSet> sets_of_this_cpu() {
  const std::span<const TileSet> all = kSets;
#ifdef DDLSIM_X86_TILES
  if (__builtin_cpu_supports("avx512f")) return all;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return all.subspan(1);
#endif
  return all.last(1);
}

// Empty when the choice is not understood.
std::span<const TileSet> chosen_sets() {
  const std::span<const TileSet> sets = sets_of_this_cpu();
  const char* const choice = std::getenv("DDLSIM_KERNELS");
  if (choice == nullptr) return sets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (std::string_view(choice) == sets[i].name) return sets.subspan(i);
  }
  return {};
}

const std::span<const TileSet> kChosen = chosen_sets();

}  // namespace

void panel_plain(const PanelCall& call) { panel<Single>(call); }

std::span<const TileSet> tile_sets() { return kChosen.empty() ? sets_of_this_cpu() : kChosen; }

void check_kernel_choice() {
  if (!kChosen.empty()) return;
  std::string known;
  for (const TileSet& set : sets_of_this_cpu()) known += std::string(known.empty() ? "" : ", ") + set.name;
  throw InputError("DDLSIM_KERNELS: names no kernels of this CPU; expected one of " + known);
}

const TileSet& tile_set_for(std::size_t columns) {
  const auto sets = tile_sets();
  // Lanes beyond the columns would be wasted.
  for (const TileSet& set : sets.first(sets.size() - 1)) {
    if (columns > set.lanes / 2) return set;
  }
  return sets.size() == 1 ? sets.front() : sets[sets.size() - 2];
}

}  // namespace ddl::nn
