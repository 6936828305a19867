#include "lab/studies/reading/read_study.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>

#include "lab/studies/lab_file.hpp"
#include "lab/studies/reading/formula.hpp"
#include "lab/studies/reading/readings.hpp"
#include "sim/results/reading/table_reader.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

constexpr const char* other_sizes = "else";
constexpr const char* between_labels = " | ";

class StudyReader {
 public:
  StudyReader(const std::string& name, const Scale& scale) : folder_("lab/studies/" + name + "/"), scale_(scale) {
    study_.name = name;
    context_.size = scale.full ? "full" : scale.data.empty() ? "default" : "data";
  }

  Study study() {
    read_frame(parsed("study.json"));
    read_published();
    read_sweep(parsed("sweep.json"));
    read_claims(parsed("claims.json"), context_, study_);
    const std::string reasons = folder_ + "reasons.md";
    read_prose(lab_text(reasons), lab_file(reasons), context_, study_);
    return std::move(study_);
  }

 private:
  JsonAt parsed(const char* file) const { return JsonAt::parsed(lab_text(folder_ + file), lab_file(folder_ + file)); }

  void read_frame(const JsonAt& json) {
    json.expect_keys({"what", "data", "title", "source", "size", "seeds", "words", "tables"});
    read_words(json);
    study_.title = json.at("title").text();
    study_.source = json.at("source").text();
    study_.size = context_.text(json, "size", context_.words);
    study_.seeds = seeds_of(context_.of_size(json.at("seeds")));
    for (const JsonAt& table : json.at("tables").items()) read_table_layout(table);
  }

  void read_words(const JsonAt& json) {
    // As it is once its words are filled in.
    context_.words["data"] = std::regex_replace(scale_.data, std::regex("[{}]"), "$&$&");
    const auto words = json.find("words");
    for (const auto& [size, of_size] : (words ? *words : json.with(Json::object())).members()) {
      if (!is_size(size) && size != "all") of_size.refuse("is no size; expected all, default, data or full");
      for (const auto& [word, value] : of_size.members()) {
        if (size == "all" || size == context_.size) context_.words[word] = value.json();
      }
    }
  }

  static std::vector<std::uint64_t> seeds_of(const JsonAt& json) {
    std::vector<std::uint64_t> seeds;
    for (const JsonAt& seed : json.items()) seeds.push_back(static_cast<std::uint64_t>(seed.whole()));
    return seeds;
  }

  void read_table_layout(const JsonAt& json) {
    json.expect_keys(
        {"name", "title", "row", "column", "decimals", "reference", "sizes", "on_page", "half_width_of_one"});
    const std::string name = json.at("name").text();
    tables_.insert(name);
    if (!context_.has(json)) return;
    TableLayout table{.name = name,
                      .title = context_.text(json, "title", context_.words),
                      .row = json.at("row").texts(),
                      .column = json.at("column").text(),
                      .decimals = json.at("decimals").whole()};
    table.reference = json.text_or("reference", table.reference);
    table.on_page = context_.has(json, "on_page") && json.find("on_page");
    if (const auto width = json.find("half_width_of_one")) {
      const JsonAt here = context_.of_size(*width);
      table.half_width_of_one = here.number();
    }
    study_.tables.push_back(std::move(table));
  }

  void read_published() {
    const std::string file = lab_file(folder_ + "published.csv");
    results::read_table(file, "table,row,column,published", [&](const results::TableRow& row) {
      const std::string place = row.text(0) + between_labels + row.text(1) + between_labels + row.text(2);
      if (!tables_.contains(row.text(0))) {
        throw InputError(file + ": " + scenario::in_quotes(row.text(0)) + " is no table; expected one of study.json");
      }
      if (!published_.emplace(place, row.number(3)).second) {
        throw InputError(file + ": " + scenario::in_quotes(place) + " is there twice; expected each figure once");
      }
    });
  }

