// Bodies of messages.
#include <regex>

#include "core/node/message.hpp"
#include "tests/base/sources.hpp"

namespace ddl::body_test {
namespace {

struct Ping {
  static constexpr std::string_view body_name = "test.ping";
  int number = 0;
};
struct Pong {
  static constexpr std::string_view body_name = "test.pong";
  int number = 0;
};
struct Nameless {
  int number = 0;
};
static_assert(IsBody<Ping> && !IsBody<Nameless>);

}  // namespace

TEST_CASE("a body is read by its name and by no other") {
  const Body ping = Ping{7};
  CHECK(ping.is<Ping>());
  CHECK(ping.as<Ping>().number == 7);
  CHECK_FALSE(ping.is<Pong>());
  CHECK_THROWS_AS(ping.as<Pong>(), InternalError);
  CHECK_FALSE(Body().is<Ping>());
  const Body carried(ping.type(), ping.bytes());
  CHECK(carried.as<Ping>().number == 7);
}

TEST_CASE("no two bodies have one name, nor one number on the wire") {
  const std::regex name(R"re(body_name = "([^"]*)")re");
  std::map<std::string, std::string> places;
  std::map<std::uint64_t, std::string> types;
  for (const Source& source : sources({"core", "sim", "lab"})) {
    for (const std::string& line : source.lines) {
      std::smatch found;
      if (line.find("//") < line.find("body_name") || !std::regex_search(line, found, name)) continue;
      const std::string word = found[1];
      CHECK_MESSAGE(std::regex_match(word, std::regex("[a-z_]+\\.[a-z_]+")), source.path << ": " << word);
      CHECK_MESSAGE(places.emplace(word, source.path).second, word << " in " << places[word] << " and " << source.path);
      CHECK_MESSAGE(types.emplace(Body::type_named(word), word).second, word << " and another have one number");
    }
  }
  CHECK(places.size() > 20);
}

}  // namespace ddl::body_test
