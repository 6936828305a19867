#include "sim/view/plots/pen.hpp"

#include <fmt/format.h>

namespace ddl::view {

std::string Pen::at(double x, double y) const {
  return fmt::format("screen {:.5f},{:.5f}", x / canvas_.width, y / canvas_.height);
}

void Pen::write(const std::string& text, double x, double y, const Style& style) {
  if (text.empty()) return;
  const char* place = style.at == At::left ? "left" : style.at == At::right ? "right" : "center";
  commands_ += fmt::format("set label {} {} at {} {} front{}{}{}\n", ++objects_, gnuplot_text(text), at(x, y), place,
                           style.turned ? " rotate by 90" : "",
                           style.size == 1 ? "" : fmt::format(" font ',{:.4g}'", style.size * canvas_.type),
                           style.soft ? " textcolor rgb soft" : "");
}

void Pen::write(const std::vector<std::string>& lines, double x, double y, const Style& style) {
  const double pitch = line_pitch * style.size * canvas_.type;
  if (style.centred) y += pitch / 2 * (static_cast<double>(lines.size()) - 1);
  for (const std::string& line : lines) {
    write(line, x, y, style);
    (style.turned ? x : y) += style.turned ? pitch : -pitch;
  }
}

void Pen::line(double x, double y, double length, const Look& look, bool with_mark) {
  commands_ += fmt::format("set arrow {} from {} to {} nohead linecolor rgb '{}' linewidth line_width dashtype {}\n",
                           ++objects_, at(x, y), at(x + length, y), look.colour, look.dash);
  if (!with_mark) return;
  commands_ += fmt::format("set label {} '' at {} point pointtype {} pointsize mark_size linecolor rgb '{}'\n",
                           ++objects_, at(x + length / 2, y), look.mark, look.colour);
}

void Pen::swatch(double x, double y, double side, const std::string& colour) {
  commands_ += fmt::format("set object {} rectangle from {} to {} fillcolor rgb '{}' fillstyle solid 1 noborder\n",
                           ++objects_, at(x, y - side / 2), at(x + side, y + side / 2), colour);
}

}  // namespace ddl::view
