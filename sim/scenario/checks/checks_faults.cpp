// Checks of faults: each by itself, and those of one host together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/read_presence.hpp"
#include "sim/scenario/reading/to_json.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::scenario {
namespace {

void check_fault(const Interval&, const Scenario&, const Place&) {}

void check_fault(const HostCrash& crash, const Scenario&, const Place& place) {
  if (crash.restart && *crash.restart < crash.at) {
    place.at("restart").error("is before \"at\"; expected a later time, or none");
  }
}

// All events of churn and of traces are listed before a run begins.
constexpr double most_events = 1e6;

// The workers at a site of which the scenario tells; else the site itself.
std::vector<std::string> hosts_known(const Scenario& scenario, const std::string& name) {
  const auto platform = sites_of(scenario.platform);
  std::vector<std::string> hosts;
  int worker = 0;
  for (const Site& site : platform ? platform->sites : std::vector<Site>()) {
    for (int i = 0; i < site.workers; ++i, ++worker) {
      if (site.name == name) hosts.push_back("w" + std::to_string(worker));
    }
  }
  return hosts.empty() ? std::vector{"site " + name} : hosts;
}

// Workers that a fault of a site or of hosts is of.
template <class Fault>
double workers_of(const Fault& fault, const Scenario& scenario) {
  if (!fault.site.empty()) return static_cast<double>(hosts_known(scenario, fault.site).size());
  return fault.hosts.empty() ? workers_known(scenario.platform).value_or(1) : static_cast<double>(fault.hosts.size());
}

void check_fault(const HostChurn& churn, const Scenario& scenario, const Place& place) {
  if (!churn.until && !scenario.stop.time) {
    place.at("until").error("is missing, and the run has no end in time; expected \"until\", or $.stop.time");
  }
  const double until_s = churn.until ? churn.until->value : scenario.stop.time ? scenario.stop.time->value : 0;
  const double of_each = (until_s - churn.from.value) / (churn.mean_up.value + churn.mean_down.value);
  if (of_each * workers_of(churn, scenario) > most_events) {
    place.at("mean_up").error(fmt::format("makes more than {:.0f} crashes; expected longer times", most_events));
  }
}

void check_fault(const HostAvailability& fault, const Scenario& scenario, const Place& place) {
  check_presence(fault, place);
  if (fault.repeat_every && !scenario.stop.time) {
    return place.at("repeat_every").error("is given, and the run has no end in time; expected $.stop.time");
  }
  std::set<std::string> clients;
  for (const ClientPresence& presence : fault.presence) clients.insert(presence.client);
  if (clients.empty()) return;
  if (!fault.site.empty() && clients.size() > 1) {
    place.at("site").error(
        fmt::format("is given beside {} clients; expected one, as which all of its hosts come and go", clients.size()));
  }
  const double workers_per_client = std::ceil(workers_of(fault, scenario) / static_cast<double>(clients.size()));
  const double repetitions =
      fault.repeat_every ? std::max(1.0, scenario.stop.time->value / fault.repeat_every->value) : 1;
  if (repetitions * workers_per_client * static_cast<double>(fault.presence.size()) > most_events) {
    place.at(fault.repeat_every ? "repeat_every" : "presence")
        .error(fmt::format("has workers come more than {:.0f} times; expected {}", most_events,
                           fault.repeat_every ? "a longer time" : "fewer times of clients, or fewer \"hosts\""));
  }
}

double end_of(const MessageLoss& loss) {
  return loss.until ? loss.until->value : std::numeric_limits<double>::infinity();
}

void check_fault(const MessageLoss& loss, const Scenario&, const Place& place) {
  if (loss.probability <= most_loss_probability) return;
  if (loss.until && (loss.until->value - loss.from.value) / loss.retry_after.value <= most_retries) return;
  place.at("probability")
      .error(
          fmt::format("{:g} has each message sent {:.0f} times on average, all of which is simulated; expected at most "
                      "{:g}, or an \"until\" at most {:g} times \"retry_after\" later",
                      loss.probability, 1 / (1 - loss.probability), most_loss_probability, most_retries));
}

void check_fault(const Stragglers& stragglers, const Scenario& scenario, const Place& place) {
  // If the length of the run is not known, a slow period and the gap after it must last a millisecond on average.
  constexpr double most = 1e6, least_s = 1e-3;
  const double cycle_s = stragglers.mean_every.value + stragglers.mean_duration.value;
  const auto until = stragglers.until ? stragglers.until : scenario.stop.time;
  if (until ? (until->value - stragglers.from.value) / cycle_s > most : cycle_s < least_s) {
    place.at("mean_every")
        .error(fmt::format("makes more than {:.0f} slow periods of each host; expected longer times", most));
  }
}

void check_fault(const HostJoin&, const Scenario&, const Place&) {}
void check_fault(const HostLeave&, const Scenario&, const Place&) {}

bool may_overlap(const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; }

// The losses that hold together at the instant in which one of them begins. Tried for each possible end: only losses
// that last at least until then are counted. Losses on different links are counted together, because the links may be
// on one route.
void check_losses(const Scenario& scenario, Findings& findings) {
  std::vector<std::pair<std::size_t, const MessageLoss*>> losses;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const auto* loss = std::get_if<MessageLoss>(&scenario.faults[i]);
    if (loss != nullptr && loss->probability <= most_loss_probability) losses.emplace_back(i, loss);  // else see above
  }
  for (const auto& [i, loss] : losses) {
    for (const auto& [last, lasting] : losses) {
      const double from_s = loss->from.value, until_s = std::min(end_of(*loss), end_of(*lasting));
      double arrives = 1 - loss->probability, retry_s = loss->retry_after.value;
      std::size_t with = i;
      for (const auto& [k, other] : losses) {
        if (k == i || other->from.value > from_s || end_of(*other) < until_s || end_of(*other) <= from_s) continue;
        if (!may_overlap(loss->source, other->source) || !may_overlap(loss->target, other->target)) continue;
        arrives *= 1 - other->probability;
        retry_s = std::min(retry_s, other->retry_after.value);
        with = k;
      }
      if (with == i || 1 - arrives <= most_loss_probability || (until_s - from_s) / retry_s <= most_retries) continue;
      findings.add(
          fmt::format("$.faults[{}].probability", i),
          fmt::format("loses a message with probability {:.6g} together with $.faults[{}]; expected at most {:g} of "
                      "all that hold at one time",
                      1 - arrives, with, most_loss_probability));
      return;
    }
  }
}

