#!/usr/bin/env bash
# consumer.sh CASE: builds and runs one project that uses precedent. ctest sets
#   SOURCE  this folder        STAGE   the install tree   WORK   a folder to build in
#   CXX     the compiler       CMAKE   cmake              PROGRAM  `precedent`, if built
#   BUILD   the build to install from
set -eu

case=$1
work=$WORK/$case
policy=$SOURCE/policy.txtpb

# No word of a library in what was said to the compiler and the linker, in the names
# of the headers that the compiler read, or in what the program loads.
alone() {
  "$CMAKE" --build "$work" -- -t deps >"$work/headers"
  grep -q 'precedent/evaluator\.h' "$work/headers"
  if grep -hoiE '[^ ]*(protobuf|libre2|/re2/|absl|simdjson|yaml|\.pb\.h)[^ ]*' \
    "$work/build.log" "$work/headers"; then
    echo "the line above has no business in a build of precedent::evaluator" >&2
    exit 1
  fi
  if ldd "$work/consumer" | grep -vE 'linux-vdso|libstdc\+\+|libm\.|libgcc_s|libc\.|ld-linux'; then
    echo "the library above has no business in a program with precedent::evaluator" >&2
    exit 1
  fi
}

# project FLAGS... : configures and builds $SOURCE/$case.
project() {
  rm -rf "$work"
  mkdir -p "$work"
  "$CMAKE" -S "$SOURCE/$case" -B "$work" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_PREFIX_PATH="$STAGE" "$@"
  "$CMAKE" --build "$work" -j 2 --verbose >"$work/build.log" || { cat "$work/build.log"; exit 1; }
}

# For those who find the C library by pkg-config, or by the loader's path.
c_environment() {
  rm -rf "$work"
  mkdir -p "$work"
  PKG_CONFIG_PATH=$(dirname "$(find "$STAGE" -name precedent-c.pc)")
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir "$PKG_CONFIG_PATH/precedent-c.pc")
  export PKG_CONFIG_PATH LD_LIBRARY_PATH
}

