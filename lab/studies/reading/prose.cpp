// reasons.md: the causes why claims do not hold, and what the figures rest on.
#include <algorithm>
#include <regex>

#include "lab/studies/reading/read_study.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

std::vector<std::string> split(const std::string& text, const char* separator) {
  const std::regex between(separator);
  return {std::sregex_token_iterator(text.begin(), text.end(), between, -1), {}};
}

// What stands under "## title (size, size)"; without sizes it is of all.
struct Section {
  bool is_cause = false, is_here = false;
  std::vector<std::string> claims = {};
  Note::Kind kind = Note::modelled;
};

Section section_of(const std::string& heading, bool is_cause, const StudyContext& context) {
  static const std::regex form(R"(## (.*?)(?: \((.*)\))?)");
  std::smatch parts;
  std::regex_match(heading, parts, form);
  Section section{is_cause, !parts[2].matched};
  for (const std::string& size : parts[2].matched ? split(parts[2], ", *") : std::vector<std::string>()) {
    if (!is_size(size)) throw InputError(scenario::in_quotes(size) + " is no size; expected default, data or full");
    section.is_here = section.is_here || size == context.size;
  }
  const std::vector<std::string> kinds = {"Modelled", "Calibrated", "Assumed"};
  const auto kind = std::ranges::find(kinds, parts[1].str());
  if (is_cause) {
    section.claims = split(parts[1], "; *");
    for (const std::string& claim : section.claims) {
      if (context.claims.contains(claim)) continue;
      throw InputError("names the claim " + scenario::in_quotes(claim) + "; expected one of claims.json");
    }
  } else if (kind == kinds.end()) {
    throw InputError("is no kind of note; expected Modelled, Calibrated or Assumed");
  } else {
    section.kind = static_cast<Note::Kind>(kind - kinds.begin());
  }
  return section;
}

}  // namespace

void read_prose(const std::string& text, const std::string& file, const StudyContext& context, Study& study) {
  Section section;
  std::string place = "the beginning";
  try {
    for (const std::string& block : split(text, "\n\n+")) {
      const std::string line = std::regex_replace(block, std::regex("^\n+|\n+$"), "");
      if (line.empty()) continue;
      if (line.starts_with("#")) place = scenario::in_quotes(line);
      if (line.starts_with("## ")) {
        section = section_of(line, section.is_cause, context);
      } else if (line.starts_with("#")) {
        section = {.is_cause = line == "# Causes"};
        if (!section.is_cause && line != "# Notes") throw InputError("expected \"# Causes\" or \"# Notes\"");
      } else if (section.is_here) {
        const std::string filled = filled_text(std::regex_replace(line, std::regex("\n"), " "), context.words);
        if (section.is_cause) study.causes.push_back({section.claims, filled});
        if (!section.is_cause) study.notes.push_back({section.kind, filled});
      }
    }
  } catch (const InputError& error) {
    throw InputError(file + ": " + place + ": " + error.what());
  }
  for (const Claim& claim : study.claims) {
    const auto names_it = [&](const Cause& cause) { return std::ranges::count(cause.claims, claim.name) > 0; };
    if (claim.judge || std::ranges::any_of(study.causes, names_it)) continue;
    throw InputError(file + ": has no reason why the claim " + scenario::in_quotes(claim.name) +
                     " is not judged; expected one");
  }
}

}  // namespace ddl::studies
