#!/usr/bin/env python3
"""Counts what Callgrind's branch predictor mispredicts in an evaluation of the seed policy.

    branches_test.py SOURCE_DIR BUILD_INCLUDE_DIR SEED_IMAGE COMPILER...

For each compiler that is there: builds seed_probe at -O2, runs it over distinct jobs, from
texts, and fails where more than LIMIT branches are mispredicted in an evaluation. Compilers
turn masks back into branches, each in its own way, hence more than one. The simulation is
deterministic: no time is measured. Exit code 77 (skipped) without valgrind.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 0.1
JOBS = 32768  # more than a predictor learns by heart
SKIPPED = 77


def build(compiler, source, include, folder):
    program = os.path.join(folder, "probe-" + os.path.basename(compiler))
    sources = ["tests/bench/seed_probe.cc", "bench/workload/jobs.cc", "bench/workload/names.cc"]
    subprocess.run([compiler, "-std=c++17", "-O2", "-I", source,
                    "-I", os.path.join(source, "include"), "-I", include, "-o", program]
                   + [os.path.join(source, name) for name in sources], check=True)
    return program


def count(program, image, folder):
    """Events in EvaluateAll, by Callgrind's names."""
    out = os.path.join(folder, "callgrind.out")
    subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--branch-sim=yes",
                    "--toggle-collect=EvaluateAll*", "--callgrind-out-file=" + out,
                    program, image, str(JOBS)],
                   check=True, stdout=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE)[1].split()
    totals = re.search(r"^(?:summary|totals): (.*)$", text, re.MULTILINE)[1].split()
    return dict(zip(names, map(int, totals)))


def main():
    source, include, make_image = (os.path.realpath(path) for path in sys.argv[1:4])
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        return SKIPPED
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "seed.image")
        subprocess.run([make_image, image], check=True)
        seen = set()
        for compiler in sys.argv[4:]:
            program = shutil.which(compiler)
            if program is None:
                print(f"{compiler}: skipped: not installed")
                continue
            if os.path.realpath(program) in seen:
                continue
            seen.add(os.path.realpath(program))
            events = count(build(compiler, source, include, folder), image, folder)
            if events["Ir"] < JOBS * 10:
                print(f"{compiler}: {events['Ir']} instructions: EvaluateAll was not found")
                failed = True
                continue
            # Callgrind leaves zeros at the end out.
            mispredicted = (events.get("Bcm", 0) + events.get("Bim", 0)) / JOBS
            print(f"{compiler}: {mispredicted:.3f} mispredictions and {events['Ir'] / JOBS:.0f} "
                  f"instructions per evaluation from texts (at most {LIMIT} mispredictions)")
            failed |= mispredicted > LIMIT
    return int(failed)


sys.exit(main())