# derives COMMAND...: an example of the C library decides as the program does, and says
# what is wrong with what it cannot read.
derives() {
  local jobs=$SOURCE/c_jobs policies=$SOURCE/../../examples/policies
  "$@" "$policies/fleet.txtpb" "$jobs"/*.json >"$work/decisions"
  "$PROGRAM" derive --policy="$policies/fleet.txtpb" "$jobs"/*.json | python3 -c '
import json, sys
for line in sys.stdin:
    job = json.loads(line)
    print("%s: priority %d, class `%s`" % (job["job"], job["priority"], job["priorityClass"]))
' >"$work/expected"
  [ "$(wc -l <"$work/expected")" = "$(ls "$jobs"/*.json | wc -l)" ]
  diff "$work/expected" "$work/decisions"
  echo '{"kind": "Pod", "apiVersion": "v1", "spec": 7}' >"$work/bad.json"
  if "$@" "$policies/fleet.txtpb" "$work/bad.json" "$work/none.json" \
    "$jobs/pod.json" >"$work/out" 2>"$work/err"; then
    echo "bad input is no error" >&2
    exit 1
  fi
  grep -q 'bad.json: .*spec' "$work/err"
  grep -q 'none.json: ' "$work/err"
  [ "$(wc -l <"$work/out")" = 1 ]
  echo 'nonesuch: 1' >"$work/bad.txtpb"
  if "$@" "$work/bad.txtpb" "$jobs/pod.json" >"$work/out" 2>"$work/err"; then exit 1; fi
  grep -q 'bad.txtpb:1:1: error: nonesuch' "$work/err"
}

case $case in
  install)
    rm -rf "$STAGE"
    "$CMAKE" --install "$BUILD" --prefix "$STAGE" >/dev/null
    ;;
  evaluator)
    "$PROGRAM" compile "$policy" -o "$STAGE/consumer-policy.image"
    project -DCMAKE_CXX_FLAGS='-O2 -ffast-math' \
      -DCMAKE_DISABLE_FIND_PACKAGE_{Protobuf,protobuf,absl,re2,simdjson,yaml-cpp,PkgConfig}=ON
    alone
    "$work/consumer" "$STAGE/consumer-policy.image"
    ;;
  header)
    "$PROGRAM" compile "$policy" -o "$STAGE/consumer-policy.h" --as=header
    project -DCMAKE_CXX_FLAGS='-O2 -ffast-math' -DIMAGE_FOLDER="$STAGE"
    alone
    "$work/consumer"
    ;;
  compiler)
    project
    "$work/consumer" "$policy"
    ;;
  adapters)
    project
    "$work/consumer"
    ;;
  embed)
    # The example as a user copies it.
    SOURCE=$SOURCE/../../examples
    project
    "$work/precedent_embed" "$SOURCE/policies/seed.txtpb"
    ;;
  subproject)
    project -DPRECEDENT_FOLDER="$SOURCE/../.." -DCMAKE_UNITY_BUILD=ON \
      -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
    "$work/consumer" "$policy"
    ;;
  pkgconfig)
    rm -rf "$work"
    mkdir -p "$work"
    PKG_CONFIG_PATH=$(dirname "$(find "$STAGE" -name precedent-compiler.pc)")
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion precedent-compiler)" = 0.1.0 ]
    [ -z "$(pkg-config --libs precedent-evaluator)" ]
    pkg-config --libs precedent-lineage | grep -q -- '-lprecedent_lineage'
    # Word splitting is meant.
    "$CXX" -std=c++17 $(pkg-config --cflags precedent-evaluator) \
      "$SOURCE/evaluator/main.cc" -o "$work/evaluator" $(pkg-config --libs precedent-evaluator)
    "$CXX" -std=c++17 $(pkg-config --cflags precedent-compiler) \
      "$SOURCE/compiler/main.cc" -o "$work/consumer" $(pkg-config --libs precedent-compiler)
    "$work/consumer" "$policy"
    ;;
  c_package)
    # The shared library looks nothing up, and its users need no C++.
    project -DCMAKE_C_COMPILER="$CC" -DEXAMPLES="$SOURCE/../../examples/c_api" \
      -DCMAKE_DISABLE_FIND_PACKAGE_{Protobuf,protobuf,absl,re2,simdjson,yaml-cpp,PkgConfig}=ON
    derives "$work/derive"
    ;;
  c_pkgconfig)
    c_environment
    [ "$(pkg-config --libs-only-l precedent-c | xargs)" = -lprecedent ]
    # Word splitting is meant.
    "$CC" -std=c99 -Wall -Wextra -pedantic -Werror $(pkg-config --cflags precedent-c) \
      "$SOURCE/../../examples/c_api/derive.c" -o "$work/derive" $(pkg-config --libs precedent-c)
    readelf -d "$work/derive" | grep -q 'NEEDED.*\[libprecedent\.so\.0\.1\]'
    derives "$work/derive"
    ;;
  c_go)
    command -v go >/dev/null || { echo "skipped: no go"; exit 77; }
    c_environment
    cp "$SOURCE/../../examples/c_api/derive.go" "$work"
    (cd "$work" && CGO_ENABLED=1 CC=$CC GOCACHE=$work/cache GOPATH=$work/path GOFLAGS= GOPROXY=off \
      GO111MODULE=off go build -o derive derive.go)
    derives "$work/derive"
    ;;
  c_python)
    c_environment
    derives python3 -B "$SOURCE/../../examples/c_api/derive.py"
    ;;
  webhook)
    # The server is a component of its own: with nothing else, and not with anything else.
    rm -rf "$work"
    "$CMAKE" --install "$BUILD" --component webhook --prefix "$work" >/dev/null
    [ "$(ls "$work/bin" | xargs)" = "precedent-webhook precedent-webhook-pods" ]
    [ "$(ls "$work" | xargs)" = "bin share" ]
    for program in "$work"/bin/*; do
      "$program" extra 2>"$work/log" && exit 1
      grep -q "^$(basename "$program"): unexpected argument" "$work/log"
    done
    cmp "$SOURCE/../../examples/kubernetes_webhook/manifests/base/policy.txtpb" \
      "$work/share/precedent/kubernetes/base/policy.txtpb"
    [ -z "$(find "$STAGE" -name '*webhook*' -o -name kustomization.yaml)" ]
    ;;
  descheduler)
    # Copied with the folder that it needs, against the installed library; and as a component.
    rm -rf "$WORK/copied"
    mkdir -p "$WORK/copied"
    for folder in descheduler kubernetes_webhook; do
      cp -r "$SOURCE/../../examples/$folder" "$WORK/copied"
    done
    SOURCE=$WORK/copied
    project
    "$work/precedent-descheduler" extra 2>"$work/log" && exit 1
    grep -q '^precedent-descheduler: unexpected argument' "$work/log"
    "$CMAKE" --install "$BUILD" --component descheduler --prefix "$work/prefix" >/dev/null
    [ "$(ls "$work/prefix/bin")" = precedent-descheduler ]
    [ -f "$work/prefix/share/precedent/descheduler/base/preemption.yaml" ]
    [ -z "$(find "$STAGE" -name '*descheduler*')" ]
    ;;
  missing)
    # A component that is not there, and one whose library is not: both say so.
    mkdir -p "$work"
    for component in nonesuch compiler; do
      printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(missing LANGUAGES CXX)' \
        "find_package(precedent REQUIRED COMPONENTS $component)" >"$work/CMakeLists.txt"
      rm -rf "$work/out"
      if "$CMAKE" -S "$work" -B "$work/out" -G Ninja -DCMAKE_CXX_COMPILER="$CXX" \
        -DCMAKE_PREFIX_PATH="$STAGE" -DCMAKE_DISABLE_FIND_PACKAGE_re2=ON >"$work/log" 2>&1; then
        echo "component $component was found" >&2
        exit 1
      fi
    done
    grep -q 'component compiler needs re2' "$work/log"
    ;;
  *)
    echo "no such case: $case" >&2
    exit 2
    ;;
esac
