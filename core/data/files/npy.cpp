#include "core/data/files/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/check.hpp"
#include "core/base/printable.hpp"
#include "core/data/files/half.hpp"

namespace ddl::data {
namespace {

constexpr std::uint64_t most_values = std::uint64_t{1} << 40;

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
        const std::string_view which = word();
        if (which != "True" && which != "False") fail_damaged();
        header.fortran_order = which == "True";
      } else if (key == "shape" && !shaped) {
        shaped = true;
        read_axes(header);
      } else {
        fail_damaged();
      }
      if (!skip(',') && !next_is('}')) fail_damaged();
    }
    blanks();
    if (!type || !ordered || !shaped || !text_.empty()) fail_damaged();
    header.type = type_of(*type);
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw InputError(name_ + ": " + why); }
  [[noreturn]] void fail_damaged() const { fail("has a damaged header; expected an array as numpy.save writes it"); }

  // "<f4": byte order, kind, and number of bytes.
  NpyType type_of(std::string_view text) const {
    const std::string_view whole = text;
    NpyType type;
    type.big_endian = text.starts_with('>');
    if (text.find_first_of("<>|=") == 0) text.remove_prefix(1);
    for (const std::string_view known : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}) {
      if (text != known) continue;
      type.kind = known[0];
      type.bytes = static_cast<std::size_t>(known[1] - '0');
      return type;
    }
    fail("has values of type " + in_quotes(whole) + "; expected bool, or integers or floats of up to 64 bits");
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
      if (text_.starts_with('L')) text_.remove_prefix(1);  // a long of Python 2
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
    if (next_is('[') || next_is('(')) fail("has values of several fields; expected numbers of one type");
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

}  // namespace

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

// Axes are counted up like digits, the last one first; a step of one moves by the axis's span in the file.
std::vector<std::uint8_t> in_c_order(const NpyHeader& header, std::span<const std::uint8_t> values) {
  const std::size_t each = header.type.bytes, axes = header.axes.size();
  std::vector<std::uint64_t> spans(axes, each), digits(axes);
  for (std::size_t axis = 1; axis < axes; ++axis) spans[axis] = spans[axis - 1] * header.axes[axis - 1];
  std::vector<std::uint8_t> ordered(values.size());
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < ordered.size(); to += each) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), each,
                ordered.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::size_t axis = axes; axis-- > 0;) {
      from += spans[axis];
      if (++digits[axis] < header.axes[axis]) break;
      from -= spans[axis] * header.axes[axis];
      digits[axis] = 0;
    }
  }
  return ordered;
}

double npy_value(const NpyHeader& header, std::span<const std::uint8_t> values, std::size_t i) {
  const auto [kind, bytes, big_endian] = header.type;
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < bytes; ++byte) {  // the highest byte first
    bits = bits << 8 | values[i * bytes + (big_endian ? byte : bytes - 1 - byte)];
  }
  const auto unused = static_cast<int>(64 - 8 * bytes);
  if (kind == 'i') return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  if (kind != 'f') return static_cast<double>(bits);
  if (bytes == 8) return std::bit_cast<double>(bits);
  if (bytes == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return static_cast<double>(of_half(static_cast<std::uint16_t>(bits)));
}

}  // namespace ddl::data
