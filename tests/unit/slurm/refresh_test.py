"""precedent-slurm-refresh on what squeue prints, without Slurm: what it would change."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

POLICY = """
stages { rules { id: "base" set: 500 }
         rules { id: "gpus" when { gpu_count { above: 4 } } add: -50 }
         rules { id: "lost" add_scaled { of: INFRASTRUCTURE_FAILURE_COUNT points: 5 } }
         rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }
         rules { id: "waiting" order_only: true
                 add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 30 } } }
bounds { min: 0 max: 9999 }
"""


def job(number, **more):
    return {"job_id": number, "job_state": "PENDING", "priority": 500, "name": "train",
            "account": "vision", "admin_comment": "precedent: 500 gpus=1",
            "submit_time": int(time.time()) - 5, **more}


class RefreshTest(unittest.TestCase):
    def refresh(self, *jobs, policy=POLICY, options=()):
        with tempfile.TemporaryDirectory() as folder:
            queue, file = pathlib.Path(folder, "queue"), pathlib.Path(folder, "policy.txtpb")
            queue.write_text(jobs[0] if isinstance(jobs[0], str) else json.dumps({"jobs": jobs}))
            file.write_text(policy)
            return subprocess.run(
                [os.environ["PRECEDENT_REFRESH"], f"--policy={file}", f"--queue={queue}", *options],
                capture_output=True, text=True, timeout=60, check=False)

    def test_says_what_time_restarts_and_failures_change(self):
        done = self.refresh(
            job(1),
            job(2, submit_time=int(time.time()) - 605),
            job(3, restart_cnt=2),
            job(4, admin_comment="precedent: 500 gpus=8 failures=2"),
            job(5, priority={"set": True, "infinite": False, "number": 470}))
        self.assertEqual(done.returncode, 0, done.stderr)
        *lines, last = done.stdout.splitlines()
        self.assertEqual(lines, ["job 2: 500 to 510", "job 3: 500 to 510", "job 4: 500 to 430",
                                 "job 5: 470 to 500"])
        self.assertRegex(last, r"\A4 to change, see --apply, next due in \d+ s\Z")

    def test_leaves_held_running_and_unknown_jobs_alone(self):
        jobs = [job(1, priority=0), job(2, job_state="RUNNING", priority=7),
                job(3, admin_comment="", priority=7)]
        self.assertEqual(self.refresh(*jobs).stdout.split(",")[0], "0 to change")
        self.assertIn("job 3: 7 to 500", self.refresh(*jobs, options=["--all"]).stdout)

    def test_a_run_is_bounded(self):
        done = self.refresh(*[job(n, priority=9) for n in range(1, 6)], options=["--most=2"])
        self.assertIn("2 to change, see --apply, 3 left for the next run", done.stdout)

    def test_a_priority_of_0_would_hold_the_job(self):
        done = self.refresh(job(1), policy="stages { rules { id: \"none\" set: 0 } }")
        self.assertIn("job 1: 500 to 1", done.stdout)

    def test_what_cannot_be_read_changes_nothing(self):
        self.assertEqual(self.refresh(job(1), policy="stages {").returncode, 2)
        for queue in ("", "[]", "{\"jobs\": [{\"job_id\": ", "{\"jobs\": 7}"):
            done = self.refresh(queue)
            self.assertEqual((done.returncode, "job " in done.stdout), (1, False), queue)


if __name__ == "__main__":
    unittest.main()
