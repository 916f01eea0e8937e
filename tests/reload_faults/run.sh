#!/usr/bin/env bash
# Seeds faults into a copy of the reload protocol's headers, one at a time, and expects
# a named check of tests/unit/live to find each of them.
#
#   tests/reload_faults/run.sh [NAME...]      all faults, or those named
#
# Fails where a fault survives, and where its text is no longer in the source.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
only=("$@")
compiler=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/include"
cp -r "$root/include/precedent" "$work/include"

plain=()  # see tests/run.sh
if setarch -R true 2>/dev/null; then plain=(setarch -R); fi

# GoogleTest's header takes most of the time of a build: compiled once for each kind.
declare -A flags=([plain]='-O1' [tsan]='-O1 -g1 -fsanitize=thread -DPRECEDENT_INSTRUMENTED')
build() { # KIND TEST PROGRAM
  local gtest=$work/$1/gtest/gtest.h.gch
  # shellcheck disable=SC2206
  local compile=("$compiler" -std=c++17 ${flags[$1]} -I"$work/$1" -I"$work/include" -I"$root")
  if [ ! -f "$gtest" ]; then
    mkdir -p "$work/$1/gtest"
    echo '#include <gtest/gtest.h>' >"$work/all.h"
    "${compile[@]}" -x c++-header "$work/all.h" -o "$gtest"
  fi
  if [ "$2" = dlopen ]; then
    "${compile[@]}" -fPIC -shared "$root/tests/unit/live/plugin.cc" -o "$work/plugin.so"
  fi
  "${compile[@]}" -DPRECEDENT_PLUGIN="\"$work/plugin.so\"" "$root/tests/unit/live/$2_test.cc" \
    -o "$3" -lgtest -lgtest_main -pthread -ldl
}

# KIND PROGRAM CHECK: runs one check; its output in $work/output.
run() {
  timeout 120 "${plain[@]}" env TSAN_OPTIONS=halt_on_error=1 PRECEDENT_LIVE_READS=2000000 \
    "$2" --gtest_filter="$3" >"$work/output" 2>&1
}
kind_of() { case $1 in tsan:*) echo tsan ;; *) echo plain ;; esac; }

count=0
bad=()
declare -A sound
complain() { echo "  $2" >&2; bad+=("$1: $2"); }

fault() {
  local name=$1 file=$work/include/precedent/$2 old=$3 new=$4 test=${5#tsan:} check=$6
  local kind text rest
  kind=$(kind_of "$5")
  if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then return; fi
  count=$((count + 1))
  echo "$name"
  # Without the fault the check must pass: else it says nothing.
  if [ -z "${sound[$kind.$test.$check]:-}" ]; then
    if [ ! -x "$work/$kind.$test" ]; then build "$kind" "$test" "$work/$kind.$test"; fi
    if ! run "$kind" "$work/$kind.$test" "$check" || ! grep -q '\[  PASSED  \] 1 test' "$work/output"; then
      cat "$work/output"
      complain "$name" "$check does not pass without the fault"
      return
    fi
    sound[$kind.$test.$check]=1
  fi
  text=$(cat "$file"; echo .)  # the dot keeps the line breaks at the end
  rest=${text#*"$old"}
  if [ "$rest" = "$text" ] || [[ "$rest" == *"$old"* ]]; then
    complain "$name" "its text is not in $2, or more than once"
    return
  fi
  cp "$file" "$work/before"
  text=${text%%"$old"*}$new$rest
  printf '%s' "${text%.}" >"$file"
  if ! build "$kind" "$test" "$work/faulty" >"$work/log" 2>&1; then
    complain "$name" "does not build"
    tail -20 "$work/log" >&2
  elif run "$kind" "$work/faulty" "$check"; then
    complain "$name" "survives $check"
  elif [ "$kind" = tsan ] && ! grep -qE 'ThreadSanitizer: (data race|heap-use-after-free)' "$work/output"; then
    tail -20 "$work/output" >&2
    complain "$name" "$check fails, but not with a race"
  else
    echo "  found by $check"
  fi
  cp "$work/before" "$file"
}
# shellcheck source=faults.sh
. "$root/tests/reload_faults/faults.sh"

if [ $count = 0 ]; then
  echo "no fault is called ${only[*]}" >&2
  exit 2
fi
if [ ${#bad[@]} -gt 0 ]; then
  printf '%s\n' "${bad[@]}" >&2
  echo "${#bad[@]} of $count faults not found" >&2
  exit 1
fi
echo "all $count faults found"
