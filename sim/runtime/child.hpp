// One run is one process: work that needs SimGrid's engine is done in a forked child, which hands bytes back.
#pragma once

#include <functional>
#include <string>

namespace ddl {

// What `work` returned in the child. Exceptions of this program (InputError, RunFailed, InternalError) cross over,
// other exceptions and a child that dies become InternalError, Ctrl-C becomes Interrupted. No thread may run at the
// call.
std::string in_child(const std::function<std::string()>& work);

}  // namespace ddl
