// Searches in a platform's text, in every notation of XML.
#include "sim/platform/platform_text.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"

namespace ddl::platform::platform_text_test {
namespace {

const std::string doctype = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
const std::string head = "<?xml version='1.0'?>\n" + doctype + "\n<platform version=\"4.1\">\n";

// With `tags` in line 4.
std::string platform_of(const std::string& tags) {
  return head + tags + "<zone id=\"z\" routing=\"Full\"/>\n</platform>\n";
}

std::string error_of_text(const std::string& text) {
  try {
    read_platform_text(text, "p.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
std::string error_of_tags(const std::string& tags) { return error_of_text(platform_of(tags)); }

}  // namespace

TEST_CASE("a file of a profile is refused behind whatever else a tag says") {
  const std::map<std::string, std::string> tags = {{"host", "bandwidth_file latency_file state_file speed_file"},
                                                   {"link", "bandwidth_file latency_file state_file"},
                                                   {"peer", "availability_file state_file speed_file"}};
  for (const auto& [tag, attributes] : tags) {
    for (const char* before : {"id='a'", "id='a>b'", "id='a/>b'", "id='-->'", "id='\"'", "id=\"'\"", "id='a'\n\t"}) {
      for (std::size_t at = 0; at < attributes.size();) {
        const std::string name = attributes.substr(at, attributes.find(' ', at) - at);
        at += name.size() + 1;
        const std::string error = error_of_tags(fmt::format("<{} {} {} = 'x.txt'/>", tag, before, name));
        CHECK_MESSAGE(error.starts_with("p.xml: line 4: " + name + ": profiles in platform files are not played"),
                      error);
        CHECK(error_of_tags(fmt::format("<{} {} {}=''/>", tag, before, name)) == "");
      }
    }
  }
  for (const char* tag : {"<trace id='a>b' file='x.txt' periodicity='1'/>", "<trace id='t' periodicity='1'>0 1</trace>",
                          "<trace_connect kind='SPEED' trace='>' element='a'/>"}) {
    CHECK(error_of_tags(tag).starts_with("p.xml: line 4: tag <trace"));
  }
  CHECK(error_of_tags("<include file='>.xml'/>").starts_with("p.xml: line 4: tag <include>: no other file is read"));
  CHECK(error_of_tags("<actor host='>' function='f'><argument value='>'/></actor>")
            .starts_with("p.xml: line 4: tag <actor>: a scenario brings its own actors"));
}

TEST_CASE("words that a tag may not have are harmless in values and comments") {
  for (const char* tags :
       {"<!-- <host id='a' state_file='x'/> <trace/> <actor> -->", "<?note <trace id='a'/> state_file='x' ?>",
        "<host id='a' speed='1f'><prop id='note' value='state_file=\"x.txt\" >'/></host>",
        "<host id=' state_file=&quot;x&quot; ' speed='1f'/>",
        "<host id='a' speed='1f'><prop id='tracing' value='&lt;trace id=&apos;a&apos;/>'/></host>",
        "<host id='a' speed='1f'><prop id='network/solver' value='bmf'/></host>"}) {
    CAPTURE(tags);
    CHECK(error_of_tags(tags) == "");
  }
}

TEST_CASE("windows between sites are zones' properties, of sites that hosts have, and bytes") {
  const auto zone = [](const std::string& property) {
    return "<zone id='s' routing='Full'>" + property +
           "<host id='a' speed='1f'><prop id='site' value='ams'/></host>"
           "<host id='b' speed='1f'><prop id='site' value='lon'/></host></zone>";
  };
  const auto windows = read_platform_text(platform_of(zone("<prop id='tcp_window ams lon' value='2.5MB'/>"
                                                           "<prop id='tcp_window lon ams' value='7B'/>"
                                                           "<prop id='tcp_windows' value='3'/>")),
                                          "p.xml")
                           .windows;
  CHECK(windows == std::map<std::pair<std::string, std::string>, double>{{{"ams", "lon"}, 2.5e6}, {{"lon", "ams"}, 7}});
  const std::string expected = "expected \"tcp_window FROM TO\", two sites, and bytes such as \"2.6MB\"";
  for (const char* property : {"id='tcp_window ams lon' value='2.5'", "id='tcp_window ams lon' value='0B'",
                               "id='tcp_window ams' value='2MB'", "id='tcp_window ams lon x' value='2MB'"}) {
    const std::string error = error_of_tags(zone(std::string("<prop ") + property + "/>"));
    CHECK_MESSAGE(error.starts_with("p.xml: line 4: property \"tcp_window"), error);
    CHECK_MESSAGE(error.ends_with(expected), error);
  }
  CHECK(error_of_tags(zone("<prop id='tcp_window ams lo' value='2MB'/>")) ==
        "p.xml: property \"tcp_window ams lo\": no host has the site \"lo\"; did you mean \"lon\"?");
}

TEST_CASE("a text that is no XML is refused with its line") {
  const std::map<std::string, std::string> expected = {
      {"<host id='a'\n", "line 5: cannot be read as XML: not well-formed (invalid token)"},
      {"<host id='<'/>", "line 4: cannot be read as XML: not well-formed (invalid token)"},
      {"<host id='a' id='b'/>", "line 4: cannot be read as XML: duplicate attribute"},
      {"<host id='a'></hos>", "line 4: cannot be read as XML: mismatched tag"},
      {"\n<host id=a/>", "line 5: cannot be read as XML: not well-formed (invalid token)"},
      {"<host id='&#0;'/>", "line 4: cannot be read as XML: reference to invalid character number"},
      {"<host id='\xe9'/>", "line 4: cannot be read as XML: not well-formed (invalid token)"},  // ISO-8859-1, unsaid
      {"\n<host id='&w0;'/>", "line 5: unknown entity \"&w0;\"; expected one of XML's own"},
      {"<host id='a'>&w0;</host>", "line 4: unknown entity \"&w0;\"; expected one of XML's own"},
      {"<host id='a'>\n hello</host>", "line 5: text between tags: \" hello\"; expected tags alone"},
      {"<![CDATA[<trace/>]]>", "line 4: text between tags: \"<trace/>\"; expected tags alone"},
      {"&#65;", "line 4: text between tags: \"A\"; expected tags alone"},
      {std::string("<host id='\0'/>", 14), "line 4: has a byte 0; expected a text in UTF-8"},
      {"</platform><platform>", "line 4: cannot be read as XML: junk after document element"}};
  for (const auto& [tags, what] : expected) CHECK(error_of_tags(tags) == "p.xml: " + what);
  CHECK(error_of_text("") == "p.xml: line 1: cannot be read as XML: no element found");
  const std::string own =
      "<!DOCTYPE platform SYSTEM \"simgrid.dtd\" [\n<!ATTLIST host state_file CDATA \"x.txt\">]>\n<platform/>";
  CHECK(error_of_text("\n" + own) ==
        "p.xml: line 2: the DOCTYPE has declarations of its own, which SimGrid does not read; expected none");
  CHECK(error_of_text("<!DOCTYPE scenario SYSTEM \"x\">\n<platform/>").find("has no DOCTYPE before") !=
        std::string::npos);
  std::string wide = "\xff\xfe";  // UTF-16
  for (const char letter : platform_of("")) (wide += letter) += '\0';
  CHECK(error_of_text(wide) == "p.xml: line 1: has a byte 0; expected a text in UTF-8");
  CHECK(error_of_text("<?xml version='1.0' encoding='KOI8-R'?>" + doctype + "<platform/>") ==
        "p.xml: line 1: cannot be read as XML: unknown encoding");
}

TEST_CASE("blank lines before the XML declaration are counted, and allowed as SimGrid allows them") {
  const PlatformText read = read_platform_text(" \n\n" + platform_of(""), "p.xml");
  CHECK(read.text.find("\n\n\n\n<platform") != std::string::npos);  // in line 5
  CHECK(error_of_text("\n\n" + platform_of("<host id='a' state_file='x'/>")).starts_with("p.xml: line 6: state_file"));
  CHECK(error_of_text("<!-- -->" + platform_of("")).find("cannot be read as XML") != std::string::npos);
}

TEST_CASE("SimGrid gets the same tags in the same lines, in UTF-8") {
  const std::string text = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- a > b -->\n" + doctype +
                           "\n\n<platform version='4.1'><zone id='\xe9'\n routing = \"Full\">\n"
                           "<host id='a&gt;b&#x26;\"' speed='1f'></host><?p i?>\n</zone></platform>";
  const std::string expected = "<?xml version='1.0'?>" + doctype +
                               "\n\n\n\n<platform version=\"4.1\"><zone id=\"\xc3\xa9\" routing=\"Full\">"
                               "\n\n<host id=\"a&#62;b&#38;&#34;\" speed=\"1f\"/></zone></platform>";
  CHECK(read_platform_text(text, "p.xml").text == expected);
  CHECK(read_platform_text(expected, "p.xml").text == expected);
  CHECK(read_platform_text("\xef\xbb\xbf" + expected, "p.xml").text == expected);  // a byte order mark
}

TEST_CASE("settings that change no time are passed over with a note, and SimGrid does not see them") {
  // Case by case: which setting does it change?
  for (const char* name : {"network/model",
                           "network/crosstraffic",
                           "network/TCP-gamma",
                           "network/optim",
                           "host/model",
                           "cpu/optim",
                           "contexts/stack-size",
                           "contexts/guard-size",
                           "contexts/factory",
                           "contexts/nthreads",
                           "smpi/host-speed",
                           "smpi/bw-factor",
                           "smpi/IB-penalty-factors",
                           "tracing",
                           "tracing/filename",
                           "tracing/smpi/format",
                           "maxmin/precision",
                           "surf/precision",
                           "precision/work-amount",
                           "network/loopback-bw",
                           "network/loopback-lat",
                           "debug/clean-atexit",
                           "storage/max_file_descriptors",
                           "path"}) {
    CAPTURE(name);
    const std::string config = "<config id='General'><prop id='network/weight-S' value='7'/>{}</config>";
    const std::string with = fmt::format(fmt::runtime(config), fmt::format("<prop id='{}' value='yes'/>", name));
    const PlatformText read = read_platform_text(platform_of(with), "p.xml");
    REQUIRE(read.notes.size() == 1);
    CHECK(read.notes.front().starts_with(fmt::format("<config>: \"{}\" is passed over: ", name)));
    CHECK(read.text == read_platform_text(platform_of(fmt::format(fmt::runtime(config), "")), "p.xml").text);
  }
  CHECK(error_of_tags("<config><prop id='plugin' value='host_energy'/></config>") == "");
  CHECK(error_of_tags("<config><prop id='plugin' value='host_dvfs'/></config>") != "");
}

TEST_CASE("names are those that the file writes") {
  const PlatformText read =
      read_platform_text(platform_of("<host id='b>1' speed='1f'/><host speed='1f' id='a'/><!-- <host id='c'/> -->"
                                     "<link id='a_UP'/><backbone id='&lt;'/><router id='r'/>"),
                         "p.xml");
  CHECK(read.hosts == std::vector<std::string>{"b>1", "a"});
  CHECK(read.links == std::set<std::string>{"a_UP", "<"});
}

}  // namespace ddl::platform::platform_text_test
