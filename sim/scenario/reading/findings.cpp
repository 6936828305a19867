#include "sim/scenario/reading/findings.hpp"

#include <algorithm>
#include <cctype>

#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {

constexpr std::size_t kMostLines = 50;

void Findings::add(const std::string& path, const std::string& what) {
  paths_.push_back(path);
  lines_.push_back(on_one_line(file_ + ": " + path + ": " + what));
}

void Findings::add_override(const std::string& path, const std::string& what) {
  paths_.push_back("--set");
  lines_.push_back(on_one_line("--set " + path + ": " + what));
}

void Findings::note(const std::string& path, const std::string& what) {
  notes_.push_back(on_one_line(file_ + ": " + path + ": " + what));
}

bool Findings::clean(const std::string& path) const {
  return std::none_of(paths_.begin(), paths_.end(), [&](const std::string& found) {
    return found.starts_with(path) &&
           (found.size() == path.size() || found[path.size()] == '.' || found[path.size()] == '[');
  });
}

std::vector<std::string> Findings::lines() const {
  if (lines_.size() <= kMostLines) return lines_;
  std::vector<std::string> result(lines_.begin(), lines_.begin() + kMostLines);
  result.push_back(on_one_line(file_) + ": " + std::to_string(lines_.size() - kMostLines) + " more errors");
  return result;
}

std::string path_of(const std::string& path, std::string_view key) {
  const bool plain = !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
  });
  return plain ? path + "." + std::string(key) : path + "[" + in_quotes(key) + "]";
}

Place Place::at(std::string_view key) const { return {findings, path_of(path, key)}; }

Place Place::at(std::size_t index) const { return {findings, path + "[" + std::to_string(index) + "]"}; }

}  // namespace ddl::scenario
