// Hosts that crash, restart, join and leave: one host, or all hosts of a site together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl::scenario {

// State of a crashed host at its restart. kept: weights and optimizer are those of the crash. lost: it starts as a late
// joiner, with initial weights. Its count of steps goes on in both cases.
enum class HostState { lost, kept };
constexpr auto enum_names(HostState) { return in_order<HostState>("lost", "kept"); }

struct HostCrash {
  static constexpr const char* tag = "host_crash";
  static constexpr const char* what = "a host loses what it is at, and may start again, with its state or not";
  std::string host;
  Seconds at;
  std::optional<Seconds> restart;  // none: it never comes back
  std::optional<HostState> state;  // with `restart`: lost by default
  std::string site;                // in place of `host`
};

// The host takes no part before this. After a leave it comes back as a late joiner, and not before it has gone.
struct HostJoin {
  static constexpr const char* tag = "join";
  static constexpr const char* what = "a host comes late, or again after it has left";
  std::string host;
  Seconds at;
  std::string site;
};

// The host finishes its step, sends what it has queued, and goes.
struct HostLeave {
  static constexpr const char* tag = "leave";
  static constexpr const char* what = "a host ends its step, sends what it has, and is gone";
  std::string host;
  Seconds at;
  std::string site;
};

// Crashes and restarts of each host, which is up and down for exponentially distributed times. A host that is away has
// neither; where outages overlap, a host is down while any of them lasts. A host that is to leave while it is down, or
// that crashes before it has gone and without a join, does not start again. The hosts of a site crash and start again
// together.
struct HostChurn {
  static constexpr const char* tag = "churn";
  static constexpr const char* what = "hosts crash and start again, at random";
  std::vector<std::string> hosts;  // empty: all workers
  Seconds mean_up, mean_down;
  HostState state = HostState::lost;
  Seconds from;
  std::optional<Seconds> until;  // end of crashes; none: stop.time
  std::string site;              // in place of `hosts`
};

// From `from` on and before `until` a client is there.
struct ClientPresence {
  std::string client;
  Seconds from{-1}, until{-1};  // required
};

// Workers join and leave as the clients of a trace do: the first worker as the first client that it names, and so on,
// from the first one again where there are fewer clients; or all workers of a site as one client.
struct HostAvailability {
  static constexpr const char* tag = "availability";
  static constexpr const char* what = "workers come and go as the clients of a trace do";
  std::vector<std::string> hosts;        // empty: all workers
  std::vector<ClientPresence> presence;  // each client's in order
  std::string file;                      // source of `presence`, relative to the scenario; empty once it has been read
  std::optional<Seconds> repeat_every;   // the trace repeats, until stop.time
  std::string site;                      // in place of `hosts`
};

template <class Visitor>
void host_fields(Visitor& visit, std::string& host, std::string& site) {
  visit("host", host, Rule{.doc = "name of the host"});
  visit("site", site, Rule{.doc = "name of a site instead: all of its hosts"});
  visit.relation("site", Relation::excludes, "host");
}
template <class Visitor>
void hosts_fields(Visitor& visit, std::vector<std::string>& hosts, std::string& site, const Rule& rule) {
  visit("hosts", hosts, rule);
  visit("site", site, Rule{.doc = "name of a site instead: all of its hosts"});
  visit.relation("site", Relation::excludes, "hosts");
}

template <class Visitor>
void fields(Visitor& visit, HostCrash& fault) {
  host_fields(visit, fault.host, fault.site);
  visit("at", fault.at, Rule{.doc = "simulated time of the crash", .at_least = 0});
  visit("restart", fault.restart, Rule{.doc = "simulated time at which it starts again; none: never", .at_least = 0});
  visit("state", fault.state,
        Rule{.doc = "whether it has its weights and optimizer when it starts again; default: lost"});
  visit.relation("state", Relation::needs, "restart");
}
template <class Visitor>
void fields(Visitor& visit, HostJoin& fault) {
  host_fields(visit, fault.host, fault.site);
  visit("at", fault.at,
        Rule{.doc = "simulated time at which it joins, for the first time or after it has left", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, HostLeave& fault) {
  host_fields(visit, fault.host, fault.site);
  visit("at", fault.at,
        Rule{.doc = "simulated time after which it begins no step; 0s: it is away from the beginning", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, HostChurn& fault) {
  hosts_fields(visit, fault.hosts, fault.site, Rule{.doc = "names of the hosts; none: all workers"});
  visit("mean_up", fault.mean_up, Rule{.doc = "mean time from start to crash", .above = 0});
  visit("mean_down", fault.mean_down, Rule{.doc = "mean time from crash to restart", .above = 0});
  visit("state", fault.state, Rule{.doc = "whether a host has its weights and optimizer when it starts again"});
  visit("from", fault.from, Rule{.doc = "simulated time from which on hosts crash", .at_least = 0});
  visit("until", fault.until, Rule{.doc = "simulated time of the last crash at most; none: stop.time", .above = 0});
  visit.relation("until", Relation::after, "from");
}

template <class Visitor>
void fields(Visitor& visit, ClientPresence& presence) {
  visit("client", presence.client, Rule{.doc = "name of the client"});
  visit("from", presence.from, Rule{.doc = "simulated time, or time within a repetition", .at_least = 0});
  visit("until", presence.until, Rule{.doc = "when it has gone", .at_least = 0});
}
template <class Visitor>
void fields(Visitor& visit, HostAvailability& fault) {
  hosts_fields(
      visit, fault.hosts, fault.site,
      Rule{.doc = "names of workers, each of which comes and goes as one client, in order; none: all workers"});
  visit("presence", fault.presence, Rule{.doc = "when clients are there, each client's times in order"});
  visit("file", fault.file,
        Rule{.doc = "CSV file of these instead, with the header client,start_s,end_s, as traces of FedScale have them; "
                    "its path is relative to the scenario",
             .is_setting = false});
  visit("repeat_every", fault.repeat_every, Rule{.doc = "the trace repeats after this time", .at_least = 1e-3});
  visit.relation("file", Relation::excludes, "presence");
}

}  // namespace ddl::scenario
