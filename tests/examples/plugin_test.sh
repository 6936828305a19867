#!/bin/sh
# Builds examples/easgd as somebody does who has only what is installed or built, and uses it; and offers the program what is
# no such library.
#   plugin_test.sh DDLSIM EASGD_FOLDER DDLSIM_DIR      the last: where ddlsimConfig.cmake is
set -eu

ddlsim=$1 source=$2 package=$3 page=$(cd "$(dirname "$0")/../.." && pwd)/docs/own_systems.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DDLSIM_PLUGINS
fail() {
  echo "$*" >&2
  exit 1
}
cp "$source"/easgd.* "$source/CMakeLists.txt" "$work"
cd "$work"
cmake -S . -B build -Dddlsim_DIR="$package" >log 2>&1 && cmake --build build >>log 2>&1 || fail "$(cat log)"
library=$work/build/libeasgd.so

# What it learned when it was built in.
digest=3cb4223b70748f88
"$ddlsim" --load "$library" run easgd.json --json --quiet >summary.json || fail "it does not run"
grep -q "\"digest\": \"$digest\"" summary.json || fail "another digest: $(grep '"digest"' summary.json)"
grep -q '"libeasgd.so": "[0-9a-f]*"' results/easgd/1/run.json || fail "the result does not name the library"
"$ddlsim" run --verify-digest results/easgd/1 --load="$library" >log 2>&1 || fail "$(cat log)"

# As if built in.
"$ddlsim" list algorithms --load "$library" | grep -q '^easgd ' || fail "list does not know it"
"$ddlsim" describe algorithm.easgd --load "$library" | grep -q 'communication period' || fail "describe does not know it"
"$ddlsim" schema --load "$library" | grep -q '"easgd"' || fail "the schema does not know it"
DDLSIM_PLUGINS=$library "$ddlsim" check easgd.json | grep -q 'spectral gap' || fail "DDLSIM_PLUGINS is not read"
printf '{"name": "grid", "base": "easgd.json", "vary": {"algorithm.tau": [2, 4]}, "seeds": [1]}' >grid.json
"$ddlsim" sweep grid.json --load "$library" --quiet || fail "no sweep"
[ "$(grep -c . results/grid/sweep.csv)" -eq 3 ] || fail "$(cat results/grid/sweep.csv)"

# A folder may have colons and backslashes, in the variable behind a backslash; runs of a sweep find it, too.
mkdir 'a:b\c'
cp "$library" 'a:b\c'
DDLSIM_PLUGINS=':a\:b\\c/libeasgd.so:' "$ddlsim" check easgd.json >/dev/null || fail "a colon in DDLSIM_PLUGINS"
sed 's/"grid"/"colons"/' grid.json >colons.json
"$ddlsim" sweep colons.json --load 'a:b\c/libeasgd.so' --quiet || fail "no sweep by a path with a colon"
[ "$(grep -c . results/colons/sweep.csv)" -eq 3 ] || fail "$(cat results/colons/sweep.csv)"

# In a scenario; only what runs it opens it.
sed '0,/{/s//{ "load": ["build\/libeasgd.so"],/' easgd.json >named.json
"$ddlsim" named.json --set name=named --quiet || fail "a scenario's library is not opened"
grep -q "$digest" results/named/1/summary.json || fail "another digest by its own library"
"$ddlsim" check named.json >log 2>&1 && fail "check opens a scenario's library"
grep -qx 'ddlsim: named.json: $.load: names libraries, which only a run opens; expected --trust' log || fail "$(cat log)"
"$ddlsim" check named.json --trust >log 2>&1 || fail "$(cat log)"

# It keeps the laws, but for the one that its center breaks.
"$ddlsim" laws --load "$library" >laws || fail "$(cat laws)"
[ "$(grep -c '^  [a-z]*  *holds ' laws)" -eq 11 ] || fail "$(cat laws)"
grep -q '^  alone  *does not apply ' laws || fail "$(cat laws)"

# What the template writes is built by the command that it prints, runs, and keeps the laws.
mkdir own && cd own
"$ddlsim" new own_system -o mine.json >said
build=$(sed -n 's/^build it: //p' said)
case $build in *-Dddlsim_DIR=*) ;; *) build=$(echo "$build" | sed "s|cmake -S|cmake -Dddlsim_DIR='$package' -S|") ;; esac
eval "$build" >log 2>&1 || fail "$(cat log)"
"$ddlsim" mine.json --quiet --set stop.time=5s || fail "the template of a system does not run"
"$ddlsim" laws --load build/libown_system.so >laws || fail "$(cat laws)"

# So is the system that the page shows.
sed -n '/^```cpp$/,/^```$/p' "$page" | sed '/^```/d' | sed '/^DDLSIM_PLUGIN(elastic/d' >own_system.cpp
cmake --build build >log 2>&1 || fail "$(cat log)"
"$ddlsim" laws --load build/libown_system.so >laws || fail "$(cat laws)"
grep -q pairs laws || fail "$(cat laws)"
"$ddlsim" mine.json --quiet --set stop.time=5s --set 'algorithm={"name":"pairs","timeout":"100ms"}' || fail "pairs do not run"
cd ..

