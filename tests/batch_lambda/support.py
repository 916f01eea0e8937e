"""Runs the built programs against the recorder."""
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

from recorder import Recorder

BOOTSTRAP = os.environ["PRECEDENT_BOOTSTRAP"]
WORKER = os.environ["PRECEDENT_WORKER"]

POLICY = """
name: "batch-lambda-test"
stages { name: "base" mode: FIRST_MATCH
  rules { id: "forbidden" when { team { in: "banned" } } deny: "team banned has no GPUs" }
  rules { id: "production" when { environment { in: "production" } } set: 1000 }
  rules { id: "everyone-else" set: 500 } }
stages { name: "size" rules { id: "large" when { gpu_count { above: 4 } } add: -50 } }
stages { name: "lineage"
  rules { id: "own-failures" add_scaled { of: FAILURE_COUNT points: -10 } }
  rules { id: "preempted" add_scaled { of: PREEMPTION_COUNT points: 3 } }
  rules { id: "host-lost" add_scaled { of: INFRASTRUCTURE_FAILURE_COUNT points: 1 } } }
bounds { min: 0 max: 9999 }
fallback { priority: 123 }
"""


def definition(name, gpus):
    return {"jobDefinitionName": name, "jobDefinitionArn": f"arn:{name}", "revision": 1,
            "type": "container", "status": "ACTIVE", "containerProperties": {
                "image": "i", "command": [], "resourceRequirements": [
                    {"type": "GPU", "value": str(gpus)}, {"type": "VCPU", "value": "4"},
                    {"type": "MEMORY", "value": "1024"}]}}


class TestCase(unittest.TestCase):
    visibility = 1.0

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.policy = self.folder / "policy.txtpb"
        self.policy.write_text(POLICY)
        self.recorder = Recorder(self.visibility)
        self.addCleanup(self.recorder.stop)
        self.recorder.batch.definitions = {"train:1": definition("train", 1),
                                           "big:1": definition("big", 8)}
        self.processes, self.running = [], threading.Lock()
        self.output = open(self.folder / "output", "ab")
        self.addCleanup(self.output.close)
        self.addCleanup(self.end)
        self.variables = {"PRECEDENT_CLAIM_SECONDS": "1",
                          "PRECEDENT_QUEUE_POLICY": "fair-share,plain=none,quota=quota-share"}

    def environment(self, **more):
        return {**{name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS") if name in os.environ},
                **self.recorder.environment(PRECEDENT_POLICY=str(self.policy)),
                **self.variables, **more}

    def start(self, count=1):
        for _ in range(count):
            self.processes.append(subprocess.Popen(
                [BOOTSTRAP], env=self.environment(), stdout=self.output, stderr=self.output))

    def end(self):
        """kill -9."""
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()

    def restart(self):
        """What Lambda does then: the messages come back, in a new sandbox."""
        with self.running:
            count = len(self.processes)
            self.end()
            with self.recorder.lock:
                self.recorder.invocations.clear()
            self.start(count)

    def send(self, body, queue="submissions", identity=None):
        text = body if isinstance(body, str) else json.dumps(body)
        with self.recorder.lock:
            return self.recorder.queues.all[queue].send(text, identity=identity)

    def finish(self, seconds=150):
        """Until every message is handled."""
        until = time.time() + seconds
        while not self.recorder.idle():
            with self.running:
                ended = any(process.poll() is not None for process in self.processes)
            if ended or time.time() > until:
                left = [m.body[:300] for name in self.recorder.feeds
                        for m in self.recorder.queues.all[name].messages.values()]
                self.fail(f"not handled: {len(left)}: {left[:3]}\n{self.printed()[-3000:]}")
            time.sleep(0.02)
        self.assertEqual(self.recorder.problems, [])

    def printed(self):
        return (self.folder / "output").read_text(errors="replace")

    def metric(self, name):
        """The sum of a metric over all lines that were printed."""
        total = 0
        for line in self.printed().splitlines():
            if line.startswith('{"_aws"'):
                total += json.loads(line).get(name, 0)
        return total

    def reasons(self):
        return {message.attributes["messageId"]: message.attributes["reason"]
                for message in self.recorder.dead()}

