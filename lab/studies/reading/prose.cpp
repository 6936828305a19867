// reasons.md: the causes why claims do not hold, and what the figures rest on.
#include <algorithm>
#include <sstream>

#include "lab/studies/reading/read_study.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

// "## title (size, size)" with its paragraphs.
struct ProseSection {
  int line = 0;
  bool is_cause = false;  // or a kind of notes
  std::string title;
  std::vector<std::string> sizes = {}, paragraphs = {};  // no sizes: all
};

// A line of the file that is wrong.
struct ProseFile {
  const std::string& file;
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw InputError(file + ": line " + std::to_string(line) + ": " + what);
  }
};

std::vector<std::string> parts_of_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream list(text);
  for (std::string part; std::getline(list >> std::ws, part, separator);) parts.push_back(part);
  return parts;
}

ProseSection section_of(int line, bool is_cause, const std::string& title) {
  const std::size_t sizes = title.find(" (");
  if (sizes == std::string::npos || !title.ends_with(')')) return {line, is_cause, title};
  return {line, is_cause, title.substr(0, sizes),
          parts_of_list(title.substr(sizes + 2, title.size() - sizes - 3), ',')};
}

std::vector<ProseSection> sections_of(const std::string& text, const ProseFile& in) {
  std::vector<ProseSection> sections;
  std::istringstream lines(text);
  bool is_cause = false, goes_on = false;  // the paragraph
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("# ")) {
      is_cause = line == "# Causes";
      if (!is_cause && line != "# Notes") in.refuse(number, "expected \"# Causes\" or \"# Notes\"");
    } else if (line.starts_with("## ")) {
      sections.push_back(section_of(number, is_cause, line.substr(3)));
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
  if (section.title == "Modelled") return Note::modelled;
  if (section.title == "Calibrated") return Note::calibrated;
  if (section.title == "Assumed") return Note::assumed;
  in.refuse(section.line,
            scenario::in_quotes(section.title) + " is no kind of note; expected Modelled, Calibrated or Assumed");
}

}  // namespace

void read_prose(const std::string& text, const std::string& file, const StudyContext& context, Study& study) {
  const ProseFile in{file};
  for (const ProseSection& section : sections_of(text, in)) {
    for (const std::string& size : section.sizes) {
      if (size == "default" || size == "data" || size == "full") continue;
      in.refuse(section.line, scenario::in_quotes(size) + " is no size; expected default, data or full");
    }
    const std::vector<std::string> claims =
        section.is_cause ? parts_of_list(section.title, ';') : std::vector<std::string>();
    for (const std::string& claim : claims) {
      if (context.claims.contains(claim)) continue;
      in.refuse(section.line, "names the claim " + scenario::in_quotes(claim) + "; expected one of claims.json");
    }
    std::optional<Note::Kind> kind;
    if (!section.is_cause) kind = kind_of_note(section, in);
    const bool is_here = section.sizes.empty() || std::ranges::count(section.sizes, context.size) > 0;
    for (const std::string& paragraph : section.paragraphs) {
      if (!is_here) break;
      std::string filled;
      try {
        filled = filled_text(paragraph, context.words);
      } catch (const InputError& error) {
        in.refuse(section.line, error.what());
      }
      if (section.is_cause) {
        study.causes.push_back({claims, filled});
      } else {
        study.notes.push_back({*kind, filled});
      }
    }
  }
  for (const Claim& claim : study.claims) {
    const auto names_it = [&](const Cause& cause) { return std::ranges::count(cause.claims, claim.name) > 0; };
    if (claim.judge || std::ranges::any_of(study.causes, names_it)) continue;
    throw InputError(file + ": has no reason why the claim " + scenario::in_quotes(claim.name) +
                     " is not judged; expected one");
  }
}

}  // namespace ddl::studies
