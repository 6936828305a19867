#include "sim/view/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/digest.hpp"
#include "core/base/natural_order.hpp"

namespace ddl::view {
namespace {

struct SystemLook {
  std::string_view system;
  const char* colour;
  int mark;
};

// gnuplot's point types with odd and even numbers are outlines and filled shapes.
namespace mark {
enum {
  square = 5,
  circle = 7,
  up = 9,
  down = 11,
  diamond = 13,
  pentagon = 15,
  plus = 1,
  cross = 2,
  star = 3,
  open_square = 4,
  open_circle = 6,
  open_up = 8,
  open_down = 10,
  open_diamond = 12
};
}  // namespace mark

// Systems that are often drawn together have Okabe and Ito's colours, which colour-blind readers tell apart, or ones
// far from them; the others have Tol's muted ones. Variants of a system are lighter and darker: no other is just that.
constexpr SystemLook system_looks[] = {
    {"single", "#000000", mark::plus},
    {"alone", "#7f7f7f", mark::cross},
    {"ako", "#0072b2", mark::circle},
    {"ps_async", "#d55e00", mark::square},
    {"ps_sync", "#e69f00", mark::open_square},
    {"ps_ssp", "#b8860b", mark::diamond},
    {"gossip", "#cc79a7", mark::up},
    {"d_psgd", "#8c564b", mark::down},
    {"ad_psgd", "#6a3d9a", mark::diamond},
    {"ring_allreduce", "#009e73", mark::pentagon},
    {"tree_allreduce", "#117733", mark::up},
    {"star_allreduce", "#66a61e", mark::down},
    {"partial_allreduce", "#44aa99", mark::open_circle},
    {"local_sgd", "#999933", mark::open_diamond},
    {"fedavg", "#882255", mark::open_square},
    {"easgd", "#ddaa33", mark::open_up},
    {"sgp", "#332288", mark::open_down},
    {"choco", "#aa4499", mark::open_diamond},
    {"vertical", "#661100", mark::star},
    {"early_exit", "#bb5566", mark::open_up},
    {"samme", "#4d4d4d", mark::open_circle},
};

constexpr int dash_kinds = 5;  // that gnuplot knows

using Rgb = std::array<int, 3>;

Rgb parts_of(const std::string& colour) {
  const auto all = static_cast<int>(std::strtol(colour.c_str() + 1, nullptr, 16));
  return {all >> 16, (all >> 8) & 255, all & 255};
}

std::string text_of(const Rgb& rgb) { return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]); }

// Towards black for a share below 0, towards white above it.
std::string shaded(const std::string& colour, double share) {
  Rgb rgb = parts_of(colour);
  for (int& part : rgb) {
    const double end = share < 0 ? 0 : 255;
    part = static_cast<int>(std::lround(part + std::fabs(share) * (end - part)));
  }
  return text_of(rgb);
}

// As bright as the colour is to the eye (ITU-R BT.601), and never so bright that a thin line is lost on white.
std::string greyed(const std::string& colour) {
  const Rgb rgb = parts_of(colour);
  const double brightness = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  const int part = static_cast<int>(std::lround(std::min(brightness, 150.0)));
  return text_of({part, part, part});
}

std::size_t row_of(const std::string& system) {
  for (std::size_t i = 0; i < std::size(system_looks); ++i) {
    if (system_looks[i].system == system) return i;
  }
  Digest digest;
  digest.add(system);
  return 2 + std::stoull(digest.hex(), nullptr, 16) % (std::size(system_looks) - 2);  // not the baselines'
}

}  // namespace

Look look_of(const std::string& system) {
  const SystemLook& row = system_looks[row_of(system)];
  return {row.colour, row.mark, 1};
}

std::vector<Look> looks_of(const std::vector<Drawn>& drawn, bool grey) {
  std::vector<Look> looks;
  for (const Drawn& one : drawn) {
    std::vector<std::string> names;
    for (const Drawn& other : drawn) {
      if (other.system == one.system) names.push_back(other.name);
    }
    std::sort(names.begin(), names.end(), natural_less);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const auto rank = static_cast<int>(std::find(names.begin(), names.end(), one.name) - names.begin());
    Look look = look_of(one.system);
    if (names.size() > 1) {
      constexpr double darkest = -0.35, lightest = 0.45;
      look.colour = shaded(look.colour, darkest + rank * (lightest - darkest) / static_cast<double>(names.size() - 1));
    }
    look.dash = 1 + rank % dash_kinds;
    if (grey) {
      look.dash = 1 + (static_cast<int>(row_of(one.system)) + rank) % dash_kinds;
      look.colour = greyed(look.colour);
    }
    looks.push_back(std::move(look));
  }
  return looks;
}

}  // namespace ddl::view
