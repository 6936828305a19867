#include "sim/view/plots/type.hpp"

#include <algorithm>
#include <cstddef>

namespace ddl::view {
namespace {

// Of DejaVu Sans, from the blank to the tilde, in thousandths of the type's size (its table hmtx).
constexpr short advances[] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                              636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                              1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                              603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                              500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                              635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr short of_others = 850;  // nine in ten letters of Latin and Greek are narrower

bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// How many bytes of the word fit, at least those of its first letter.
std::size_t fitting(std::string_view word, double room) {
  std::size_t most = 0, mark = 0;
  for (std::size_t end = 1; end <= word.size(); ++end) {
    if (end < word.size() && goes_on(word[end])) continue;
    if (most > 0 && text_width(word.substr(0, end)) > room) break;
    most = end;
    const bool in_number = word[end - 1] == '.' && end < word.size() && word[end] >= '0' && word[end] <= '9';
    if (!in_number && std::string_view("._/=,:-").find(word[end - 1]) != std::string_view::npos) mark = end;
  }
  return most < word.size() && mark * 3 >= most ? mark : most;
}

}  // namespace

double text_width(std::string_view text) {
  int sum = 0;
  for (const char byte : text) {
    if (byte >= ' ' && byte <= '~') {
      sum += advances[byte - ' '];
    } else if (!goes_on(byte)) {
      sum += of_others;
    }
  }
  return sum / 1000.0;
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

std::vector<std::string> broken(std::string_view text, double room) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, blank);
    const std::string longer = lines.back() + (lines.back().empty() ? "" : " ") + std::string(word);
    if (text_width(longer) <= room) {
      lines.back() = longer;
    } else {
      if (lines.back().empty()) lines.pop_back();
      while (text_width(word) > room) {
        const std::size_t part = fitting(word, room);
        if (part == word.size()) break;
        lines.emplace_back(word.substr(0, part));
        word.remove_prefix(part);
      }
      lines.emplace_back(word);
    }
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return lines;
}

}  // namespace ddl::view
