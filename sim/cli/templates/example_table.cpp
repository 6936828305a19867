#include "sim/cli/templates/example_table.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/rng.hpp"

namespace ddl::cli {
namespace {

constexpr std::size_t features = 20, classes = 5, samples = 2000;
constexpr double spread = 0.6;  // distance of centers: most samples are nearest to their own
constexpr std::array<const char*, 4> sites = {"east", "north", "south", "west"};
constexpr std::array<const char*, classes> class_names = {"ash", "beech", "elm", "oak", "yew"};

}  // namespace

std::string example_table() {
  Stream random = stream(1, "own_data", "example table");
  std::array<std::array<double, features>, classes> centers{};
  for (auto& center : centers) {
    for (double& coordinate : center) coordinate = spread * random.normal();
  }
  std::string text;
  for (std::size_t j = 0; j < features; ++j) text += fmt::format("f{},", j + 1);
  text += "site,class\n";
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t site = i % sites.size();
    const std::size_t kind = random.below(2) == 0 ? site : static_cast<std::size_t>(random.below(classes));
    double scale = 1;
    for (std::size_t j = 0; j < features; ++j, scale = j % 3 == 0 ? 1 : 10 * scale) {
      text += fmt::format("{:.3f},", scale * (centers[kind][j] + random.normal()));
    }
    text += fmt::format("{},{}\n", sites[site], class_names[kind]);
  }
  return text;
}

std::string example_text() {
  constexpr std::size_t letters = 400000, words = 300, followers = 4, words_of_sentence = 9, sentences = 5;
  constexpr std::array<const char*, 12> begins = {"b", "d", "f", "g", "k", "l", "m", "n", "p", "s", "t", "v"};
  constexpr std::array<const char*, 8> ends = {"a", "e", "i", "o", "an", "er", "is", "ou"};
  Stream random = stream(1, "language_model", "example text");
  std::array<std::string, words> spelled;
  std::array<std::array<std::size_t, followers>, words> next{};
  for (std::size_t w = 0; w < words; ++w) {
    for (auto syllables = 1 + random.below(3); syllables > 0; --syllables) {
      spelled[w] += begins[random.below(begins.size())];
      spelled[w] += ends[random.below(ends.size())];
    }
    for (std::size_t& word : next[w]) word = random.below(words);
  }
  std::string text;
  std::size_t word = 0, stops = 0;
  while (text.size() < letters) {
    text += spelled[word];
    word = next[word][random.below(followers)];
    const bool stop = random.below(words_of_sentence) == 0;
    text += !stop ? " " : ++stops % sentences == 0 ? ".\n\n" : ". ";
  }
  return text;
}

}  // namespace ddl::cli
