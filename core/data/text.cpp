// A text in UTF-8. Its symbols are its different code points, in their order; the first nine tenths of it are for
// training, the rest for testing, as is usual for the texts of small language models.
#include <algorithm>
#include <filesystem>
#include <span>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"
#include "core/data/files/byte_file.hpp"
#include "core/data/key_error.hpp"
#include "core/data/loaders.hpp"
#include "core/data/own_files.hpp"

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

// The code point that starts at text[at], which moves behind it; none: there is no whole one, or it has a shorter form,
// or is none that UTF-8 may have (RFC 3629).
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

std::vector<char32_t> code_points(const std::string& path) {
  ByteFile file(path);
  const std::string bytes = file.read_all(most_text_bytes);
  std::string_view text = bytes;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.empty()) file.fail("is empty; expected a text");
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto point = next_code_point(text, at);
    if (!point) {
      const auto lines_before = std::ranges::count(text.substr(0, at), '\n');
      file.fail("line " + std::to_string(lines_before + 1) + ": is not UTF-8; expected a text in UTF-8");
    }
    points.push_back(*point);
  }
  return points;
}

// All symbols as classes, and where the testing part begins.
struct Symbols {
  std::vector<std::uint8_t> all;
  int classes = 0;
  std::size_t for_training = 0, context = 0;

  std::size_t training_samples() const { return for_training - context; }
  std::size_t test_samples() const { return all.size() - for_training - context; }
};

Symbols symbols_of(const DataSpec& spec) {
  const std::string path = text_path(spec);
  const std::vector<char32_t> points = code_points(path);
  std::vector<int> class_of(code_points_there_are, -1);  // by code point; -1: not in the text
  for (const char32_t point : points) class_of[point] = 0;
  int known = 0;
  for (int& its_class : class_of) its_class = its_class < 0 ? its_class : known++;
  if (known < 2) throw InputError(path + ": has one symbol again and again; expected at least two");
  if (static_cast<std::size_t>(known) > most_classes_of_labels) {
    throw InputError(path + ": has " + std::to_string(known) + " different symbols; expected at most " +
                     std::to_string(most_classes_of_labels));
  }
  Symbols symbols{.all = {},
                  .classes = known,
                  .for_training = points.size() * 9 / 10,
                  .context = static_cast<std::size_t>(spec.context.value_or(symbols_of_context))};
  for (const char32_t point : points) symbols.all.push_back(static_cast<std::uint8_t>(class_of[point]));
  const std::size_t for_testing = points.size() - symbols.for_training;
  if (std::min(symbols.for_training, for_testing) <= symbols.context) {
    throw KeyError("context", counted(static_cast<std::int64_t>(symbols.context), "symbol") + ", but " + path +
                                  " has " + std::to_string(symbols.for_training) + " for training and " +
                                  std::to_string(for_testing) + " for testing; expected fewer than in each");
  }
  return symbols;
}

Shape shape_of_windows(const Symbols& symbols) { return {static_cast<int>(symbols.context) * symbols.classes, 1, 1}; }

Dataset windows_of(const Symbols& text, std::span<const std::uint8_t> part) {
  Dataset data;
  data.shape = shape_of_windows(text);
  data.classes = text.classes;
  data.context = static_cast<int>(text.context);
  data.symbols.assign(part.begin(), part.end());
  data.labels.assign(part.begin() + data.context, part.end());
  data.mean.assign(data.shape.size(), 0);
  data.scale.assign(data.shape.size(), 1);
  return data;
}

}  // namespace

DataSplit read_text(const DataSpec& spec, std::uint64_t seed) {
  const Symbols symbols = symbols_of(spec);
  const std::span<const std::uint8_t> all = symbols.all;
  WholeData whole{windows_of(symbols, all.first(symbols.for_training)),
                  windows_of(symbols, all.subspan(symbols.for_training)), spec.path, spec.path};
  return divided(std::move(whole), spec, seed);
}

DataShape text_shape(const DataSpec& spec) {
  const Symbols symbols = symbols_of(spec);
  DataShape data{shape_of_windows(symbols), symbols.classes};
  data.train = static_cast<std::int64_t>(symbols.training_samples());
  data.test = static_cast<std::int64_t>(symbols.test_samples());
  data.of_symbols = true;
  return data;
}

std::vector<std::string> text_files(const DataSpec& spec) { return {text_path(spec)}; }

}  // namespace ddl::data
