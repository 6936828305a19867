// Training systems in a library of their own, opened by the program when it starts (--load, DDLSIM_PLUGINS, a
// scenario's "load"). The library's last line is
//
//   DDLSIM_PLUGIN(mine::EasgdParams)
//
// C++ objects cross between the two, so both must be built from the same headers by the same compiler; otherwise the
// program refuses the library. The library resolves symbols of `core` from the program, which exports all of it.
#pragma once

#include "core/node/node.hpp"
#include "core/node/registry.hpp"
#include "core/node/system.hpp"

extern "C" {
// Returned by ddlsim_plugin_v1(). The texts stay valid.
struct ddlsim_plugin {
  const char* compiler;  // DDLSIM_COMPILER
  const char* headers;   // DDLSIM_HEADERS
  void (*add_systems)(ddl::Registry& systems);
};
}

// Literals, not functions: a library would otherwise find the program's own.
#define DDLSIM_TEXT_OF(number) #number
#define DDLSIM_TEXT(number) DDLSIM_TEXT_OF(number)
#if defined(__clang__)
#define DDLSIM_COMPILER "clang " DDLSIM_TEXT(__clang_major__) ", C++ " DDLSIM_TEXT(__cplusplus)
#else
#define DDLSIM_COMPILER "GCC " DDLSIM_TEXT(__GNUC__) ", C++ " DDLSIM_TEXT(__cplusplus)
#endif
// A digest of the headers, defined by the build: find_package(ddlsim) does so.
#ifndef DDLSIM_HEADERS
#define DDLSIM_HEADERS "unknown headers"
#endif

#define DDLSIM_PLUGIN(...)                                                                         \
  extern "C" __attribute__((visibility("default"))) const ddlsim_plugin* ddlsim_plugin_v1() {      \
    static const ddlsim_plugin plugin{DDLSIM_COMPILER, DDLSIM_HEADERS,                             \
                                      [](ddl::Registry& systems) { systems.add<__VA_ARGS__>(); }}; \
    return &plugin;                                                                                \
  }
