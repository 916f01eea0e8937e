#!/usr/bin/env bash
# exports.sh LIBRARY HEADER: what the library shows is what the header declares, and nothing
# else; its name in programs is the versioned one.
set -eu
shown=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)
declared=$(grep -o 'precedent_[a-z0-9_]*(' "$2" | tr -d '(' | sort -u)
# Names in comments are declared too.
if ! diff <(echo "$declared") <(echo "$shown"); then
  echo "declared (<) is not what is shown (>)" >&2
  exit 1
fi
echo "$(echo "$shown" | wc -l) symbols"
readelf -d "$1" | grep -q 'SONAME.*\[libprecedent\.so\.[0-9][0-9]*\.[0-9][0-9]*\]'
