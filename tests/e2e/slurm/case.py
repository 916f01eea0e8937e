"""What the tests of precedent on a Slurm share: the cluster with its policy, and how to ask."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import cluster
import fleet

PROGRAM = os.environ["PRECEDENT_PROGRAM"]
MODULE = pathlib.Path(os.environ["PRECEDENT_LUA_MODULE"])
REFRESH = os.environ["PRECEDENT_REFRESH"]
SCRIPT = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"]) / "examples/slurm/job_submit.lua"
USER = "nobody"


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.policy_path = pathlib.Path(folder.name) / "policy.txtpb"
        cls.write_policy(fleet.policy())
        cls.slurm = cluster.Cluster(folder.name, cls.script())
        cls.addClassCleanup(cls.slurm.stop)

    @classmethod
    def script(cls, folder=MODULE.parent, policy=None):
        text = SCRIPT.read_text().replace("@LUA_DIR@", str(folder))
        text = text.replace("@POLICY@", str(policy or cls.policy_path))
        partition = 'preemptible_partition = "low"'
        assert "preemptible_partition = nil" in text
        return text.replace("preemptible_partition = nil", partition)

    @classmethod
    def write_policy(cls, text):
        part = cls.policy_path.with_suffix(".part")
        part.write_text(text)
        part.rename(cls.policy_path)

    def setUp(self):
        self.addCleanup(self.clean)

    def clean(self):
        """Nothing of one test is left to the next: no job that waits or runs, the first policy."""
        self.write_policy(fleet.policy())
        self.partitions("UP")
        for user in ("root", USER):
            self.slurm.run("scancel", f"--user={user}")
        self.slurm.wait(lambda: not self.slurm.run("squeue", "-h", "-t", "PD,R,CG"), "an empty queue")
        time.sleep(1.1)  # the policy's file is looked at once a second

    def partitions(self, state):
        for name in ("main", "low", "high"):
            self.slurm.run("scontrol", "update", f"partitionname={name}", f"state={state}")

    def derive(self, facts, policy=None):
        """What the command line gives for facts that the test has written."""
        path = policy or self.policy_path
        completed = subprocess.run([PROGRAM, "derive", f"--policy={path}", "-"], text=True,
                                   input="\n".join(json.dumps(one) for one in facts),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(completed.returncode, 0, completed.stderr)
        return [json.loads(line) for line in completed.stdout.splitlines()]

    def priority(self, number):
        return self.slurm.job(number)["priority"]

    def submit(self, *arguments, **more):
        """A job that waits."""
        return self.slurm.sbatch("--begin=now+1hour", *arguments, **more)

    def refresh(self, *options):
        completed = self.slurm.attempt(REFRESH, f"--policy={self.policy_path}", *options)
        self.assertEqual(completed.returncode, 0, completed.stderr)
        return completed.stdout

    def wait_priority(self, wanted, *arguments):
        """For a new submission to get it: another policy is live then."""
        def seen():
            return self.priority(self.submit("--account=vision", *arguments)) == wanted
        self.slurm.wait(seen, f"a job of priority {wanted}", seconds=15)
