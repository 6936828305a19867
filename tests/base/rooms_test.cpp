// How long each room is: a bound on the whole, which limits on functions, classes and folders do not give.
#include "tests/base/sources.hpp"

namespace ddl::rooms_test {
namespace {

const std::string list = "tests/base/rooms.txt";
constexpr int room_to_move = 100;  // lines by which a bound may lie above its room

// "sim/results" of sim/results/reading/groups.hpp, "tests/lab" of what tests the laboratory, "tests" of all other
// tests.
std::string room_of(const std::string& path) {
  if (path.starts_with("tests/") && !path.starts_with("tests/lab/")) return "tests";
  const auto first = path.find('/'), second = path.find('/', first + 1);
  return path.substr(0, second == std::string::npos ? first : second);
}

using Rooms = std::map<std::string, int>;

Rooms measured() {
  Rooms rooms;
  for (const Source& source : sources({"core", "sim", "lab", "tests"})) {
    rooms[room_of(source.path)] += static_cast<int>(source.lines.size());
  }
  return rooms;
}

Rooms bounds() {
  Rooms rooms;
  std::ifstream file(std::filesystem::path(DDLSIM_SOURCE_DIR) / list);
  std::string room;
  for (int lines = 0; file >> room >> lines;) rooms[room] = lines;
  return rooms;
}

}  // namespace

TEST_CASE("house: no room has more lines than rooms.txt allows") {
  Rooms allowed = bounds();
  std::string shorter;
  for (const auto& [room, lines] : measured()) {
    CHECK_MESSAGE(allowed.contains(room), room << " is no room of " << list);
    const int bound = allowed[room];
    CHECK_MESSAGE(lines <= bound, room << " has " << lines << " lines, more than the " << bound << " of " << list
                                       << ": make it shorter, or raise the bound and say why in the commit");
    if (!accepting()) {
      CHECK_MESSAGE(bound <= lines + room_to_move,
                    room << " has " << lines << " lines, so " << bound << " is no bound: tests/renew lowers " << list);
    }
    shorter += room + " " + std::to_string(std::min(bound, lines)) + "\n";
    allowed.erase(room);
  }
  for (const auto& [room, bound] : allowed) {
    if (!accepting()) CHECK_MESSAGE(false, room << ", a room of " << list << ", is gone");
  }
  if (accepting()) CHECK(is_accepted(list, shorter));
}

}  // namespace ddl::rooms_test