  void read_sweep(const JsonAt& json) {
    json.expect_keys({"platforms", "counts", "cells"});
    for (const JsonAt& file : json.items_of("platforms")) read_platform(file);
    for (const JsonAt& one : json.items_of("counts")) {
      one.expect_keys({"for", "model", "input", "figures"});
      for_each_place(one,
                     [&](const JsonAt& filled, const Words& words) { read_counts(filled, one.at("figures"), words); });
    }
    for (const JsonAt& cell : json.at("cells").items()) {
      cell.expect_keys({"name", "add_to", "sizes", "for", "scenario", "figures", "seeds", "cost", "draws"});
      if (!context_.has(cell)) continue;
      for_each_place(cell,
                     [&](const JsonAt& filled, const Words& words) { read_cell(filled, cell.at("figures"), words); });
    }
  }

  void read_platform(const JsonAt& json) {
    json.expect_keys({"file", "sizes"});
    const std::string file = json.at("file").text();
    if (context_.has(json)) study_.platforms.push_back({file, json.checked([&] { return lab_text(folder_ + file); })});
  }

  // At every place of the grid that an object names under "for": the object with its words filled in but in its
  // figures, and the words.
  template <class Read>
  void for_each_place(const JsonAt& json, const Read& read) {
    Json object = json.json();
    object.erase("for");
    object.erase("figures");
    for (const Words& words : grid_of(json, context_.words)) {
      read(json.with(json.checked([&] { return filled(object, words); })), words);
    }
  }

  // The same for the figures of a list. A text in the list is a word for a list of figures.
  template <class Read>
  void for_each_figure(const JsonAt& list, const Words& words, const Read& read) {
    for (const JsonAt& item : list.items()) {
      if (item.json().is_string()) {
        for_each_figure(item.with(item.checked([&] { return value_of_word(item.text(), words); })), words, read);
        continue;
      }
      Json object = item.json();
      object.erase("for");
      for (const Words& here : grid_of(item, words))
        read(item.with(item.checked([&] { return filled(object, here); })));
    }
  }

  void read_counts(const JsonAt& json, const JsonAt& figures, const Words& words) {
    const std::string network = json.at("model").text();
    const std::vector<JsonAt> input = json.at("input").items();
    if (input.size() != 3) json.at("input").refuse("is no shape; expected channels, height and width");
    for_each_figure(figures, words, [&](const JsonAt& figure) {
      const TablePosition place = place_of(figure.at("at"));
      study_.derived.push_back({place, published_at(figure.at("at")), count_of(figure, network, input)});
    });
  }

  void read_cell(const JsonAt& json, const JsonAt& list, const Words& words) {
    std::vector<Figure> figures;
    for_each_figure(list, words, [&](const JsonAt& figure) {
      Figure one;
      one.place = place_of(figure.at("at"));
      one.published = published_at(figure.at("at"));
      one.read = reading_of(figure);
      for (const JsonAt& several : figure.items_of("published")) add_published(one, several.number());
      if (one.range) one.published = *one.published / static_cast<double>(figure.at("published").json().size());
      figures.push_back(std::move(one));
    });
    if (const auto other = json.find("add_to")) return add_to(*other, std::move(figures));
    const JsonAt name = json.at("name");
    if (std::ranges::count(study_.cells, name.text(), &Cell::name) > 0) {
      name.refuse(scenario::in_quotes(name.text()) + " is a cell already; expected each name once");
    }
    Cell cell{name.text(), json.at("scenario").json().dump(), std::move(figures)};
    if (const auto seeds = json.find("seeds")) cell.seeds = seeds_of(*seeds);
    if (const auto cost = json.find("cost")) cell.cost = cost_of(*cost, words);
    if (const auto draws = json.find("draws")) cell.draws = draws->whole();
    study_.cells.push_back(std::move(cell));
  }

  // A figure that was published several times: adds to their sum, and widens the range.
  static void add_published(Figure& figure, double number) {
    const bool is_first = !figure.range;
    figure.published = (is_first ? 0 : *figure.published) + number;
    const Range range = figure.range.value_or(Range{number, number});
    figure.range = {std::min(range.least, number), std::max(range.most, number)};
  }

  // A number, or a formula of words that are numbers.
  static double cost_of(const JsonAt& json, const Words& words) {
    if (json.json().is_number()) return json.number();
    const auto knows = [&](const std::string& name, bool published) {
      return !published && words.contains(name) && words.at(name).is_number();
    };
    const Term cost = json.checked([&] { return parse_term(json.text(), knows); });
    return cost.value([&](const std::string& name) { return Number{words.at(name).get<double>()}; });
  }

