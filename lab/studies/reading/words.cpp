#include "lab/studies/reading/words.hpp"

#include <algorithm>
#include <regex>
#include <string_view>

#include "core/base/counted.hpp"
#include "lab/studies/lab_file.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr int deepest_word = 8;  // of words in the values of words

// Of "algorithm by scheme": the member of the word "algorithm" that the value of "scheme" names; null if it is no such.
const Json* member_by(const std::string& word, const Words& words) {
  static const std::regex form("(.*) by (.*)");
  std::smatch parts;
  if (!std::regex_match(word, parts, form) || !words.contains(parts[1]) || !words.contains(parts[2])) return nullptr;
  const Json &members = words.at(parts[1]), &name = words.at(parts[2]);
  const auto found = name.is_string() ? members.find(name.get<std::string>()) : members.end();
  return found == members.end() ? nullptr : &*found;
}

const Json& raw_value_of(const std::string& word, const Words& words) {
  if (const auto found = words.find(word); found != words.end()) return found->second;
  if (const Json* member = member_by(word, words)) return *member;
  std::vector<std::string> known;
  for (const auto& [name, value] : words) known.push_back(name);
  throw InputError("has no word for " + scenario::in_quotes("{" + word + "}") + "; " +
                   scenario::nearest_or(word, known, "words are " + scenario::listed(known)));
}

// What is filled in, with how many words in the values of words above it.
struct Filling {
  const Words& words;
  int depth = 0;

  Json value_of(const std::string& word) const {
    const Json& value = raw_value_of(word, words);
    if (depth == deepest_word) {
      throw InputError("has the word " + scenario::in_quotes(word) + " in its own value; expected words that end");
    }
    return Filling{words, depth + 1}.json(value);
  }

  std::string text(const std::vector<TextPiece>& pieces) const {
    std::string result;
    for (const TextPiece& piece : pieces) {
      const Json value = piece.in_braces ? value_of(piece.text) : Json(piece.text);
      if (value.is_structured()) throw InputError("has a list or an object within a text; expected text or a number");
      result += value.is_string() ? value.get<std::string>() : value.dump();
    }
    return result;
  }

  Json json(const Json& json) const {
    if (json.is_string()) {
      const std::vector<TextPiece> pieces = pieces_of(json.get<std::string>());
      if (pieces.size() == 1 && pieces[0].in_braces) return value_of(pieces[0].text);
      return text(pieces);
    }
    if (!json.is_structured()) return json;
    Json result = json.is_array() ? Json::array() : Json::object();
    for (const auto& [key, item] : json.items()) {
      Json value = this->json(item);
      if (json.is_object()) {
        result[key] = std::move(value);
      } else if (item.is_string() && value.is_array()) {
        result.insert(result.end(), value.begin(), value.end());
      } else {
        result.push_back(std::move(value));
      }
    }
    return result;
  }
};

Json value_in_table(const std::string& field) {
  Json number = Json::parse(field, nullptr, false);
  return number.is_number() ? number : Json(field);
}

// The words of {"rows": [files], "by": {word: column}, "gather": {word: column}, "if": {column: field}}: in places of
// the grid are rows that agree in the columns "by", in the order of these; a word of "gather" is the list of the column
// there.
std::vector<Words> words_of_rows(const JsonAt& raw, const Words& others) {
  raw.expect_keys({"rows", "by", "gather", "if"});
  const JsonAt axis = raw.with(raw.checked([&] { return filled(raw.json(), others); }));
  std::map<std::vector<Json>, Words> places;
  for (const JsonAt& item : axis.at("rows").items()) {
    const std::string file = item.checked([&] { return lab_file(item.text()); });
    results::read_table(file, "", [&](const results::TableRow& row) {
      const auto field = [&](const JsonAt& column) {
        const auto found = std::ranges::find(row.columns(), column.text());
        if (found == row.columns().end()) column.refuse("is no column of " + file + "; expected one");
        return row.text(static_cast<std::size_t>(found - row.columns().begin()));
      };
      for (const auto& [column, fields] : axis.find("if").value_or(axis.with(Json::object())).members()) {
        if (std::ranges::count(fields.texts(), field(fields.with(column))) == 0) return;
      }
      std::vector<Json> place;
      Words by;
      for (const auto& [word, column] : axis.at("by").members()) {
        place.push_back(by[word] = value_in_table(field(column)));
      }
      Words& words = places.try_emplace(place, by).first->second;
      for (const auto& [word, column] : axis.find("gather").value_or(axis.with(Json::object())).members()) {
        words.try_emplace(word, Json::array()).first->second.push_back(value_in_table(field(column)));
      }
    });
  }
  std::vector<Words> positions;
  for (auto& [place, words] : places) positions.push_back(std::move(words));
  if (positions.empty()) axis.refuse("has no rows; expected some");
  return positions;
}

