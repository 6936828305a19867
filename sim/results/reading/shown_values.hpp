// Values of settings as tables show them.
#pragma once

#include <string>
#include <vector>

namespace ddl::results {

// Of one setting in several runs, each a bare text or JSON. Lists of objects, such as faults, become "host_crash w1 at
// 20s +2 more", with as many of their elements as it takes to tell them apart (or, if that does not do it, a number);
// [] is "none". All else stays as it is. Equal values get equal texts, others different ones.
std::vector<std::string> shown_values(const std::vector<std::string>& values);

}  // namespace ddl::results
