// True if this build has a sanitizer: memory is used otherwise then, and actors are threads.
#pragma once

namespace ddl {

#ifdef DDLSIM_THREAD_CONTEXTS
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ddl
