#!/bin/sh
# Installs into a folder of its own and uses what is there, as someone does who has no sources.
#   install_test.sh BUILD_DIR          from the build, with DESTDIR
#   install_test.sh BUILD_DIR package  from the package that cpack makes
set -eu

build=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

root=$work/root
if [ "${2:-}" = package ]; then
  for tool in cpack dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "[skipped] needs $tool"; exit 0; }
  done
  (cd "$build" && cpack -G DEB -B "$work/package") >"$work/log" 2>&1 || fail "$(cat "$work/log")"
  dpkg-deb -x "$work"/package/ddlsim_*.deb "$root"
  dpkg-deb -f "$work"/package/ddlsim_*.deb Depends | grep -q simgrid || fail "the package does not depend on SimGrid"
else
  DESTDIR=$root cmake --install "$build" --prefix /usr >"$work/log" 2>&1 || fail "$(cat "$work/log")"
fi
share=$root/usr/share
manual=$share/man/man1/ddlsim.1
bash_completion=$share/bash-completion/completions/ddlsim
zsh_completion=$share/zsh/vendor-completions/_ddlsim
for file in "$root/usr/bin/ddlsim" "$manual" "$bash_completion" "$zsh_completion" "$share/doc/ddlsim/copyright" \
  "$share/doc/ddlsim/docs/keys.md" "$share/ddlsim/platforms/het_wan.xml" "$share/ddlsim/scenarios/scenario.schema.json" \
  "$share/ddlsim/scenarios/study/bandwidth_workers.json" "$share/ddlsim/results/validation/measured.csv" \
  "$share/ddlsim/python/ddlsim/studies/iddl/words.md" "$share/ddlsim/python/ddlsim/model.py" \
  "$root/usr/lib/python3/dist-packages/ddlsim/__init__.py"; do
  [ -f "$file" ] || fail "${file#"$root"} is not installed"
done

# Shipped files by name, from a folder without any.
mkdir "$work/elsewhere"
cd "$work/elsewhere"
unset DDLSIM_HOME
PATH=$root/usr/bin:$PATH
ddlsim list scenarios | grep -q '^het_wan_ako_p3 ' || fail "list scenarios: not what is installed"
ddlsim het_wan_ako_p3 --quiet --set stop.time=5s --set name=mine || fail "a shipped scenario cannot be run by its name"
[ -f results/mine/1/summary.json ] || fail "no result"
ddlsim scenarios/smoke/ps_sync.json --quiet || fail "a shipped scenario cannot be run by its path"
ddlsim describe study/bandwidth_workers >"$work/sweep" 2>&1 || fail "$(cat "$work/sweep")"
# A program finds the package of Python where it is installed.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  ddlsim new own_model -o mine.json >/dev/null
  ddlsim mine.json --quiet --set stop.time=2s --set name=own --set 'model.command=["/usr/bin/python3","own_model.py"]' ||
    fail "a program's model cannot be trained"
fi
if /usr/bin/python3 -c 'import numpy, scipy, pandas, matplotlib' 2>/dev/null; then
  DDLSIM_PYTHON=/usr/bin/python3 ddlsim compare results/mine | grep -q '^mine ' || fail "results cannot be compared"
  DDLSIM_PYTHON=/usr/bin/python3 ddlsim plot results/mine -o mine.svg >/dev/null || fail "results cannot be drawn"
fi
# A training system is built with the headers that are installed.
sh "$tests/examples/plugin_test.sh" "$root/usr/bin/ddlsim" "$share/doc/ddlsim/examples/easgd" \
  "$(dirname "$(find "$root/usr/lib" -name ddlsimConfig.cmake)")" || fail "a library of one's own does not work"
if /usr/bin/python3 -c 'import numpy, scipy, pandas, matplotlib' 2>/dev/null; then
  ddlsim reproduce >"$work/studies" || fail "ddlsim does not find its studies"
  grep -q '^  ako_2018 ' "$work/studies" || fail "$(cat "$work/studies")"
fi
ddlsim laws --help >/dev/null || fail "ddlsim does not find its laboratory"
mv "$root/usr/bin/ddlsim-lab" "$work"
ddlsim laws >"$work/error" 2>&1 && fail "a laboratory that is not installed was found"
grep -q '^ddlsim: laws: belongs to the laboratory, which is not installed; expected /' "$work/error" ||
  fail "$(cat "$work/error")"
ddlsim check no_such_scenario >"$work/error" 2>&1 && fail "a name that nothing has is accepted"
grep -q '^ddlsim: no_such_scenario: ' "$work/error" || fail "$(cat "$work/error")"

# Every command and every option of the help is in the manual and in both completions.
unescaped=$work/manual
sed 's/\\-/-/g' "$manual" >"$unescaped"
commands=$(ddlsim --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -eq 12 ] || fail "the help has not twelve commands: $commands"
commands="$commands model schema completion manual reproduce"
for command in $commands; do
  grep -q "^.SS $command\$" "$unescaped" || fail "$command is not in the manual"
  case $command in tune | advise | compare | plot | report | reproduce) continue ;; esac  # their options are Python's
  for option in $(ddlsim "$command" --help | grep -o '^  [-a-z,]*--[a-z0-9-]*' | grep -o -- '--[a-z0-9-]*'); do
    grep -q "^ *$command) options='.*$option\\b" "$bash_completion" || fail "bash does not complete $command $option"
    sed -n "/^    $command)/,/;;/p" "$zsh_completion" | grep -q -- "$option\\[" || fail "zsh does not complete $command $option"
    [ "$option" = --help ] || sed -n "/^.SS $command\$/,/^.S/p" "$unescaped" | grep -q -- "fB$option" ||
      fail "$command $option is not in the manual"
  done
done
if command -v man >/dev/null; then
  warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$manual" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "$warnings"
fi

# What bash offers after these words.
offered() {
  bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ddlsim; echo "${COMPREPLY[*]}"' bash "$bash_completion" "$@"
}
[ "$(offered ddlsim emu)" = emulate ] || fail "emu: $(offered ddlsim emu)"
[ "$(offered ddlsim swe)" = sweep ] || fail "swe: $(offered ddlsim swe)"
[ "$(offered ddlsim mine.json --seeds 1 --qui)" = --quiet ] || fail "--qui: $(offered ddlsim mine.json --seeds 1 --qui)"
[ "$(offered ddlsim compare res)" = results ] || fail "compare res: $(offered ddlsim compare res)"
[ "$(offered ddlsim list codec)" = codecs ] || fail "list codec: $(offered ddlsim list codec)"
[ "$(offered ddlsim run het_wan_ako_p3 --set algorithm.queue 2>"$work/no_terminal")" = algorithm.queue_depth= ] ||
  fail "--set algorithm.queue: $(offered ddlsim run het_wan_ako_p3 --set algorithm.queue)"
[ -z "$(offered ddlsim run x.json --set algorithm = ga)" ] || fail "--set algorithm=ga: $(offered ddlsim run x.json --set algorithm = ga)"
[ "$(offered ddlsim run x.json --out = res)" = results ] || fail "--out=res: $(offered ddlsim run x.json --out = res)"
[ "$(offered ddlsim check het_wan_gos)" = het_wan_gossip ] || fail "check het_wan_gos: $(offered ddlsim check het_wan_gos)"
if command -v zsh >/dev/null; then
  zsh -n "$zsh_completion"
  zsh -fc 'autoload -U compinit; compinit -u -D; source $1; [[ ${_comps[ddlsim]} == _ddlsim ]]' zsh "$zsh_completion" ||
    fail "zsh does not take the completion"
fi
