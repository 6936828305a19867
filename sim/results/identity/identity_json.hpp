// An identity as run.json has it.
#pragma once

#include "sim/results/identity/run_identity.hpp"
#include "sim/results/text/keys.hpp"

namespace ddl::results {

// Version of the result files, raised when a reader of them would have to know.
// 1: the digest is over times and utilisations, too. 2: it is not.
constexpr int result_schema_version = 2;

// schema_version, scenario, provenance, and digests of what the run reads.
Keys identity_keys(const RunIdentity& identity);

}  // namespace ddl::results
