#!/usr/bin/env bash
# Installs what is missing, builds release, measures, and prints tables: evaluation, reads
# while a policy is replaced (both as JSON too, in build/evaluate_bench.json and
# build/reload_bench.json), and preemption plans.
#
#   bench/run.sh            some minutes on a quiet machine
#   bench/run.sh --quick    about a minute once built: fewer jobs, shorter measurements
#   bench/run.sh ARGUMENT...   goes on to evaluate_bench, such as --benchmark_filter=seed
#
# Times are nanoseconds of processor time for one job. `bound`: a job bound before;
# `texts`: from a JobDescriptor, binding included; `bound/it` and `texts/it`: that over
# the rival's time (with an x: the rival's over that), and in brackets what is demanded.
# Without the Lua packages the table has no Lua.
set -eu
cd "$(dirname "$0")/.."

bash tests/install_packages.sh \
  g++ cmake ninja-build pkgconf libabsl-dev libre2-dev libprotobuf-dev protobuf-compiler \
  tzdata libgtest-dev libgmock-dev libbenchmark-dev
bash tests/install_packages.sh libluajit-5.1-dev liblua5.4-dev ||
  echo "measuring without Lua" >&2
bash tests/install_packages.sh liburcu-dev || echo "measuring without liburcu" >&2

if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
mkdir -p build
cmake --preset default >build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
cmake --build build -j "${JOBS:-$(nproc)}" --target evaluate_bench reload_bench preemption_bench -- --quiet
build/bench/evaluate_bench \
  --benchmark_out=build/evaluate_bench.json --benchmark_out_format=json "$@"
# Those who ask for one scenario do not ask for this.
case "$*" in
  '' | --quick)
    build/bench/reload_bench --json=build/reload_bench.json
    build/bench/preemption_bench
    ;;
esac
