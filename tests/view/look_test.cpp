// Colours, marks and dashes of systems.
#include "sim/view/look.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/systems/table.hpp"

namespace ddl::view::look_test {

TEST_CASE("every system has a look of its own") {
  std::set<std::pair<std::string, int>> looks;
  std::set<std::string> colours;
  for (const auto& system : systems::built_in()) {
    const Look look = look_of(system->facts().name);
    CHECK_MESSAGE(looks.emplace(look.colour, look.mark).second, system->facts().name);
    CHECK_MESSAGE(colours.insert(look.colour).second, system->facts().name);
  }
}

TEST_CASE("a name that is unknown has always the same look, which is no system's and no other unknown name's") {
  std::set<std::string> colours;
  for (const auto& system : systems::built_in()) colours.insert(look_of(system->facts().name).colour);
  for (int i = 0; i < 200; ++i) {
    const std::string name = "system_" + std::to_string(i);
    const Look look = look_of(name);
    CHECK(look == look_of(name));
    CHECK_MESSAGE(colours.insert(look.colour).second, name);
    CHECK(look.dash == 1);
    CHECK(look.mark >= 1);
  }
}

TEST_CASE("the look of an unknown name does not depend on what is drawn beside it") {
  const std::vector<Look> looks = looks_of({{"ako", "ako"}, {"new", "new"}, {"newer", "newer"}});
  CHECK(looks[1] == looks_of({{"new", "new"}})[0]);
  CHECK(looks[2] == look_of("newer"));
}

TEST_CASE("a system looks the same whatever is drawn beside it, and its variants differ in shade and dash") {
  const std::vector<Drawn> drawn = {{"ako", "ako partitions=10"}, {"gossip", "gossip"}, {"ako", "ako partitions=2"}};
  const std::vector<Look> looks = looks_of(drawn);
  CHECK(looks[1] == look_of("gossip"));
  CHECK(looks[0].mark == look_of("ako").mark);
  CHECK(looks[2].mark == look_of("ako").mark);
  CHECK(looks[0].colour != looks[2].colour);
  CHECK(looks[2].dash == 1);  // 2 comes before 10
  CHECK(looks[0].dash == 2);
  CHECK(looks_of({{"ako", "ako partitions=2"}})[0] == look_of("ako"));
}

TEST_CASE("no variant is too bright for a thin line on white") {
  for (const auto& system : systems::built_in()) {
    const std::string name(system->facts().name);
    for (const Look& look : looks_of({{name, "1"}, {name, "2"}, {name, "3"}})) {
      const auto part = [&](std::size_t at) { return std::stoi(look.colour.substr(at, 2), nullptr, 16); };
      CHECK_MESSAGE(0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) <= 182, name);
    }
  }
}

TEST_CASE("in grey nothing has a colour, and neighbours differ in dash and all in shade") {
  std::vector<Drawn> drawn;
  for (const char* system : {"ako", "gossip", "ps_async", "ps_sync", "single", "alone", "d_psgd", "ad_psgd"}) {
    drawn.push_back({system, system});
  }
  std::set<std::string> shades;
  int before = 0;
  for (const Look& look : looks_of(drawn, true)) {
    CHECK(look.colour.substr(1, 2) == look.colour.substr(3, 2));
    CHECK(look.colour.substr(1, 2) == look.colour.substr(5, 2));
    CHECK(shades.insert(look.colour).second);
    CHECK(look.dash != before);
    before = look.dash;
  }
}

}  // namespace ddl::view::look_test
