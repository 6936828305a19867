// Limits of this process that the system enforces by signals, which would end it without a message.
#pragma once

namespace ddl::process {

// Call it at the start of a program. A file size limit becomes an error of the writing code. Shortly before the
// processor time of this process is spent, it ends with one line; for a child, the parent reports it.
void heed_limits();

// In a child process.
void leave_limits_to_parent();

}  // namespace ddl::process
