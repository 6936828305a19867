#include "core/data/files/npy.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/check.hpp"

namespace ddl::data {
namespace {

static_assert(std::endian::native == std::endian::little, "values are little-endian");

constexpr std::uint64_t most_values = std::uint64_t{1} << 40;

struct Named {
  std::string_view name;
  NpyType type;
  std::size_t bytes;
};
constexpr std::array<Named, 5> types = {{{"|u1", NpyType::uint8, 1},
                                         {"<i4", NpyType::int32, 4},
                                         {"<i8", NpyType::int64, 8},
                                         {"<f4", NpyType::float32, 4},
                                         {"<f8", NpyType::float64, 8}}};

// The dictionary of a header, a literal of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Literal {
 public:
  Literal(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader read() {
    NpyHeader header;
    std::optional<std::string_view> type;
    bool ordered = false, shaped = false;
    expect('{');
    while (!skip('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = quoted();
      } else if (key == "fortran_order" && !ordered) {
        ordered = true;
        if (word() != "False") fail("is in Fortran's order; expected C's, as numpy.ascontiguousarray makes it");
      } else if (key == "shape" && !shaped) {
        shaped = true;
        read_axes(header);
      } else {
        fail_damaged();
      }
      if (!skip(',') && !next_is('}')) fail_damaged();
    }
    if (!type || !ordered || !shaped) fail_damaged();
    header.type = type_of(*type);
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw InputError(name_ + ": " + why); }
  [[noreturn]] void fail_damaged() const { fail("has a damaged header; expected an array as numpy.save writes it"); }

  NpyType type_of(std::string_view text) const {
    for (const Named& known : types) {
      if (text == known.name) return known.type;
    }
    fail("has values of type " + std::string(text.substr(0, 20)) +
         "; expected uint8, or int32, int64, float32 or float64, little-endian");
  }
  void read_axes(NpyHeader& header) {
    expect('(');
    std::uint64_t values = 1;
    while (!skip(')')) {
      blanks();
      std::uint64_t axis = 0;
      const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), axis);
      if (problem != std::errc() || header.axes.size() == 32) fail_damaged();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (axis > most_values || (axis > 0 && values > most_values / axis)) {
        fail("has too many values for any memory; expected less");
      }
      values *= axis;
      header.axes.push_back(axis);
      if (!skip(',') && !next_is(')')) fail_damaged();
    }
  }
  void blanks() {
    while (text_.starts_with(' ') || text_.starts_with('\n')) text_.remove_prefix(1);
  }
  bool next_is(char letter) {
    blanks();
    return text_.starts_with(letter);
  }
  bool skip(char letter) {
    if (!next_is(letter)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char letter) {
    if (!skip(letter)) fail_damaged();
  }
  std::string_view word() {
    blanks();
    const std::size_t end = text_.find_first_of(",} ");
    const std::string_view found = text_.substr(0, end);
    if (end == std::string_view::npos) fail_damaged();
    text_.remove_prefix(end);
    return found;
  }
  std::string_view quoted() {
    if (next_is('[')) fail("has values of several fields; expected numbers of one type");
    for (const char mark : {'\'', '"'}) {
      if (!skip(mark)) continue;
      const std::size_t end = text_.find(mark);
      if (end == std::string_view::npos) break;
      const std::string_view found = text_.substr(0, end);
      text_.remove_prefix(end + 1);
      return found;
    }
    fail_damaged();
  }

  std::string_view text_;
  const std::string& name_;
};

template <class T>
double value_at(std::span<const std::uint8_t> values, std::size_t i) {
  T value;
  std::memcpy(&value, values.data() + i * sizeof value, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

std::size_t NpyHeader::bytes_of_value() const { return types[static_cast<std::size_t>(type)].bytes; }

std::uint64_t NpyHeader::count() const {
  std::uint64_t values = 1;
  for (const std::uint64_t axis : axes) values *= axis;
  return values;
}

NpyHeader npy_header(std::span<const std::uint8_t> bytes, const std::string& name) {
  constexpr std::string_view mark = "\x93NUMPY";
  const auto fail = [&](const char* why) { throw InputError(name + ": " + why); };
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(mark) || bytes.size() < 12) fail("is no array of NumPy; expected one, as numpy.save writes it");
  const std::size_t version = bytes[6];
  if (version < 1 || version > 3) fail("is of a version that is not known; expected 1 to 3");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = bytes[8] | std::size_t{bytes[9]} << 8;
  if (version > 1) length |= std::size_t{bytes[10]} << 16 | std::size_t{bytes[11]} << 24;
  if (length > bytes.size() - begin) fail("is cut short, or has a header beyond 64 KiB; expected a whole array");
  NpyHeader header = Literal(text.substr(begin, length), name).read();
  header.bytes = begin + length;
  return header;
}

double npy_value(const NpyHeader& header, std::span<const std::uint8_t> values, std::size_t i) {
  switch (header.type) {
    case NpyType::uint8:
      return values[i];
    case NpyType::int32:
      return value_at<std::int32_t>(values, i);
    case NpyType::int64:
      return value_at<std::int64_t>(values, i);
    case NpyType::float32:
      return value_at<float>(values, i);
    case NpyType::float64:
      return value_at<double>(values, i);
  }
  throw InternalError("unknown type of values");
}

}  // namespace ddl::data
