// A study from its folder, lab/studies/NAME: study.json, published.csv, sweep.json, claims.json and reasons.md.
// lab/studies/README.md says what is in each.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/studies/reading/words.hpp"
#include "lab/studies/study.hpp"

namespace ddl::studies {

// What is said of a study before it is read whole.
struct StudyRow {
  std::string name;  // of its folder
  std::string what;
  DataUse data = DataUse::none;
};
// Of every folder that has a study.json, by name.
std::vector<StudyRow> study_table();

// Throws InputError with one line that says which file is wrong, and where.
Study read_study(const std::string& name, const Scale& scale);

// Of "default", "data" and "full".
bool is_size(const std::string& name);

// What is read of a folder beside the study itself.
struct StudyContext {
  std::string size;
  Words words;                        // of all sizes and of this one, and "data", the folder
  std::set<std::string> claims = {};  // names, of all sizes

  // Whether an object that names sizes under a key is of this one.
  bool has(const JsonAt& json, const char* key = "sizes") const;
  // The value itself, or of {"full": ..., "else": ...} that of this size.
  JsonAt of_size(const JsonAt& json) const;
  // The text of a key in this size, with the words; "" if there is no such key.
  std::string text(const JsonAt& json, const std::string& key, const Words& words) const;
};

// Of "accuracy | VGG | 1x | AD-PSGD": table, labels of the row, column.
TablePosition position_of(const JsonAt& place, const std::string& text);

// The claims of claims.json. A formula's figures must be among those of the study.
void read_claims(const JsonAt& json, StudyContext& context, Study& study);

// reasons.md: causes and notes. A cause's claims must be known, and a claim that is not judged must have one.
void read_prose(const std::string& text, const std::string& file, const StudyContext& context, Study& study);

}  // namespace ddl::studies
