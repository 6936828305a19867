// Training systems before the laws that hold for each (lab/laws).
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/check.hpp"
#include "lab/laws/laws.hpp"

namespace ddl {

inline laws::Outcome check_keeps(std::string_view name, const laws::Subject& subject) {
  const auto law = std::ranges::find_if(laws::all(), [&](const laws::Law& one) { return one.name == name; });
  check(law != laws::all().end(), "a law that there is");
  const laws::Verdict verdict = laws::judge(*law, subject);
  const bool is_kept = verdict.outcome == laws::Outcome::holds || verdict.outcome == laws::Outcome::does_not_apply;
  CHECK_MESSAGE(is_kept, subject.system().facts().name << ": " << verdict.why);
  return verdict.outcome;
}

}  // namespace ddl
