// A text in UTF-8. Its symbols are its distinct code points, in order; the first nine tenths are for training and the
// rest for testing, as is usual for the texts of small language models.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"
#include "core/data/subset.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_text_bytes = std::size_t{256} << 20;
constexpr const char* file_of_folder = "input.txt";
constexpr std::size_t code_points_there_are = 0x110000;

std::string text_path(const DataSpec& spec) {
  if (spec.path.empty()) throw KeyError("path", "is missing; expected a text file, or a folder with input.txt");
  std::error_code error;
  if (!std::filesystem::is_directory(spec.path, error)) return spec.path;
  if (const auto file = plain_or_gzipped(spec.path, file_of_folder)) return *file;
  throw InputError(spec.path + ": has no file input.txt; expected it, plain or with .gz");
}

// The code point at text[at]; moves `at` past it. None if it is incomplete, overlong, or not permitted in UTF-8 (RFC
// 3629).
std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t place) { return static_cast<std::uint8_t>(text[place]); };
  const std::uint8_t first = byte(at);
  if (first < 0x80) {
    ++at;
    return first;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return std::nullopt;
  char32_t point = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return std::nullopt;
    point = point << 6 | (byte(at + i) & 0x3fu);
  }
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < least[length - 2] || point >= code_points_there_are || surrogate) return std::nullopt;
  at += length;
  return point;
}

// A text's bytes, and facts about it without its symbols.
struct Text {
  std::string path, bytes;
  std::vector<int> class_of;  // by code point; -1: not in the text
  int classes = 0;
  std::size_t symbols = 0, for_training = 0, context = 0;

  std::size_t for_testing() const { return symbols - for_training; }
  bool by_position = false;
  Shape shape() const {
    const int length = static_cast<int>(context);
    return by_position ? Shape{1, length, 1} : Shape{length * classes, 1, 1};
  }
  // The samples for testing overlap unless they are by position.
  std::size_t step_of_tests() const { return by_position ? context : 1; }

  template <class Visit>
  void visit_code_points(const Visit& visit) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const auto point = next_code_point(bytes, at);
      if (!point) {
        const auto lines_before = std::ranges::count(std::string_view(bytes).substr(0, at), '\n');
        throw InputError(path + ": line " + std::to_string(lines_before + 1) +
                         ": is not UTF-8; expected a text in UTF-8");
      }
      visit(*point);
    }
  }
};

Text text_of(const DataSpec& spec) {
  Text text{.path = text_path(spec), .bytes = {}, .class_of = std::vector<int>(code_points_there_are, -1)};
  ByteFile file(text.path);
  text.bytes = file.read_all(most_text_bytes);
  if (text.bytes.starts_with("\xef\xbb\xbf")) text.bytes.erase(0, 3);
  if (text.bytes.empty()) file.fail("is empty; expected a text");
  text.visit_code_points([&](char32_t point) {
    text.class_of[point] = 0;
    ++text.symbols;
  });
  for (int& its_class : text.class_of) its_class = its_class < 0 ? its_class : text.classes++;
  if (text.classes < 2) file.fail("has one symbol again and again; expected at least two");
  if (static_cast<std::size_t>(text.classes) > most_classes_of_labels) {
    file.fail("has " + std::to_string(text.classes) + " different symbols; expected at most " +
              std::to_string(most_classes_of_labels));
  }
  text.for_training = text.symbols * 9 / 10;
  text.context = static_cast<std::size_t>(spec.context.value_or(symbols_of_context));
  text.by_position = spec.by_position;
  if (std::min(text.for_training, text.for_testing()) <= text.context) {
    throw KeyError("context", counted(static_cast<std::int64_t>(text.context), "symbol") + ", but " + text.path +
                                  " has " + std::to_string(text.for_training) + " for training and " +
                                  std::to_string(text.for_testing()) + " for testing; expected fewer than in each");
  }
  return text;
}

Dataset windows_of(const Text& text, std::vector<std::uint8_t> symbols) {
  Dataset data;
  data.shape = text.shape();
  data.classes = text.classes;
  data.context = static_cast<int>(text.context);
  data.by_position = text.by_position;
  data.symbols = std::move(symbols);
  data.labels.assign(data.symbols.begin() + data.context, data.symbols.end());
  data.mean.assign(unsigned_of(data.shape.channels), 0);
  data.scale.assign(unsigned_of(data.shape.channels), 1);
  return data;
}

// The number of the document in which each sample begins. Blank lines part documents, whose lines end as in UNIX or as
// in Windows.
std::vector<std::uint32_t> documents_of(const Dataset& data, int line_end, int carriage_return) {
  std::vector<std::uint32_t> documents;
  documents.reserve(data.size());
  std::uint32_t document = 0, line_ends = 0;
  bool has_text = false;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.symbols[i] == line_end) {
      ++line_ends;
    } else if (data.symbols[i] != carriage_return) {
      if (line_ends > 1 && has_text) ++document;
      line_ends = 0;
      has_text = true;
    }
    documents.push_back(document);
  }
  return documents;
}

}  // namespace

DataSplit read_text(const DataSpec& spec, std::uint64_t seed) {
  Text text = text_of(spec);
  std::vector<std::uint8_t> train, test;
  train.reserve(text.for_training);
  test.reserve(text.for_testing());
  text.visit_code_points([&](char32_t point) {
    (train.size() < text.for_training ? train : test).push_back(static_cast<std::uint8_t>(text.class_of[point]));
  });
  std::string().swap(text.bytes);  // Free them before the labels are made.
  WholeData whole{windows_of(text, std::move(train)), windows_of(text, std::move(test)), spec.path, spec.path};
  if (spec.partition == PartitionKind::document) {
    whole.train.groups = documents_of(whole.train, text.class_of['\n'], text.class_of['\r']);
  }
  if (text.by_position) {
    std::vector<std::uint32_t> places;
    for (std::size_t at = 0; at < whole.test->size(); at += text.step_of_tests()) {
      places.push_back(static_cast<std::uint32_t>(at));
    }
    keep_places(*whole.test, places);
  }
  return divided(std::move(whole), spec, seed);
}

DataShape text_shape(const DataSpec& spec) {
  const Text text = text_of(spec);
  DataShape data{text.shape(), text.classes};
  data.train = static_cast<std::int64_t>(text.for_training - text.context);
  const std::size_t tests = text.for_testing() - text.context, step = text.step_of_tests();
  data.test = static_cast<std::int64_t>((tests + step - 1) / step);
  data.symbols = static_cast<std::int64_t>(text.symbols);
  data.spec = spec;
  data.spec.context = static_cast<int>(text.context);
  return data;
}

std::vector<std::string> text_files(const DataSpec& spec) { return {text_path(spec)}; }

}  // namespace ddl::data
