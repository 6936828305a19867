// reasons.md: what is known of claims that fail, and what the figures rest on.
#include <algorithm>
#include <sstream>

#include "lab/studies/reading/read_study.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

// "## name (size, size)" with its paragraphs.
struct ProseSection {
  int line = 0;
  bool is_reason = false;  // or a kind of notes
  std::string name;
  std::vector<std::string> sizes, paragraphs;  // no sizes: all
};

// A line of the file that is wrong.
struct ProseFile {
  const std::string& file;
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw InputError(file + ": line " + std::to_string(line) + ": " + what);
  }
};

ProseSection section_of(int line, bool is_reason, const std::string& title) {
  ProseSection section{line, is_reason, title, {}, {}};
  const std::size_t sizes = title.find(" (");
  if (sizes == std::string::npos || !title.ends_with(')')) return section;
  section.name = title.substr(0, sizes);
  std::istringstream list(title.substr(sizes + 2, title.size() - sizes - 3));
  for (std::string size; std::getline(list >> std::ws, size, ',');) section.sizes.push_back(size);
  return section;
}

std::vector<ProseSection> sections_of(const std::string& text, const ProseFile& in) {
  std::vector<ProseSection> sections;
  std::istringstream lines(text);
  bool is_reason = false, goes_on = false;  // the paragraph
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool is_title = line.starts_with("# ");
    if (is_title && line != "# Reasons" && line != "# Notes")
      in.refuse(number, "expected \"# Reasons\" or \"# Notes\"");
    if (is_title) {
      is_reason = line == "# Reasons";
    } else if (line.starts_with("## ")) {
      sections.push_back(section_of(number, is_reason, line.substr(3)));
    } else if (!line.empty()) {
      if (sections.empty()) in.refuse(number, "stands in no section; expected \"## \" and a name above it");
      std::vector<std::string>& paragraphs = sections.back().paragraphs;
      if (!goes_on) paragraphs.emplace_back();
      paragraphs.back() += (goes_on ? " " : "") + line;
    }
    goes_on = !line.empty() && !line.starts_with("#");
  }
  return sections;
}

Note::Kind kind_of_note(const ProseSection& section, const ProseFile& in) {
  if (section.name == "Modelled") return Note::modelled;
  if (section.name == "Calibrated") return Note::calibrated;
  if (section.name == "Assumed") return Note::assumed;
  in.refuse(section.line,
            scenario::in_quotes(section.name) + " is no kind of note; expected Modelled, Calibrated or Assumed");
}

}  // namespace

Prose parse_prose(const std::string& text, const std::string& file, const StudyContext& context) {
  Prose prose;
  const ProseFile in{file};
  for (const ProseSection& section : sections_of(text, in)) {
    for (const std::string& size : section.sizes) {
      if (size == "default" || size == "data" || size == "full") continue;
      in.refuse(section.line, scenario::in_quotes(size) + " is no size; expected default, data or full");
    }
    const bool is_here = section.sizes.empty() || std::ranges::count(section.sizes, context.size) > 0;
    if (section.is_reason) {
      if (section.paragraphs.size() != 1) in.refuse(section.line, "has no text of one paragraph; expected one");
      if (is_here && !prose.text_of(section.name).empty()) {
        in.refuse(section.line, "is a second reason of one size; expected each claim's once");
      }
      prose.reasons.push_back({section.name, is_here ? section.paragraphs[0] : ""});
      continue;
    }
    const Note::Kind kind = kind_of_note(section, in);
    for (const std::string& paragraph : section.paragraphs) {
      if (!is_here) break;
      try {
        prose.notes.push_back({kind, filled_text(paragraph, context.words)});
      } catch (const InputError& error) {
        in.refuse(section.line, error.what());
      }
    }
  }
  return prose;
}

std::string Prose::text_of(const std::string& claim) const {
  for (const Reason& reason : reasons) {
    if (reason.claim == claim && !reason.text.empty()) return reason.text;
  }
  return "";
}

}  // namespace ddl::studies