# What is wrong gets one line.
expect_line() {
  line=$1
  shift
  status=0
  "$ddlsim" "$@" >out 2>log || status=$?
  [ "$status" -eq 2 ] && [ "$(grep -c . log)" -eq 1 ] && grep -q "$line" log || fail "$* gave $status: $(cat log)"
}
cat >wrong.cpp <<'SOURCE'
#include <stdexcept>
#include "core/systems/plugin.hpp"
#ifdef OTHER
extern "C" const ddlsim_plugin* ddlsim_plugin_v1() {
  static const ddlsim_plugin plugin{"GCC 1", DDLSIM_HEADERS, nullptr};
  return &plugin;
}
#elif defined(THROWS)
extern "C" const ddlsim_plugin* ddlsim_plugin_v1() { throw std::runtime_error("no licence"); }
#elif defined(TAKEN)
struct Taken : ddl::SystemOf<Taken> {
  static constexpr ddl::SystemFacts facts{.name = "ako"};
  void worker(ddl::Node&) const override {}
  ddl::Traffic traffic(const ddl::Cluster&) const override { return {}; }
};
template <class Visitor>
void fields(Visitor&, Taken&) {}
DDLSIM_PLUGIN(Taken)
#endif
SOURCE
cat >lawless.cpp <<'SOURCE'
#include <random>
#include "core/systems/plugin.hpp"
#define LAWLESS(NAME, MODELS, STEP)                                          \
  struct NAME : ddl::SystemOf<NAME> {                                        \
    static constexpr ddl::SystemFacts facts{.name = #NAME};                  \
    void worker(ddl::Node& node) const override {                            \
      while (node.next_step()) {                                             \
        const ddl::Gradient gradient = node.gradient();                      \
        STEP;                                                                \
        node.finish_step();                                                  \
      }                                                                      \
    }                                                                        \
    ddl::Traffic traffic(const ddl::Cluster&) const override {               \
      ddl::Traffic all;                                                      \
      if (MODELS > 0) all.phases.push_back({ddl::Flow{0, 1, MODELS}});       \
      return all;                                                            \
    }                                                                        \
  };                                                                         \
  template <class Visitor>                                                   \
  void fields(Visitor&, NAME&) {}
LAWLESS(loses, 0, if (node.step() % 3 != 2) node.apply(gradient))
LAWLESS(varies, 0, node.compute(1e-9 * std::random_device()()); node.apply(gradient))
LAWLESS(waits, 0, node.receive(0, "an answer that nobody sends"))
LAWLESS(claims, 1, node.apply(gradient))
DDLSIM_PLUGIN(loses, varies, waits, claims)
SOURCE
headers=$(sed -n 's/.*INTERFACE_INCLUDE_DIRECTORIES "\(.*\)").*/\1/p' "$package/ddlsimConfig.cmake")
case $headers in *PACKAGE_PREFIX_DIR*) headers=${package%/lib/*}/include/ddlsim ;; esac
digest=$(sed -n 's/.*DDLSIM_HEADERS=\\"\([0-9a-f]*\)\\".*/\1/p' "$package/ddlsimConfig.cmake")
[ -n "$digest" ] || fail "the package has no digest of headers"
for wrong in NONE OTHER THROWS TAKEN; do
  c++ -std=c++20 -shared -fPIC -D$wrong "-DDDLSIM_HEADERS=\"$digest\"" -I "$headers" wrong.cpp -o $wrong.so ||
    fail "$wrong does not compile"
done
c++ -std=c++20 -shared -fPIC "-DDDLSIM_HEADERS=\"$digest\"" -I "$headers" lawless.cpp -o lawless.so ||
  fail "lawless.cpp does not compile"
c++ -std=c++20 -shared -fPIC -DTAKEN '-DDDLSIM_HEADERS="0123456789abcdef"' -I "$headers" wrong.cpp -o OLD.so
expect_line '^ddlsim: NONE.so: has no ddlsim_plugin_v1; ' list algorithms --load NONE.so
expect_line '^ddlsim: OTHER.so: was built for another program (GCC 1; this one: ' list --load OTHER.so
expect_line '^ddlsim: OLD.so: was built for another program (0123456789abcdef; this one: ' list --load OLD.so
expect_line '^ddlsim: THROWS.so: its systems cannot be made: no licence$' list --load THROWS.so
expect_line '^ddlsim: TAKEN.so: two training systems are called "ako"; expected another name$' list --load TAKEN.so
expect_line '^ddlsim: easgd.json: is no library that can be opened: ' list --load easgd.json
expect_line '^ddlsim: none.so: cannot be read; ' list --load none.so
expect_line '^ddlsim: --load: names no library; ' list --load
expect_line '^ddlsim: easgd.json: $.algorithm.name: "easgd" is unknown; ' check easgd.json

# Systems that break a law.
expect_broken() {
  status=0
  "$ddlsim" laws --load lawless.so $1 >laws 2>log || status=$?
  [ "$status" -eq 4 ] && tr -s ' \n' ' ' <laws | grep -q " $2 FAILS [^;]*; $3" || fail "$1 breaks $2: $status $(cat laws log)"
}
expect_broken loses alone 'after 12 steps weights of one worker differ by up to '
expect_broken varies repeats '.* of two runs of one scenario'
expect_broken waits steps 'no node can go on: w0 waits for an answer that nobody sends'
expect_broken claims bound '60 steps take '
"$ddlsim" laws --load lawless.so loses --except alone >laws || fail "$(cat laws)"
expect_line '^ddlsim: laws: "easgdd" is no training system; did you mean "easgd"?$' laws --load "$library" easgdd