// The words of one axis, by position.
std::vector<Words> words_of_axis(const JsonAt& axis, const Words& others) {
  if (axis.find("rows")) return words_of_rows(axis, others);
  std::vector<Words> positions;
  bool first = true;
  for (const auto& [word, values] : axis.members()) {
    const bool is_word = values.json().is_string();
    const std::vector<JsonAt> items =
        (is_word ? values.with(values.checked([&] { return value_of_word(values.text(), others); })) : values).items();
    if (items.empty()) values.refuse("is an empty list; expected at least one value");
    if (first) positions.resize(items.size());
    first = false;
    if (items.size() != positions.size()) {
      values.refuse("has " + counted(static_cast<std::int64_t>(items.size()), "value") + ", the list before it " +
                    std::to_string(positions.size()) + "; expected as many, to go in step");
    }
    for (std::size_t i = 0; i < items.size(); ++i) positions[i][word] = items[i].json();
  }
  if (first) axis.refuse("has no lists; expected words and their lists of values");
  return positions;
}

}  // namespace

std::vector<TextPiece> pieces_of(const std::string& text) {
  std::vector<TextPiece> pieces;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool twice = i + 1 < text.size() && text[i + 1] == text[i];
    if (text[i] == '}' && !twice) throw InputError("closes a brace that it has not opened; expected \"}}\" for one");
    if (text[i] != '{' || twice) {
      plain += text[i];
      if (twice && (text[i] == '{' || text[i] == '}')) ++i;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string::npos) throw InputError("opens a brace that it does not close; expected \"}\"");
    if (!plain.empty()) pieces.push_back({plain});
    plain.clear();
    pieces.push_back({text.substr(i + 1, end - i - 1), true});
    i = end;
  }
  if (!plain.empty()) pieces.push_back({plain});
  return pieces;
}

Json filled(const Json& json, const Words& words) { return Filling{words}.json(json); }
std::string filled_text(const std::string& text, const Words& words) { return Filling{words}.text(pieces_of(text)); }

Json value_of_word(const std::string& text, const Words& words) {
  Json value = text;
  for (int depth = 0; value.is_string(); ++depth) {
    const std::vector<TextPiece> pieces = pieces_of(value.get<std::string>());
    if (depth == deepest_word || pieces.size() != 1 || !pieces[0].in_braces) {
      throw InputError(scenario::in_quotes(text) + " is no list; expected one, or a word for one in braces");
    }
    value = raw_value_of(pieces[0].text, words);
  }
  return value;
}

std::vector<Words> grid_of(const JsonAt& object, const Words& others) {
  std::vector<Words> grid = {others};
  for (const JsonAt& axis : object.items_of("for")) {
    std::vector<Words> finer;
    const std::vector<Words> positions = words_of_axis(axis, others);
    for (const Words& before : grid) {
      for (const Words& position : positions) {
        finer.push_back(position);
        finer.back().insert(before.begin(), before.end());
      }
    }
    grid = std::move(finer);
  }
  return grid;
}

}  // namespace ddl::studies
