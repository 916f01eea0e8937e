#!/usr/bin/env bash
# check.sh MODEL safety|progress WANT [-Dname...]: explores every run of MODEL with Spin.
#
# WANT is `holds`, or the start of the error that Spin has to find. Exits 77, which
# ctest shows as skipped, where there is no Spin.
set -eu

model=$1
kind=$2
want=$3
shift 3

if ! command -v spin >/dev/null; then
  echo "skipped: there is no spin here (Debian package spin)"
  exit 77
fi

case $kind in
  safety) compile=(-DSAFETY) run=() ;;
  # Weak fairness: a process that always could go on does so some time. The search is
  # for a cycle without a progress label.
  progress) compile=(-DNP) run=(-l -f) ;;
  *) echo "no such kind: $kind" >&2; exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$model" "$work/model.pml"
cd "$work"
spin -a "$@" model.pml >log || { cat log; exit 1; }
# A twin fails within a second: compiling is what takes time.
optimize=-O0
if [ "$want" = holds ]; then optimize=-O2; fi
"${CC:-cc}" $optimize -w -DCOLLAPSE "${compile[@]}" pan.c -o pan
./pan -m1000000 "${run[@]}" >log || { cat log; exit 1; }
grep -E '^pan:1:|states, stored|errors:' log

# A search that was cut off proves nothing.
if grep -qE 'max search depth too small|out of memory|Search not completed' log &&
  [ "$want" = holds ]; then
  cat log
  exit 1
fi
if [ "$want" = holds ]; then
  grep -q 'errors: 0$' log
else
  grep -q "^pan:1: $want" log || { echo "this twin is broken, and Spin did not find \`$want\`" >&2; exit 1; }
fi
