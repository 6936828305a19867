// reasons.md: what is known of claims that fail, and what the figures rest on.
#include <algorithm>
#include <sstream>

#include "lab/studies/reading/read_study.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr const char* reasons_title = "Reasons";
constexpr const char* notes_title = "Notes";

// "## name (size, size)" with its paragraphs.
struct ProseSection {
  int line = 0;
  std::string part, name;
  std::vector<std::string> sizes, paragraphs;  // no sizes: all
};

class ProseReader {
 public:
  ProseReader(const std::string& text, const std::string& file) : lines_(text), file_(file) {}

  std::vector<ProseSection> sections() {
    for (std::string line; std::getline(lines_, line); ++line_) {
      if (line.starts_with("# ")) {
        part_ = line.substr(2);
        if (part_ != reasons_title && part_ != notes_title) refuse(line_, "expected \"# Reasons\" or \"# Notes\"");
      } else if (line.starts_with("## ")) {
        begin(line.substr(3));
      } else if (line.empty()) {
        goes_on_ = false;
      } else {
        add(line);
      }
    }
    return std::move(sections_);
  }

  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw InputError(file_ + ": line " + std::to_string(line) + ": " + what);
  }

 private:
  void begin(std::string name) {
    ProseSection section{line_, part_, name, {}, {}};
    if (const std::size_t sizes = name.find(" ("); sizes != std::string::npos && name.ends_with(')')) {
      section.name = name.substr(0, sizes);
      std::istringstream list(name.substr(sizes + 2, name.size() - sizes - 3));
      for (std::string size; std::getline(list >> std::ws, size, ',');) section.sizes.push_back(size);
    }
    sections_.push_back(std::move(section));
    goes_on_ = false;
  }

  void add(const std::string& line) {
    if (sections_.empty()) refuse(line_, "stands in no section; expected \"## \" and a name above it");
    std::vector<std::string>& paragraphs = sections_.back().paragraphs;
    if (goes_on_) {
      paragraphs.back() += " " + line;
    } else {
      paragraphs.push_back(line);
    }
    goes_on_ = true;
  }

  std::istringstream lines_;
  const std::string& file_;
  int line_ = 1;
  std::string part_;
  std::vector<ProseSection> sections_;
  bool goes_on_ = false;  // the paragraph
};

Note::Kind kind_of_note(const std::string& name, const ProseReader& reader, int line) {
  if (name == "Modelled") return Note::modelled;
  if (name == "Calibrated") return Note::calibrated;
  if (name == "Assumed") return Note::assumed;
  reader.refuse(line, scenario::in_quotes(name) + " is no kind of note; expected Modelled, Calibrated or Assumed");
}

}  // namespace

Prose parse_prose(const std::string& text, const std::string& file, const StudyContext& context) {
  Prose prose;
  ProseReader reader(text, file);
  for (const ProseSection& section : reader.sections()) {
    for (const std::string& size : section.sizes) {
      if (size != "default" && size != "data" && size != "full") {
        reader.refuse(section.line, scenario::in_quotes(size) + " is no size; expected default, data or full");
      }
    }
    const bool is_here = section.sizes.empty() || std::ranges::count(section.sizes, context.size) > 0;
    if (section.part == reasons_title) {
      if (section.paragraphs.size() != 1) reader.refuse(section.line, "has no text of one paragraph; expected one");
      if (is_here && !prose.text_of(section.name).empty()) {
        reader.refuse(section.line, "is a second reason of one size; expected each claim's once");
      }
      prose.reasons.push_back({section.name, is_here ? section.paragraphs[0] : ""});
      continue;
    }
    const Note::Kind kind = kind_of_note(section.name, reader, section.line);
    for (const std::string& paragraph : section.paragraphs) {
      if (!is_here) continue;
      try {
        prose.notes.push_back({kind, filled_text(paragraph, context.words)});
      } catch (const InputError& error) {
        reader.refuse(section.line, error.what());
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
