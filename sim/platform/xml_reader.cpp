#include "sim/platform/xml_reader.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::platform {
namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

// The tag that is read: its line in what Expat was given, and its bytes there.
struct Tag {
  std::size_t line = 0, begin = 0, length = 0;
};

// Newer versions of Expat have other functions for it, and warn of these.
template <class Parser>
Tag tag_at(Parser parser) {
  const auto tag = [](auto... numbers) { return Tag{static_cast<std::size_t>(numbers)...}; };
  if constexpr (requires { XML_GetCurrentLineNumber64(parser); }) {
    return tag(XML_GetCurrentLineNumber64(parser), XML_GetCurrentByteIndex64(parser),
               XML_GetCurrentByteCount64(parser));
  } else {
    return tag(XML_GetCurrentLineNumber(parser), XML_GetCurrentByteIndex(parser), XML_GetCurrentByteCount(parser));
  }
}

class ExpatReader {
 public:
  // Blank lines before the XML declaration are none of XML's, but SimGrid allows them, and published files have them.
  ExpatReader(std::string_view text, XmlListener& listener)
      : text_(text.substr(std::min(text.find_first_not_of(xml_blanks), text.size()))),
        lines_before_(lines_in(text.substr(0, text.size() - text_.size()))),
        listener_(listener),
        parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(), [](void* it, const char* name, const char** attributes) { of(it).begin(name, attributes); },
        [](void* it, const char* name) { of(it).guarded([&] { of(it).listener_.end(name); }); });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* it, const char* root, const char*, const char*, int own) {
      of(it).begin_doctype(root, own != 0);
    });
    XML_SetCharacterDataHandler(parser_.get(), [](void* it, const char* data, int size) {
      of(it).characters({data, std::size_t(size)});
    });
    XML_SetSkippedEntityHandler(parser_.get(),
                                [](void* it, const char* name, int) { of(it).refuse_entity(std::string(name)); });
  }

  void read() {
    // UTF-16 has such bytes. In the other encodings of XML none may stand.
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos) {
      const std::size_t line = 1 + lines_before_ + lines_in(text_.substr(0, zero));
      throw InputError(fmt::format("line {}: has a byte 0; expected a text in UTF-8", line));
    }
    const bool parsed = XML_Parse(parser_.get(), text_.data(), static_cast<int>(text_.size()), 1) == XML_STATUS_OK;
    if (error_) std::rethrow_exception(error_);
    if (parsed) return;
    fail(fmt::format("cannot be read as XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
  }

 private:
  static ExpatReader& of(void* reader) { return *static_cast<ExpatReader*>(reader); }

  static std::size_t lines_in(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::size_t line() const { return lines_before_ + tag_at(parser_.get()).line; }

  [[noreturn]] void fail(const std::string& what) const { throw InputError(fmt::format("line {}: {}", line(), what)); }

  // An exception must not pass through Expat, which is C.
  template <class Work>
  void guarded(const Work& work) {
    if (error_) return;
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  void begin_doctype(const char* root, bool has_declarations) {
    guarded([&] {
      if (has_declarations) {
        fail("the DOCTYPE has declarations of its own, which SimGrid does not read; expected none");
      }
      listener_.doctype(root);
    });
  }

  void begin(const char* name, const char** attributes) {
    guarded([&] {
      refuse_unknown_entities();
      XmlElement element{.name = name, .attributes = {}, .line = line()};
      for (; *attributes != nullptr; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
      listener_.begin(element);
    });
  }

  void characters(std::string_view data) {
    if (data.find_first_not_of(xml_blanks) == std::string_view::npos) return;
    guarded([&] { fail("text between tags: " + scenario::in_quotes(data) + "; expected tags alone"); });
  }

  void refuse_entity(const std::string& name) {
    guarded([&] { fail("unknown entity " + scenario::in_quotes("&" + name + ";") + "; expected one of XML's own"); });
  }

  // In attributes of a file with a DOCTYPE Expat leaves out what the DTD, which is not read, might declare. In a
  // well-formed tag each '&' begins a reference.
  void refuse_unknown_entities() {
    const Tag at = tag_at(parser_.get());
    std::string_view tag = text_.substr(at.begin, at.length);
    constexpr std::array<std::string_view, 5> known = {"lt", "gt", "amp", "quot", "apos"};
    for (std::size_t next = 0; (next = tag.find('&')) != std::string_view::npos;) {
      tag.remove_prefix(next + 1);
      const std::string_view name = tag.substr(0, tag.find(';'));
      if (!name.starts_with('#') && std::ranges::find(known, name) == known.end()) refuse_entity(std::string(name));
    }
  }

  const std::string_view text_;
  const std::size_t lines_before_;
  XmlListener& listener_;
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::exception_ptr error_;
};

}  // namespace

std::string_view XmlElement::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, [](const auto& one) { return std::string_view(one.first); });
  return found == attributes.end() ? std::string_view() : std::string_view(found->second);
}

void read_xml(std::string_view text, XmlListener& listener) { ExpatReader(text, listener).read(); }

}  // namespace ddl::platform
