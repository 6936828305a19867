// Notations of tables by spreadsheets and programs.
#pragma once

#include <map>
#include <string>

namespace ddl {

inline std::string replaced(std::string text, const std::string& before, const std::string& after) {
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += after.size()) {
    text.replace(at, before.size(), after);
  }
  return text;
}

// By description: a table written plainly, with commas, no blanks and no quotes.
inline std::map<std::string, std::string> dialects_of(const std::string& plain) {
  const std::string excel = replaced(replaced(plain, ",", ";"), "\n", "\r\n");
  return {
      {"plain", plain},
      {"semicolons", replaced(plain, ",", ";")},
      {"tabs", replaced(plain, ",", "\t")},
      {"blanks", replaced(plain, ",", " , ")},
      {"quotes", "\"" + replaced(replaced(plain.substr(0, plain.size() - 1), ",", "\",\""), "\n", "\"\n\"") + "\"\n"},
      {"mark", "\xef\xbb\xbf" + plain},
      {"CRLF", replaced(plain, "\n", "\r\n")},
      {"CR", replaced(plain, "\n", "\r")},
      {"no end", plain.substr(0, plain.size() - 1)},
      {"empty lines", "\n \n" + replaced(plain, "\n", "\n\n\t\n") + "\r\n\n"},
      {"comments", "# made by hand\n#, in May\n\n" + plain},
      {"spreadsheet", "\xef\xbb\xbf" + excel + "\r\n\r\n"}};
}

}  // namespace ddl
