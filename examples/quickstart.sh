#!/usr/bin/env bash
# From a bare Debian 12 to decisions: installs what is missing, builds the program
# and prints what the seed policy decides about the jobs in examples/jobs.
set -eu
cd "$(dirname "$0")/.."

# tzdata: policies name time zones. The rest is needed to build.
bash tests/install_packages.sh \
  g++ cmake ninja-build pkgconf libabsl-dev libre2-dev libprotobuf-dev protobuf-compiler \
  libsimdjson-dev libyaml-cpp-dev tzdata

# The same build that tests/run.sh uses, so neither repeats the other's work.
echo "building build/bin/precedent (a few minutes the first time)"
build() { cmake --preset default && cmake --build build --target precedent_cli; }
if [ -t 1 ]; then
  build  # shows how far it is
else
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  build >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi

build/bin/precedent derive --policy=examples/policies/seed.txtpb --output=table examples/jobs/*
