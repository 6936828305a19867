// Words in braces, which stand in the JSON of a study for what differs from one cell, claim or size to the next.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/studies/reading/strict_json.hpp"

namespace ddl::studies {

using Words = std::map<std::string, Json>;

// `json` with the values of the words in its texts: "{workers} workers" becomes "4 workers". A text that is one word
// alone becomes its value, of whatever type, and a list in place of a list's item becomes the items. Values may have
// words themselves. "{{" and "}}" stand for braces. Throws InputError.
Json filled(const Json& json, const Words& words);
std::string filled_text(const std::string& text, const Words& words);

// The words in every place of a grid, the last axis varying fastest. `axes` is a list of objects; the lists of one
// object go in step: [{"model": ["VGG", "ResNet-20"], "batch": [128, 32]}, {"system": ["AllReduce", "D-PSGD"]}].
std::vector<Words> words_of_grid(const JsonAt& axes, const Words& others);

// A text taken apart at its braces.
struct TextPiece {
  std::string text;
  bool in_braces = false;
};
std::vector<TextPiece> pieces_of(const std::string& text);

}  // namespace ddl::studies
