"""precedent-slurm-refresh without Slurm: squeue, sacct and scontrol are stand-ins."""
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
         rules { id: "preempted" add_scaled { of: PREEMPTION_COUNT points: 100 } }
         rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }
         rules { id: "waiting" order_only: true
                 add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 30 } } }
bounds { min: 0 max: 9999 }
"""


def job(number, **more):
    return {"job_id": number, "job_state": "PENDING", "priority": 500, "name": "train",
            "account": "vision", "user_name": "ann", "admin_comment": "precedent: 500 gpus=1",
            "submit_time": int(time.time()) - 5, **more}


STAND_IN = """#!/bin/sh
echo "$@" >>"{folder}/{name}.calls"
cat "{folder}/{name}.out"
exit {code}
"""
DISABLED = "Slurm accounting storage is disabled\n"


def run(number, state, *, name="train", submit=-1000, end=-900, seconds=100):
    """A line of sacct. Times: seconds from now."""
    now = int(time.time())
    end = end if isinstance(end, str) else now + end
    return "\x1f".join(map(str, (number, "ann", "vision", name, state, now + submit, end, seconds))) + "\n"


class RefreshTest(unittest.TestCase):
    def refresh(self, *jobs, policy=POLICY, options=(), sacct=DISABLED, sacct_code=None, scontrol_code=0):
        with tempfile.TemporaryDirectory() as folder:
            queue = jobs[0] if isinstance(jobs[0], str) else json.dumps({"jobs": jobs})
            if sacct_code is None:
                sacct_code = int(sacct == DISABLED)
            for name, out, code in (("squeue", queue, 0), ("sacct", sacct, sacct_code),
                                    ("scontrol", "", scontrol_code)):
                file = pathlib.Path(folder, name)
                file.write_text(STAND_IN.format(folder=folder, name=name, code=code))
                file.chmod(0o755)
                file.with_suffix(".out").write_text(out)
            file = pathlib.Path(folder, "policy.txtpb")
            file.write_text(policy)
            done = subprocess.run(
                [os.environ["PRECEDENT_REFRESH"], f"--policy={file}", *options],
                capture_output=True, text=True, timeout=60, check=False,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})

            def calls(name):
                file = pathlib.Path(folder, f"{name}.calls")
                return file.read_text().splitlines() if file.exists() else []
            done.scontrol, done.sacct = calls("scontrol"), calls("sacct")
            return done

    def changes(self, *jobs, **more):
        done = self.refresh(*jobs, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[:-1]

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
        done = self.refresh(*[job(n, priority=99 - n % 3) for n in range(1, 6)], options=["--most=2"])
        self.assertIn("2 to change, see --apply, 3 left for the next run", done.stdout)
        # Those furthest off.
        self.assertEqual(done.stdout.splitlines()[:2], ["job 2: 97 to 500", "job 5: 97 to 500"])

    def test_changes_nothing_before_it_is_told_and_then_in_batches(self):
        jobs = [job(n, priority=9) for n in range(1, 6)] + [job(7, priority=9, admin_comment="precedent: 1 gpus=5")]
        self.assertEqual(self.refresh(*jobs).scontrol, [])
        done = self.refresh(*jobs, options=["--apply", "--batch=2"])
        self.assertEqual(done.scontrol, ["update jobid=7 priority=450", "update jobid=1,2 priority=500",
                                         "update jobid=3,4 priority=500", "update jobid=5 priority=500"])
        self.assertIn("6 changed", done.stdout)

    def test_goes_on_where_scontrol_refuses_a_job(self):
        done = self.refresh(job(1, priority=9), job(2, priority=9), options=["--apply", "--batch=1"],
                            scontrol_code=1)
        self.assertEqual((done.returncode, len(done.scontrol)), (1, 2))
        self.assertIn("2 changed but for those that scontrol refused", done.stdout)

    def test_of_an_array_only_what_waits(self):
        array = {"priority": 9, "array_job_id": 40}
        self.assertEqual(
            self.changes(job(40, array_task_id=None, array_task_string="1,3,7-99:4%2", **array),
                         job(41, array_task_id=5, array_task_string="", **array),
                         job(42, array_task_id={"set": True, "infinite": False, "number": 6}, **array),
                         job(43, array_job_id=0, array_task_id=None, array_task_string="", priority=9)),
            ["job 40_[1,3,7-99:4]: 9 to 500", "job 40_5: 9 to 500", "job 40_6: 9 to 500", "job 43: 9 to 500"])
        for tasks in ("1,3,...", "1]; reboot", "$(reboot)", ""):
            self.assertEqual(self.changes(job(40, array_task_id=None, array_task_string=tasks, **array)),
                             ["job 40: 9 to 500"])

    def test_odd_numbers_of_jobs(self):
        # No such job, or a count that no policy takes: the fallback's priority.
        self.assertEqual(
            self.changes(*[job(number, priority=9) for number in (1e308, -1, 0, 2**40)],
                         job(3, priority=9, array_job_id=1e308, array_task_id=-1, restart_cnt=1e300),
                         job(4, priority=9, array_job_id=7, array_task_id=1e300, array_task_string="1")),
            ["job 3: 9 to 500", "job 7_[1]: 9 to 500"])

    def test_accounting_knows_why_a_job_was_started_again(self):
        runs = (run(8, "PREEMPTED", end=-300) + run(8, "NODE_FAIL", end=-200) + run(8, "FAILED", end=-100)
                + run(8, "REQUEUED", end=-50) + run(8, "PENDING", end="Unknown"))
        self.assertEqual(self.changes(job(8, restart_cnt=4), sacct=runs), ["job 8: 500 to 595"])
        # Without it all of them count as lost.
        self.assertEqual(self.changes(job(8, restart_cnt=4)), ["job 8: 500 to 520"])
        self.assertEqual(self.changes(job(8, restart_cnt=4), sacct=runs, options=["--since=0"]),
                         ["job 8: 500 to 520"])

    def test_accounting_remembers_the_chain_longer_than_slurmctld(self):
        chain = run(1, "FAILED") + run(2, "COMPLETED") + run(3, "TIMEOUT") + run(4, "OUT_OF_MEMORY") + run(
            5, "CANCELLED by 0") + run(5, "FAILED", name="other")
        self.assertEqual(self.changes(job(8), sacct=chain), ["job 8: 500 to 480"])
        # Not twice what the record has, nor less than it.
        record = {"admin_comment": "precedent: 500 gpus=1 failures=2"}
        self.assertEqual(self.changes(job(8, **record), sacct=chain), ["job 8: 500 to 480"])
        self.assertEqual(self.changes(job(8, **record), sacct=run(7, "COMPLETED")), ["job 8: 500 to 480"])
        # What failed after the job's submission, or was submitted after it, is no predecessor.
        self.assertEqual(self.changes(job(8), sacct=run(7, "FAILED", end=-1) + run(9, "FAILED")), [])
        self.assertEqual(self.changes(job(8, user_name="bob"), sacct=chain), [])

    def test_accounting_that_does_not_answer_changes_nothing(self):
        done = self.refresh(job(8, priority=9), sacct="sacct: error: Connection refused\n", sacct_code=1,
                            options=["--apply"])
        self.assertEqual((done.returncode, done.scontrol), (1, []))
        self.assertIn("Connection refused; nothing was changed", done.stderr)
        done = self.refresh(job(8, priority=9), options=["--apply", "--since=0"], sacct_code=1)
        self.assertEqual((done.returncode, done.sacct, len(done.scontrol)), (0, [], 1))

    def test_odd_lines_of_accounting_are_skipped(self):
        odd = "\nwarning: x\n" + "\x1f" * 7 + "\n8\x1fann\n" + run("8.batch", "FAILED") + run(3, "FAILED")
        self.assertEqual(self.changes(job(8), sacct=odd), ["job 8: 500 to 490"])

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
