#!/usr/bin/env bash
# thread_sanitizer.sh COMPILER READS THREADS: builds the tests of the reload protocol
# with COMPILER and ThreadSanitizer, and runs them with so many reads and short threads.
# Exits 77, which ctest shows as skipped, where there is no such compiler.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
root=$folder/../../..
compiler=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main() { return 0; }' >"$work/empty.cc"
if ! "$compiler" -fsanitize=thread "$work/empty.cc" -o "$work/empty" 2>"$work/log"; then
  echo "skipped: no $compiler with ThreadSanitizer here"
  exit 77
fi
plain=()  # see tests/run.sh
if setarch -R true 2>/dev/null; then plain=(setarch -R); fi
export TSAN_OPTIONS=halt_on_error=1 PRECEDENT_LIVE_READS=$2 PRECEDENT_LIVE_THREADS=$3
for test in protocol fork stress; do
  "$compiler" -std=c++17 -O1 -g1 -fsanitize=thread -DPRECEDENT_INSTRUMENTED \
    -I"$root/include" -I"$root" "$folder/${test}_test.cc" -o "$work/$test" \
    -lgtest -lgtest_main -pthread
  "${plain[@]}" "$work/$test"
done
