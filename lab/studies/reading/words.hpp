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

// The value of the word that is the whole of a text, as it stands: its own words are not filled in.
Json value_of_word(const std::string& text, const Words& words);

// The words in every place of the grid that an object names under "for", the last axis varying fastest; without one,
// `others` alone. It is a list of objects; the lists of one object go in step, and may be words:
// [{"model": ["VGG", "ResNet-20"], "batch": [128, 32]}, {"system": "{systems}"}]. Or an object of the list takes its
// words from the rows of tables: {"rows": [FILES], "by": {WORD: COLUMN}, "gather": {WORD: COLUMN}}.
std::vector<Words> grid_of(const JsonAt& object, const Words& others);

// A text taken apart at its braces.
struct TextPiece {
  std::string text;
  bool in_braces = false;
};
std::vector<TextPiece> pieces_of(const std::string& text);

}  // namespace ddl::studies