// The changes of one host by the faults that name it.
class Lifecycle {
 public:
  void add(const HostCrash& crash, std::size_t fault) { changes_.push_back({crash.at.value, fault, &crash, false}); }
  void add(const HostJoin& join, std::size_t fault) { changes_.push_back({join.at.value, fault, nullptr, true}); }
  void add(const HostLeave& leave, std::size_t fault) { changes_.push_back({leave.at.value, fault, nullptr, false}); }

  // Each change must find the host in the right state: away for a join, present for all others.
  void check(const std::string& host, Findings& findings) {
    std::ranges::stable_sort(changes_, {}, &Change::at_s);
    begin();
    for (const Change& change : changes_) {
      const Place place{findings, fmt::format("$.faults[{}].at", change.fault)};
      if (!findings.clean(place.path)) continue;  // said of another host of its site
      if (change.at_s == last_s_) {
        place.error(fmt::format("is the time of $.faults[{}], which is of {}, too; expected another", last_, host));
      } else if (change.joins ? !away_ : !there(change.at_s)) {
        place.error(fmt::format("{:g} s finds {} {}; expected a time at which it is {}", change.at_s, host,
                                how_it_is(change.at_s), change.joins ? "away" : "there"));
      } else {
        apply(change);
      }
      last_s_ = change.at_s;
      last_ = change.fault;
    }
  }

 private:
  struct Change {
    double at_s;
    std::size_t fault;
    const HostCrash* crash;
    bool joins;
  };

  // A host whose first change is a join is away before.
  void begin() {
    const auto first = std::ranges::find(changes_, nullptr, &Change::crash);
    if (first == changes_.end() || !first->joins) return;
    away_ = true;
    why_ = fmt::format("away until $.faults[{}] lets it join at {:g} s", first->fault, first->at_s);
  }

