#include "sim/scenario/files/read_presence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"
#include "sim/scenario/files/headed_table.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

// Beyond, run.json would be too large to be read as a scenario.
constexpr std::size_t most_presences = 20000;
constexpr TextFile presence_file{"a CSV file", 16 << 20};

// Looks at one after the other of all clients' presences.
class InOrder {
 public:
  // Problem of the next one; empty: none.
  std::string problem_of(const ClientPresence& next) {
    if (next.client.empty() || on_one_line(next.client) != next.client) {
      return "names no client; expected a word in UTF-8";
    }
    if (next.until <= next.from) return "is over before it begins; expected a later end";
    const auto [last, fresh] = until_.try_emplace(next.client, next.until);
    if (!fresh && next.from < last->second) {
      return fmt::format("begins at {:g} s, when {} is there until {:g} s; expected a client's times in order",
                         next.from.value, in_quotes(next.client), last->second.value);
    }
    last->second = next.until;
    return "";
  }

 private:
  std::map<std::string, Seconds> until_;  // by client, of the last
};

// Throws InputError without the file's name.
std::vector<ClientPresence> presences_in(std::string_view text) {
  std::vector<ClientPresence> presences;
  InOrder order;
  HeadedTable rows(text, {"client,start_s,end_s"});
  while (rows.next()) {
    const auto from = rows.number(1), until = rows.number(2);
    if (!from || !until || *from < 0 || *until < 0) rows.refuse("has no two times; expected seconds from 0 on");
    const ClientPresence presence{rows.text(0), {*from}, {*until}};
    if (const std::string problem = order.problem_of(presence); !problem.empty()) rows.refuse(problem);
    if (presences.size() == most_presences) {
      throw InputError(fmt::format("has more than {} lines of clients; expected at most as many", most_presences));
    }
    presences.push_back(presence);
  }
  if (presences.empty()) throw InputError("has no clients; expected lines below its header");
  return presences;
}

}  // namespace

void read_presence_files(Scenario& scenario, Findings& findings) {
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    auto* fault = std::get_if<HostAvailability>(&scenario.faults[i]);
    if (fault == nullptr || fault->file.empty() || !fault->presence.empty()) continue;
    const Place place = Place{findings, fmt::format("$.faults[{}]", i)}.at("file");
    const std::string path = resolve_path(scenario, fault->file);
    try {
      fault->presence = presences_in(text_of_file(path, presence_file));
      fault->file.clear();
    } catch (const InputError& error) {
      place.error(in_quotes(path) + ": " + error.what());
    }
  }
}

void check_presence(const HostAvailability& fault, const Place& place) {
  if (fault.presence.empty()) {
    return place.at("presence").error("is missing; expected a list of clients' times, or a \"file\" of them");
  }
  if (fault.presence.size() > most_presences) {
    place.at("presence")
        .error(fmt::format("has {} times of clients; expected at most {}", fault.presence.size(), most_presences));
  }
  InOrder order;
  double last_s = 0;
  for (std::size_t i = 0; i < fault.presence.size(); ++i) {
    const std::string problem = order.problem_of(fault.presence[i]);
    if (!problem.empty()) return place.at("presence").at(i).error(problem);
    last_s = std::max(last_s, fault.presence[i].until.value);
  }
  if (fault.repeat_every && fault.repeat_every->value < last_s) {
    place.at("repeat_every")
        .error(fmt::format("{:g} s is before {:g} s, when the last client goes; expected a longer time",
                           fault.repeat_every->value, last_s));
  }
}

}  // namespace ddl::scenario
