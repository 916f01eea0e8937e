"""precedent plan on large clusters: how much memory it takes at most.

With --pods=N, N pods instead of 100,000.
"""
import json
import os
import subprocess
import sys
import unittest

import program

COUNT = 100_000
NODES = 200
OWNER = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]


def objects(count, with_gpus):
    """Nodes, and pods of about 1 KB of which one in `with_gpus` holds one GPU (0: none)."""
    for number in range(NODES):
        yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{number}"}, "spec": {},
               "status": {"allocatable": {"nvidia.com/gpu": "8"}}}
    filler = [{"name": f"SETTING_{number}", "value": "x" * 40} for number in range(6)]
    running = 0
    for number in range(count):
        holds = with_gpus and number % with_gpus == 0
        on = f"n{running % NODES}"
        if holds:
            running += 1
        yield {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": f"p{number}", "namespace": f"team{number % 50}",
                            "uid": f"uid-{number}", "creationTimestamp": "2026-03-02T06:00:00Z",
                            "labels": {"workload-type": "training"}, "ownerReferences": OWNER,
                            "annotations": {"precedent.dev/checkpoint-interval": "10m"}},
               "spec": {"nodeName": on, "preemptionPolicy": "Never", "containers": [
                   {"name": "c", "env": filler,
                    "resources": {"limits": {"nvidia.com/gpu" if holds else "cpu": "1"}}}]},
               "status": {"phase": "Running", "startTime": "2026-03-02T06:00:00Z"}}
    yield {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": "chat", "namespace": "team", "uid": "uid-chat",
                        "creationTimestamp": "2026-03-02T11:00:00Z", "ownerReferences": OWNER,
                        "labels": {"environment": "production", "workload-type": "inference"}},
           "spec": {"preemptionPolicy": "Never", "containers": [
               {"name": "c", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]},
           "status": {"phase": "Pending"}}


class PlanSizeTest(program.TestCase):
    def plan(self, count, with_gpus=0):
        """The plan, and the most memory that it took, in MiB."""
        out = self.folder / "out"
        with open(out, "wb") as file, subprocess.Popen(
                [program.PROGRAM, "plan", f"--policy={program.POLICIES / 'seed.txtpb'}",
                 program.NOW, "--pods=-"], stdin=subprocess.PIPE, stdout=file) as process:
            write = process.stdin.write
            write(b'{"apiVersion":"v1","kind":"List","items":[')
            for number, one in enumerate(objects(count, with_gpus)):
                write((b",\n" if number else b"\n") + json.dumps(one).encode())
            write(b"]}\n")
            process.stdin.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return json.loads(out.read_text()), usage.ru_maxrss >> 10

    def placed(self, plan):
        return {one["job"]: len(one["victims"]) for one in plan["placements"]}

    def test_pods_without_gpus_take_no_memory(self):
        few, less = self.plan(20_000)
        many, more = self.plan(40_000)
        for plan in (few, many):
            self.assertEqual(self.placed(plan), {"uid-chat": 0})
        print(f"20,000 pods: {less} MiB, 40,000 pods: {more} MiB")
        if program.MEMORY_LIMITED:
            self.assertLess(more - less, 4)

    def test_many_pods(self):
        # As many GPUs as there are, so that four have to leave.
        plan, peak = self.plan(COUNT, max(COUNT // (NODES * 8), 1))
        print(f"{COUNT:,} pods: {peak} MiB")
        self.assertEqual(self.placed(plan), {"uid-chat": 4})
        if program.MEMORY_LIMITED:
            self.assertLess(peak, 64)


if __name__ == "__main__":
    for argument in [one for one in sys.argv[1:] if one.startswith("--pods=")]:
        sys.argv.remove(argument)
        COUNT = int(argument.partition("=")[2])
    unittest.main(verbosity=1)
