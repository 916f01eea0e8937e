#!/usr/bin/env bash
# Seeds faults into a copy of the tree, one at a time, and expects the differential
# tests to find each of them.
#
#   tests/mutants/run.sh [NAME...]      all faults, or those named
#
# Fails where a fault survives, and where its text is no longer in the source. The
# copy is built in a temporary folder, or in $PRECEDENT_MUTANTS_DIR, which stays.
set -eu -o pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
faults=$root/tests/mutants/faults.sh
only=("$@")
if [ -n "${PRECEDENT_MUTANTS_DIR:-}" ]; then
  work=$PRECEDENT_MUTANTS_DIR
  mkdir -p "$work"
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
tree=$work/tree
build=$work/build
jobs=${PRECEDENT_JOBS:-$(nproc)}
export PRECEDENT_SHRINK=0  # that they differ is enough

rm -rf "$tree"
mkdir -p "$tree/tests"
cp -r "$root/CMakeLists.txt" "$root/include" "$root/proto" "$root/src" "$tree"
cp -r "$root/tests/CMakeLists.txt" "$root/tests/reference" "$root/tests/differential" "$tree/tests"

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -S "$tree" -B "$build" -G Ninja "${launcher[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DPRECEDENT_BUILD_PROGRAM=OFF -DPRECEDENT_BUILD_EXAMPLES=OFF \
  -DPRECEDENT_BUILD_BENCHMARKS=OFF -DPRECEDENT_INSTALL=OFF >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }

compile() { ninja -C "$build" -j "$jobs" "$@" >"$work/log" 2>&1; }
# Builds and runs the tests, the quick looks first. 0 where one fails, 1 where all
# pass, 2 where one does not build.
found() {
  local tests=$build/tests/differential
  for run in "shapes_test --pairs=100000" "waits_test" "random_policies_test --pairs=60000" \
    "shapes_test" "large_shapes_test" "small_universe_test" \
    "random_policies_test --pairs=600000"; do
    compile "${run%% *}" || return 2
    # shellcheck disable=SC2086
    if ! timeout 600 "$tests/"$run >"$work/output" 2>&1; then
      found_by=$run
      return 0
    fi
  done
  return 1
}

echo "without a fault:"
result=0
found || result=$?
if [ $result = 2 ]; then cat "$work/log"; exit 1; fi
if [ $result = 0 ]; then
  cat "$work/output"
  echo "the tests fail without a fault" >&2
  exit 1
fi
echo "  pass"

count=0
bad=()
complain() { echo "  $2" >&2; bad+=("$1: $2"); }

fault() {
  local name=$1 file=$tree/$2 old=$3 new=$4 text rest
  if [ ${#only[@]} -gt 0 ] && [[ " ${only[*]} " != *" $name "* ]]; then return; fi
  count=$((count + 1))
  echo "$name"
  if [ ! -f "$file" ]; then complain "$name" "no file $2"; return; fi
  text=$(cat "$file"; echo .)  # the dot keeps the line breaks at the end
  rest=${text#*"$old"}
  if [ "$rest" = "$text" ] || [[ "$rest" == *"$old"* ]]; then
    complain "$name" "its text is not in $2, or more than once"
    return
  fi
  cp -p "$file" "$work/before"
  text=${text%%"$old"*}$new$rest
  printf '%s' "${text%.}" >"$file"
  case $2 in
    include/*)
      # The evaluator is in headers: it is enough, and much quicker, to build anew
      # what the tests call it from. The others keep the time of the old file: what they
      # take from the headers is not what is tested.
      touch -r "$work/before" "$file"
      find "$build/tests/differential" -name 'calls.cc.o' -delete ;;
  esac
  local result=0
  found || result=$?
  case $result in
    0) echo "  found by $found_by" ;;
    1) complain "$name" "survives" ;;
    *)
      complain "$name" "does not build"
      tail -20 "$work/log" >&2 ;;
  esac
  cp -p "$work/before" "$file"
  # Newer than what was built with the fault.
  case $2 in
    include/*) find "$build/tests/differential" -name 'calls.cc.o' -delete ;;
    *) touch "$file" ;;
  esac
}
# shellcheck source=faults.sh
. "$faults"

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