  bool there(double at_s) const { return !away_ && at_s >= back_s_; }

  std::string how_it_is(double at_s) const {
    return there(at_s) ? fmt::format("there since $.faults[{}] let it join at {:g} s", joined_, joined_s_) : why_;
  }

  void apply(const Change& change) {
    away_ = !change.joins && change.crash == nullptr;
    back_s_ = 0;
    if (change.joins) {
      joined_ = change.fault;
      joined_s_ = change.at_s;
    } else if (change.crash == nullptr) {
      why_ = fmt::format("gone: it left at {:g} s by $.faults[{}]", change.at_s, change.fault);
    } else if (change.crash->restart) {
      back_s_ = change.crash->restart->value;
      why_ = fmt::format("down from {:g} s to {:g} s by $.faults[{}]", change.at_s, back_s_, change.fault);
    } else {
      back_s_ = std::numeric_limits<double>::infinity();
      why_ = fmt::format("down for good since {:g} s by $.faults[{}]", change.at_s, change.fault);
    }
  }

  std::vector<Change> changes_;
  bool away_ = false;
  double back_s_ = 0;  // from a crash
  std::string why_;    // reason of its absence
  std::size_t joined_ = 0, last_ = 0;
  double joined_s_ = 0, last_s_ = -1;
};

void check_lifecycles(const Scenario& scenario, Findings& findings) {
  std::map<std::string, Lifecycle> lifecycles;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    std::visit(
        [&](const auto& fault) {
          if constexpr (requires(Lifecycle lifecycle) { lifecycle.add(fault, i); }) {
            const std::vector<std::string> hosts =
                fault.site.empty() ? std::vector{fault.host} : hosts_known(scenario, fault.site);
            for (const std::string& host : hosts) lifecycles[host].add(fault, i);
          }
        },
        scenario.faults[i]);
  }
  for (auto& [host, lifecycle] : lifecycles) lifecycle.check(host, findings);
}

// A message that may be lost travels whole.
void note_slices(const Scenario& scenario, Findings& findings) {
  const auto is_loss = [](const Fault& fault) { return std::holds_alternative<MessageLoss>(fault); };
  if (std::ranges::none_of(scenario.faults, is_loss)) return;
  systems::SystemChoice algorithm = scenario.algorithm;
  const auto slice = written(field_value(algorithm)).value("slice_bytes", "");
  if (slice.empty() || parse_quantity(slice, Dimension::size).value == 0) return;
  findings.note("$.algorithm.slice_bytes", "has no effect, for where messages can be lost chunks travel whole");
}

}  // namespace

void check_faults(const Scenario& scenario, Findings& findings) {
  if (!findings.clean("$.faults") || !findings.clean("$.algorithm")) return;
  const SystemFacts& system = scenario.algorithm->facts();
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const Place place{findings, fmt::format("$.faults[{}]", i)};
    if (scenario.algorithm->needs_all_hosts() && changes_hosts(scenario.faults[i])) {
      const std::string setting = scenario.algorithm->all_hosts_for();
      place.error(
          fmt::format("has a host come or go, but {}\"{}\" needs each of its hosts; expected {}, or none of these "
                      "faults",
                      setting.empty() ? "" : fmt::format("with {} ", setting), system.name,
                      setting.empty() ? "another system" : "another setting"));
    }
    const std::string whole_sites = scenario.algorithm->whole_sites_for();
    if (!whole_sites.empty() && changes_hosts(scenario.faults[i]) && site_of(scenario.faults[i]).empty()) {
      place.error(fmt::format(
          "has single hosts come or go, but with {} \"{}\" needs all hosts of a site; expected \"site\", or "
          "none of these faults",
          whole_sites, system.name));
    }
    std::visit([&](const auto& fault) { check_fault(fault, scenario, place); }, scenario.faults[i]);
  }
  if (!findings.clean("$.faults")) return;
  check_lifecycles(scenario, findings);
  check_losses(scenario, findings);
  note_slices(scenario, findings);
}

}  // namespace ddl::scenario
