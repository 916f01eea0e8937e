#!/usr/bin/env python3
"""What the function of examples/batch_lambda costs, against the recorder on loopback.

    bench/batch_lambda/run.py [BUILD] [MESSAGES]

Prints the time from the start of the process to its first question to the Runtime API,
then messages a second and the time of one message, and how much of it is processor time
of the program itself; the rest is the recorder, which is Python. All on one machine, so
compare the shares and not the seconds.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "batch_lambda"))
BUILD = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
os.environ.setdefault("PRECEDENT_BOOTSTRAP", str(BUILD / "examples" / "batch_lambda" / "bootstrap"))
os.environ.setdefault("PRECEDENT_WORKER", "")

import recorder as recorders  # noqa: E402
import support  # noqa: E402

STARTS = 9


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    recorder = recorders.Recorder(visibility=60)
    recorder.check = lambda *_: None  # the tests do that
    recorder.batch.definitions = {"train:1": support.definition("train", 1)}
    with tempfile.NamedTemporaryFile("w", suffix=".txtpb") as policy:
        policy.write(support.POLICY)
        policy.flush()
        environment = {**os.environ, **recorder.environment(PRECEDENT_POLICY=policy.name)}
        asked = []
        next_event = recorder.next_event

        def first(*_):
            if not asked:
                asked.append(time.perf_counter())
            return next_event()

        recorder.next_event = first
        starts = []
        for _ in range(STARTS):
            asked.clear()
            begin = time.perf_counter()
            process = subprocess.Popen([support.BOOTSTRAP], env=environment,
                                       stdout=subprocess.DEVNULL)
            while not asked:
                time.sleep(0.0005)
            starts.append(asked[0] - begin)
            process.kill()
            process.wait()
        print(f"cold start: {sorted(starts)[STARTS // 2] * 1000:.1f} ms (median of {STARTS})")

        queue = recorder.queues.all["submissions"]
        for number in range(COUNT):
            queue.send('{"jobName":"n","jobQueue":"gpu","jobDefinition":"train:1",'
                       '"tags":{"team":"nlp","failure-count":"2"}}', identity=f"m{number}")
        process = subprocess.Popen([support.BOOTSTRAP], env=environment, stdout=subprocess.DEVNULL)
        begin, cpu = time.perf_counter(), cpu_seconds(process.pid)
        while not recorder.idle():
            time.sleep(0.005)
        wall, cpu = time.perf_counter() - begin, cpu_seconds(process.pid) - cpu
        process.kill()
        process.wait()
    assert len(recorder.batch.jobs) == COUNT
    print(f"{COUNT} messages: {COUNT / wall:.0f} a second, {wall / COUNT * 1000:.2f} ms each; "
          f"{len(recorder.requests) / COUNT:.2f} requests a message")
    print(f"of that the program itself: {cpu / COUNT * 1000:.3f} ms each, {cpu / wall:.0%}")
    recorder.stop()


if __name__ == "__main__":
    main()
