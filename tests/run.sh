#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests; ends with ctest's summary.
#
#   tests/run.sh          everything that a change has to pass
#   tests/run.sh --quick  the developer's loop: under a minute once built
#   tests/run.sh --long   everything, and the mutants, long differential runs and soaks
#
# Builds: build (also examples/quickstart.sh's); without --quick also, with warnings
# as errors, build-core (Abseil, RE2 and Protobuf alone), build-asan and build-tsan (the
# tests that have threads); and build-fuzz (clang's libFuzzer: five targets search for half
# a minute each, with --long all). JOBS sets how many processes run at once (default: one a
# processor).
set -eu
cd "$(dirname "$0")/.."

mode=default
case "${1:-}" in
  '') ;;
  --quick) mode=quick ;;
  --long) mode=long ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
jobs=${JOBS:-$(nproc)}

bash tests/install_packages.sh \
  g++ cmake ninja-build pkgconf libabsl-dev libre2-dev libprotobuf-dev protobuf-compiler \
  libsimdjson-dev libyaml-cpp-dev tzdata libgtest-dev libgmock-dev libbenchmark-dev python3 \
  python3-boto3 spin libcurl4-openssl-dev

# Only the first configuration of a folder looks at this; without ccache all is the same.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

# build PRESET FOLDER [TARGET]
build() {
  echo "== building $2"
  mkdir -p "$2"
  cmake --preset "$1" >"$2/configure.log" 2>&1 || { cat "$2/configure.log" >&2; return 1; }
  cmake --build "$2" -j "$jobs" --target "${3:-all}" -- --quiet
}

build default build
if [ "$mode" = quick ]; then
  echo "== testing"
  exec ctest --test-dir build -j "$jobs" --output-on-failure --no-tests=error -LE 'slow|long'
fi

bash tests/install_packages.sh clang libclang-rt-dev valgrind
build core build-core
build asan build-asan
build tsan build-tsan precedent_test_programs
build fuzz build-fuzz precedent_test_programs
folders=("$PWD/build" "$PWD/build-core" "$PWD/build-asan" "$PWD/build-tsan" "$PWD/build-fuzz")

# One run over all builds, with one summary.
mkdir -p build-all
printf 'subdirs("%s")\n' "${folders[@]}" >build-all/CTestTestfile.cmake
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
# GCC 12's ThreadSanitizer does not start where the kernel spreads addresses further
# than it knows; without randomness it does.
plain=()
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && setarch -R true 2>/dev/null; then
  plain=(setarch -R)
fi
# `quick` is a part of what runs here whole.
exclude=(-LE 'quick|long')
[ "$mode" = default ] || exclude=(-LE quick)
echo "== testing"
exec "${plain[@]}" ctest --test-dir build-all -j "$jobs" --output-on-failure --no-tests=error "${exclude[@]}"
