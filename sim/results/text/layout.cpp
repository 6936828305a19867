#include "sim/results/text/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddl::results {
namespace {

constexpr std::size_t label_width = 18;

// Prose is no easier to read in longer lines.
std::size_t of_prose(std::size_t width) { return std::min(width, text_columns); }

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Where the first `count` letters of `text` end.
std::size_t end_of_letters(std::string_view text, std::size_t count) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_letter(text[at]) && letters++ == count) return at;
  }
  return text.size();
}

// Where to break a word that is longer than `width`: behind a mark within it, if that leaves no short rest of a line.
std::size_t break_of(std::string_view word, std::size_t width) {
  const std::size_t most = end_of_letters(word, width);
  const std::size_t mark = word.substr(0, most).find_last_of("._/=,:-");
  return mark != std::string_view::npos && columns_of(word.substr(0, mark + 1)) * 3 >= width ? mark + 1 : most;
}

std::vector<std::string> words_of(std::string_view text, std::size_t width, bool may_split) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    while (may_split && columns_of(word) > width) {
      const std::size_t part = break_of(word, width);
      words.emplace_back(word.substr(0, part));
      word.remove_prefix(part);
    }
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width, bool may_split) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words_of(text, std::max<std::size_t>(width, 1), may_split)) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns_of(line) + 1 + columns_of(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string hanging(std::string_view start, std::string_view text, std::size_t width) {
  const std::size_t indent = columns_of(start), room = of_prose(width);
  std::string all;
  for (const std::string& line : lines_of(text, room - std::min(indent, room - 1))) {
    all += (all.empty() ? std::string(start) : std::string(indent, ' ')) + line + "\n";
  }
  return all;
}

std::string rewrapped(std::string_view text, std::size_t width) {
  const std::size_t room = of_prose(width);
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    bool first = true;
    // The first line has room for two letters more, which is left.
    for (const std::string& part : lines_of(line.substr(indent), room - std::min(indent + 2, room - 1))) {
      all += std::string(part.empty() ? 0 : indent + (first ? 0 : 2), ' ') + part + "\n";
      first = false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string labelled(std::string_view label, std::string_view text, std::size_t width) {
  return hanging(fmt::format("  {:<{}}", label, label_width), text, width);
}

}  // namespace ddl::results
