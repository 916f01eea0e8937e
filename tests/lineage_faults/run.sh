#!/usr/bin/env bash
# Puts faults into a copy of what the lineage graph's readers and writer share, one at a
# time, and expects a named check of tests/unit/lineage/readers_test.cc to find each.
#
#   tests/lineage_faults/run.sh [NAME...]      all faults, or those named
#
# Fails where a fault survives, and where its text is no longer in the source.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src"
cp -r "$root/src/lineage" "$work/src"
plain=()  # see tests/run.sh
if setarch -R true 2>/dev/null; then plain=(setarch -R); fi
read -ra absl <<<"$(pkg-config --libs absl_hash)"

# KIND PROGRAM: the check's program from the copy.
build() {
  local flags=(-O1)
  if [ "$1" = tsan ]; then flags=(-O1 -g1 -fsanitize=thread); fi
  "${CXX:-c++}" -std=c++17 "${flags[@]}" -I"$work" -I"$root/include" \
    "$root/tests/unit/lineage/readers_test.cc" -o "$2" -lgtest -lgtest_main -pthread "${absl[@]}"
}
# PROGRAM CHECK
run() {
  # A fault may well make a reader run for ever.
  timeout 60 "${plain[@]}" env TSAN_OPTIONS=halt_on_error=1 "$1" --gtest_filter="$2" \
    >"$work/output" 2>&1
}

count=0
bad=()
fault() {
  local name=$1 file=$work/src/lineage/$2 old=$3 new=$4 check=${5#tsan:} kind=plain text rest
  if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then return; fi
  if [ "$check" != "$5" ]; then kind=tsan; fi
  count=$((count + 1))
  # Without the fault the check must pass: else it says nothing.
  if [ ! -x "$work/$kind" ]; then build $kind "$work/$kind"; fi
  if ! run "$work/$kind" "$check" || ! grep -q '\[  PASSED  \] 1 test' "$work/output"; then
    bad+=("$name: $check does not pass without the fault")
    return
  fi
  text=$(cat "$file")
  rest=${text#*"$old"}
  if [ "$rest" = "$text" ] || [[ "$rest" == *"$old"* ]]; then
    bad+=("$name: its text is not in $2, or more than once")
    return
  fi
  cp "$file" "$work/before"
  printf '%s\n' "${text%%"$old"*}$new$rest" >"$file"
  if ! build $kind "$work/faulty" >"$work/log" 2>&1; then
    tail -5 "$work/log" >&2
    bad+=("$name: does not build")
  elif run "$work/faulty" "$check"; then
    bad+=("$name: survives $check")
  elif [ $kind = tsan ] && ! grep -q 'ThreadSanitizer: data race' "$work/output"; then
    bad+=("$name: $check fails, but not with a race")
  else
    echo "$name: found by $check"
  fi
  cp "$work/before" "$file"
}
only=("$@")
# shellcheck source=faults.sh
. "$root/tests/lineage_faults/faults.sh"

if [ $count = 0 ]; then
  echo "no fault is called $*" >&2
  exit 2
fi
if [ ${#bad[@]} -gt 0 ]; then
  printf '%s\n' "${bad[@]}" >&2
  exit 1
fi
echo "all $count faults found"