  // What else is read off the runs of a cell that is there already.
  void add_to(const JsonAt& name, std::vector<Figure> figures) {
    for (Cell& cell : study_.cells) {
      if (cell.name != name.text()) continue;
      std::ranges::move(figures, std::back_inserter(cell.figures));
      return;
    }
    name.refuse(scenario::in_quotes(name.text()) + " is no cell; expected one that stands above");
  }

  // Of a figure: a place of its own.
  TablePosition place_of(const JsonAt& json) {
    TablePosition place = position_of(json, json.text());
    if (!places_.insert(place).second) {
      json.refuse(scenario::in_quotes(json.text()) + " is a figure already; expected each place once");
    }
    for (const TableLayout& table : study_.tables) {
      if (table.name != place.table) continue;
      if (table.row.size() == place.row.size()) return place;
      json.refuse(scenario::in_quotes(json.text()) + " has " + std::to_string(place.row.size()) +
                  " labels of a row; expected " + std::to_string(table.row.size()));
    }
    json.refuse(scenario::in_quotes(place.table) + " is no table of this size; expected one of study.json");
  }

  std::optional<double> published_at(const JsonAt& place) const {
    const auto found = published_.find(place.text());
    return found == published_.end() ? std::nullopt : std::optional(found->second);
  }

  const std::string folder_;
  const Scale& scale_;
  Study study_;
  StudyContext context_;
  std::set<std::string> tables_;  // of all sizes
  std::map<std::string, double> published_;
  std::set<TablePosition> places_;
};

}  // namespace

bool is_size(const std::string& name) {
  constexpr std::array sizes = {"default", "data", "full"};
  return std::ranges::count(sizes, name) > 0;
}

bool StudyContext::has(const JsonAt& json, const char* key) const {
  bool found = !json.find(key);
  for (const JsonAt& name : json.items_of(key)) {
    if (!is_size(name.text()))
      name.refuse(scenario::in_quotes(name.text()) + " is no size; expected default, data or full");
    found = found || name.text() == size;
  }
  return found;
}

JsonAt StudyContext::of_size(const JsonAt& json) const {
  if (!json.json().is_object()) return json;
  for (const auto& [name, value] : json.members()) {
    if (!is_size(name) && name != other_sizes) value.refuse("is no size; expected default, data, full or else");
  }
  if (const auto found = json.find(size)) return *found;
  return json.at(other_sizes);
}

std::string StudyContext::text(const JsonAt& json, const std::string& key, const Words& of) const {
  const std::optional<JsonAt> found = json.find(key);
  if (!found) return "";
  const JsonAt here = of_size(*found);
  return here.checked([&] { return filled_text(here.text(), of); });
}

TablePosition position_of(const JsonAt& place, const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + std::string(between_labels).size()) {
    end = text.find(between_labels, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  if (parts.size() < 3) {
    place.refuse(scenario::in_quotes(text) + " is no place of a figure; expected \"table | row | column\"");
  }
  return {parts.front(), {parts.begin() + 1, parts.end() - 1}, parts.back()};
}

std::vector<StudyRow> study_table() {
  static const std::map<std::string, DataUse> uses = {{"none", DataUse::none},
                                                      {"cifar-10, full alone", DataUse::full_alone},
                                                      {"cifar-10", DataUse::in_between},
                                                      {"mnist and cifar-10", DataUse::with_mnist}};
  std::vector<StudyRow> table;
  for (const std::string& name : lab_folders("lab/studies", "study.json")) {
    const std::string file = "lab/studies/" + name + "/study.json";
    const JsonAt json = JsonAt::parsed(lab_text(file), lab_file(file));
    const JsonAt data = json.at("data");
    const auto use = uses.find(data.text());
    if (use == uses.end()) {
      data.refuse(scenario::in_quotes(data.text()) +
                  " is no use of data; expected none, cifar-10, mnist and cifar-10, or cifar-10, full alone");
    }
    table.push_back({name, json.at("what").text(), use->second});
  }
  return table;
}

Study read_study(const std::string& name, const Scale& scale) { return StudyReader(name, scale).study(); }

}  // namespace ddl::studies
