#!/usr/bin/env bash
# compile_fail.sh SOURCE COMPILER FLAG...: SOURCE compiles without -DBAD and, with it,
# fails with a message that matches the pattern behind `// ERROR:` in SOURCE.
set -eu
source=$1
compiler=$2
shift 2

pattern=$(sed -n 's|.*// ERROR: ||p' "$source")
[ -n "$pattern" ] || { echo "$source names no error" >&2; exit 1; }
compile=("$compiler" -std=c++17 -fsyntax-only "$@" "$source")

"${compile[@]}" || { echo "does not compile without its bad line" >&2; exit 1; }
if output=$("${compile[@]}" -DBAD 2>&1); then
  echo "compiles with its bad line" >&2
  exit 1
fi
grep -qE "$pattern" <<<"$output" || { echo "fails otherwise than by \`$pattern\`: $output" >&2; exit 1; }
