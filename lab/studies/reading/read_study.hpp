// A study from its folder, lab/studies/NAME: study.json, published.csv, sweep.json, claims.json and reasons.md.
// lab/studies/README.md says what is in each.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/studies/reading/words.hpp"
#include "lab/studies/study.hpp"

namespace ddl::studies {

// Throws InputError with one line that says which file is wrong, and where.
Study read_study(const std::string& name, const Scale& scale);

// What is read of a folder beside the study itself.
struct StudyContext {
  std::string size;  // "default", "data" or "full"
  Words words;       // of all sizes and of this one, and "data", the folder

  // Whether an object that names "sizes" is of this one.
  bool has(const JsonAt& json) const;
  // The value itself, or of {"full": ..., "else": ...} that of this size.
  JsonAt of_size(const JsonAt& json) const;
  // The text of a key in this size, with the words; "" if there is no such key.
  std::string text(const JsonAt& json, const std::string& key, const Words& words) const;
};

// "accuracy | VGG | 1x | AD-PSGD": table, labels of the row, column.
std::vector<std::string> parts_of_place(const std::string& text);
TablePosition position_of(const JsonAt& place, const std::string& text);

// What is known of claims that fail, by the claims' names, and what the figures rest on.
struct Prose {
  struct Reason {
    std::string claim, text;  // with words yet to be filled in; "": in another size
  };
  std::vector<Reason> reasons;
  std::vector<Note> notes;
  // "" where nothing is known in this size.
  std::string text_of(const std::string& claim) const;
};
Prose parse_prose(const std::string& text, const std::string& file, const StudyContext& context);

// The claims of claims.json. A formula's figures must be among those of the study.
std::vector<Claim> parse_claims(const JsonAt& json, const Study& study, const Prose& prose,
                                const StudyContext& context);

}  // namespace ddl::studies
