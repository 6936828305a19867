// Expectations on the runs of a scenario, judged by `ddlsim expect`. They are no part of a run: a result does not
// contain them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"

namespace ddl::scenario {

// Exactly one of accuracy, loss, time, bytes (each a band: the least and the most) and better_than is given.
struct Expectation {
  std::optional<Seconds> at;         // with accuracy, loss and better_than; none: the end
  std::optional<double> target;      // with time and bytes: until the metric reaches this; none: the whole run
  std::vector<double> accuracy;      // mean over workers
  std::vector<double> loss;          // likewise, in nats
  std::vector<Seconds> time;         // simulated
  std::vector<Bytes> bytes;          // sent, all nodes together
  std::string better_than;           // a scenario's file, relative to this one
  std::optional<double> by;          // with better_than: in the metric; none: any
  std::optional<std::int64_t> over;  // with accuracy, loss, better_than: mean of so many evaluations; none: one
};

template <class Visitor>
void fields(Visitor& visit, Expectation& expectation) {
  visit("at", expectation.at,
        Rule{.doc = "accuracy, loss, better_than: at this simulated time; default: the end", .above = 0});
  visit("target", expectation.target,
        Rule{.doc = "time, bytes: until this value of evaluate.metric; default: of the whole run", .above = 0});
  visit("accuracy", expectation.accuracy,
        Rule{.doc = "least and most test accuracy, mean over workers", .at_least = 0, .at_most = 1});
  visit("loss", expectation.loss, Rule{.doc = "least and most test loss (nats), mean over workers", .at_least = 0});
  visit("time", expectation.time, Rule{.doc = "least and most simulated time", .at_least = 0});
  visit("bytes", expectation.bytes, Rule{.doc = "least and most that all nodes together send", .at_least = 0});
  visit("better_than", expectation.better_than,
        Rule{.doc = "another scenario's file, relative to this one, that is worse by evaluate.metric"});
  visit("by", expectation.by, Rule{.doc = "better_than: by at least so much; default: by anything", .above = 0});
  visit("over", expectation.over,
        Rule{.doc = "accuracy, loss, better_than: mean over so many evaluations, the last up to then; default 1",
             .at_least = 1,
             .at_most = 1e6});
  visit.relation("at, over", Relation::needs, "accuracy|loss|better_than");
  visit.relation("target", Relation::needs, "time|bytes");
  visit.relation("by", Relation::needs, "better_than");
}

}  // namespace ddl::scenario
