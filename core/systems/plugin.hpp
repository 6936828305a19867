// Training systems in a library of their own, which the program opens when it starts (--load, DDLSIM_PLUGINS, a
// scenario's "load"). Its last line is
//
//   DDLSIM_PLUGIN(mine::EasgdParams)
//
// Objects of C++ cross between the two, so both must be built from the same headers by the same compiler; otherwise the
// program refuses the library. It resolves what it uses of `core` from the program, which has all of it.
#pragma once

#include "core/node/node.hpp"
#include "core/node/registry.hpp"
#include "core/node/system.hpp"

extern "C" {
// What ddlsim_plugin_v1() returns. The texts stay valid.
struct ddlsim_plugin {
  const char* compiler;  // DDLSIM_COMPILER
  const char* headers;   // DDLSIM_HEADERS
  void (*add_systems)(ddl::Registry& systems);
};
}

// Literals, not functions: a library must not find the program's own.
#define DDLSIM_TEXT_OF(number) #number
#define DDLSIM_TEXT(number) DDLSIM_TEXT_OF(number)
#if defined(__clang__)
#define DDLSIM_COMPILER "clang " DDLSIM_TEXT(__clang_major__) ", C++ " DDLSIM_TEXT(__cplusplus)
#else
#define DDLSIM_COMPILER "GCC " DDLSIM_TEXT(__GNUC__) ", C++ " DDLSIM_TEXT(__cplusplus)
#endif
// A digest of the headers, which the build defines: find_package(ddlsim) does so.
#ifndef DDLSIM_HEADERS
#define DDLSIM_HEADERS "unknown headers"
#endif

#define DDLSIM_PLUGIN(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) const ddlsim_plugin* ddlsim_plugin_v1() {      \
    static const ddlsim_plugin plugin{DDLSIM_COMPILER, DDLSIM_HEADERS,                             \
                                      [](ddl::Registry& systems) { systems.add<__VA_ARGS__>(); }}; \
    return &plugin;                                                                                \
  }
