#include "sim/view/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/natural_order.hpp"
#include "core/base/rng.hpp"

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

// Picked by hand. Systems that are often drawn together have Okabe and Ito's colours, which colour-blind readers tell
// apart, or ones far from them; the others have Tol's muted ones. Variants of a system are lighter and darker: no other
// is just that. Every other name has a look that follows from it, so that a new system needs no row.
constexpr SystemLook picked_looks[] = {
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
    {"diloco", "#b2182b", mark::open_up},
    {"fedavg", "#882255", mark::open_square},
    {"sgp", "#332288", mark::open_down},
    {"choco", "#aa4499", mark::open_diamond},
    {"vertical", "#661100", mark::star},
    {"early_exit", "#bb5566", mark::open_circle},
    {"samme", "#4d4d4d", mark::open_square},
};

constexpr int name_marks[] = {mark::square,      mark::circle,   mark::up,        mark::down,
                              mark::diamond,     mark::pentagon, mark::star,      mark::open_square,
                              mark::open_circle, mark::open_up,  mark::open_down, mark::open_diamond};

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

// Number i of so many shades of one colour, from dark to one that a thin line still has on white.
std::string shade(const std::string& colour, int i, int all) {
  constexpr double darkest = -0.45, lightest = 0.45, brightest = 180;
  const Rgb rgb = parts_of(colour);
  const double brightness = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];  // to the eye (ITU-R BT.601)
  const double end = std::clamp((brightest - brightness) / (255 - brightness), 0.0, lightest);
  return shaded(colour, darkest + i * (end - darkest) / (all - 1));
}

std::string grey_shade(int i, int all) {
  constexpr int lightest = 150;
  const int part = all < 2 ? 0 : lightest * i / (all - 1);
  return text_of({part, part, part});
}

int squared_distance(const Rgb& a, const Rgb& b) {
  int sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// The first of the name's own colours that is dark enough for a thin line, no grey, and far from all that are picked.
Look look_from(const std::string& name) {
  constexpr int least_distance = 40, least_saturation = 60;
  constexpr std::uint64_t brightest = 200;
  Stream random = stream(0, name, "look");
  Look look{.colour = "", .mark = name_marks[random.below(std::size(name_marks))], .dash = 1};
  for (;;) {
    const auto part = [&] { return static_cast<int>(random.below(brightest)); };
    const int red = part(), green = part(), blue = part();
    const auto [least, most] = std::minmax({red, green, blue});
    const bool far = std::ranges::all_of(picked_looks, [&](const SystemLook& picked) {
      return squared_distance({red, green, blue}, parts_of(picked.colour)) >= least_distance * least_distance;
    });
    if (!far || most - least < least_saturation) continue;
    look.colour = text_of({red, green, blue});
    return look;
  }
}

}  // namespace

Look look_of(const std::string& system) {
  const auto picked = std::ranges::find(picked_looks, system, &SystemLook::system);
  return picked == std::end(picked_looks) ? look_from(system) : Look{picked->colour, picked->mark, 1};
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
    if (names.size() > 1) look.colour = shade(look.colour, rank, static_cast<int>(names.size()));
    look.dash = 1 + rank % dash_kinds;
    if (grey) {
      const auto place = static_cast<int>(looks.size());
      look.colour = grey_shade(place, static_cast<int>(drawn.size()));
      look.dash = 1 + place % dash_kinds;
    }
    looks.push_back(std::move(look));
  }
  return looks;
}

}  // namespace ddl::view
