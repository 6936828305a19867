#!/bin/sh
# A study's folder that is wrong is one clear line and exit code 2, and nothing is written.
#   broken_folder_test.sh DDLSIM_LAB SOURCES
set -eu

lab=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

mkdir -p "$work/home/lab/studies" "$work/out"
cp -r "$sources/lab/studies/iddl" "$work/home/lab/studies"
claims=$work/home/lab/studies/iddl/claims.json
sed -i '0,/"kind": "published"/s//"kind": "pubished"/' "$claims"
cd "$work/out"
code=0
env -u DDLSIM_DATA DDLSIM_HOME="$work/home" "$lab" reproduce iddl >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 2 ] || fail "exit code $code: $(cat "$work/stderr")"
[ -s "$work/stdout" ] && fail "said on stdout: $(cat "$work/stdout")"
expected="ddlsim: $claims: \$[0].kind: \"pubished\" is no kind of claim; expected published, check or input"
[ "$(cat "$work/stderr")" = "$expected" ] || fail "$(cat "$work/stderr")"
[ -z "$(ls -A "$work/out")" ] || fail "written: $(ls -A "$work/out")"
