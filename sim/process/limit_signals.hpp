// Limits of this process that the system tells by signals, which would end it without a word.
#pragma once

namespace ddl::process {

// At the start of a program. A file that may not grow becomes an error of whatever writes it. Shortly before the
// processor time of this process is spent, it ends with one line; a child is its parent's to report.
void heed_limits();

// In a child process.
void leave_limits_to_parent();

}  // namespace ddl::process
