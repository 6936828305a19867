#include "sim/view/report.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/page_data.hpp"

namespace ddl::view {

extern const std::string_view page_html, page_style, page_script, chart_library;

namespace {

std::string in_html(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

// Escapes text so that nothing in a name ends the script element.
std::string in_script(std::string_view json) {
  std::string safe;
  for (const char letter : json) safe += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
  return safe;
}

// The replacement of {{word}} in the page's text.
std::string filled_in(std::string_view word, const std::string& title, const results::GroupedRuns& runs,
                      const std::string& answer) {
  if (word == "title") return in_html(title);
  if (word == "style") return std::string(page_style);
  if (word == "chart") return std::string(chart_library);
  if (word == "script") return std::string(page_script);
  check(word == "data", "a place in the page that is known");
  nlohmann::ordered_json data = page_data(runs);
  if (!answer.empty()) data["answer"] = {{"text", answer}};
  // Host names may have any encoding.
  return in_script(data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

std::size_t write_report(const std::string& file, const std::string& title, const results::GroupedRuns& runs,
                         const std::string& answer) {
  std::string page;
  std::string_view rest = page_html;
  for (std::size_t open; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    check(close != std::string_view::npos, "every {{ of the page closed");
    page += rest.substr(0, open);
    page += filled_in(rest.substr(open + 2, close - open - 2), title, runs, answer);
    rest.remove_prefix(close + 2);
  }
  page += rest;
  results::write_whole(file, page);
  return page.size();
}

}  // namespace ddl::view
