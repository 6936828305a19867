// XML as its standard has it, read by Expat. The only reader of platform files beside SimGrid's own, which gets what
// this one has read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddl::platform {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  // UTF-8, references replaced
  std::size_t line = 0;                                         // where its start tag begins, from 1

  // "" if it has none.
  std::string_view attribute(std::string_view name) const;
};

class XmlListener {
 public:
  virtual ~XmlListener() = default;
  virtual void doctype(const std::string& root) = 0;  // `root` is the tag that it announces
  virtual void begin(const XmlElement& element) = 0;
  virtual void end(const std::string& name) = 0;
};

// Tells `listener` what stands in `text`, in order, and passes on what it throws. Throws InputError of one line,
// "line 3: ...": no well-formed XML, in an encoding other than UTF-8, ISO-8859-1 or US-ASCII, with declarations in its
// DOCTYPE, entities other than XML's own, or with text between tags.
void read_xml(std::string_view text, XmlListener& listener);

}  // namespace ddl::platform
