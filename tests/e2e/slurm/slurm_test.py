"""precedent on a real Slurm: submissions, changes by users, policies that come and go, the
refresher, preemption."""
import re
import sys
import time
import unittest

import case
import cluster
import fleet
from case import USER

FALLBACK = 500  # of job_submit.lua


class Fleet(case.SlurmTest):
    def test_priorities_are_those_of_the_command_line_and_order_the_queue(self):
        jobs = fleet.jobs()
        decisions = self.derive([job.facts for job in jobs])
        self.partitions("DOWN")  # they are accepted and wait
        numbers = [self.slurm.sbatch(*job.arguments, user=job.user) for job in jobs]
        seen = self.slurm.jobs()
        for number, job, decision in zip(numbers, jobs, decisions):
            with self.subTest(job=job.arguments):
                self.assertNotEqual(decision.get("reason"), "FALLBACK")
                self.assertEqual(seen[number]["priority"], 0 if job.held else decision["priority"])
                self.assertIn(f"precedent: {decision['priority']} gpus={job.facts['gpuCount']} ",
                              seen[number]["admin_comment"])
                self.assertNotIn("environment=", seen[number]["admin_comment"])
        self.assertEqual(len(numbers), 40)
        distinct = {decision["priority"] for decision in decisions}
        self.assertGreater(len(distinct), 30, "a queue of equals would show no order")
        # What the refresher reads in squeue is what the module read at submission.
        self.assertTrue(self.refresh().startswith("0 to change"), self.refresh())

        started = len(self.slurm.log())
        self.partitions("UP")
        ends = [number for number, job in zip(numbers, jobs) if not job.held]

        def done():
            return not self.slurm.run("squeue", "-h", "-t", "PD,R,CG",
                                      "-j", ",".join(map(str, ends)))
        self.slurm.wait(done, "the queue to run", seconds=150)
        order = []
        for found in re.findall(r"sched: Allocate JobId=(\d+)", self.slurm.log()[started:]):
            if int(found) not in order:
                order.append(int(found))
        for queue in ("main", "low", "high"):
            wanted = sorted((-decision["priority"], number)
                            for number, job, decision in zip(numbers, jobs, decisions)
                            if job.facts["queue"] == queue and not job.held)
            mine = {number for _, number in wanted}
            self.assertGreater(len(mine), 1)
            self.assertEqual([number for number in order if number in mine],
                             [number for _, number in wanted], queue)
        for number, job in zip(numbers, jobs):
            self.assertEqual(seen[number]["job_state"], "PENDING")
            if job.held:
                self.assertEqual(self.slurm.job(number)["job_state"], "PENDING")


class Policies(case.SlurmTest):
    def test_a_swap_changes_the_next_submission_without_a_restart(self):
        before = self.submit("--account=vision")
        self.assertEqual(self.priority(before), 500)
        self.write_policy(fleet.policy(base=700))
        self.wait_priority(700)
        self.assertEqual(self.priority(before), 500)  # until the refresher comes by
        self.refresh("--apply")
        self.assertEqual(self.priority(before), 700)

    def test_a_broken_or_missing_file_keeps_the_old_policy(self):
        self.write_policy(fleet.policy(base=640))
        self.wait_priority(640)
        for spoil in (lambda: self.write_policy("stages { rules {"), self.policy_path.unlink):
            begin = len(self.slurm.log())
            spoil()
            self.slurm.wait(lambda: self.submit() and str(self.policy_path) in self.slurm.log()[begin:],
                            "a line in the log", seconds=15)
            self.assertEqual(self.priority(self.submit("--account=vision")), 640)
        completed = self.slurm.attempt(case.REFRESH, f"--policy={self.policy_path}", "--apply")
        self.assertEqual(completed.returncode, 2)
        self.write_policy(fleet.policy(base=660))
        self.wait_priority(660)

    def test_a_denied_job_is_refused_with_the_policys_text(self):
        for user in ("root", USER):
            refused = self.slurm.attempt("sbatch", "--account=banned", user=user,
                                         stdin="#!/bin/sh\ntrue\n")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("banned is out of budget: ask the desk", refused.stderr)
        self.assertFalse([job for job in self.slurm.jobs().values() if job["account"] == "banned"])

    def test_errors_fail_open_with_the_fallback_and_a_line(self):
        self.addCleanup(lambda: self.slurm.write_script(self.script()))
        gone = self.slurm.folder / "gone.txtpb"
        cases = [(self.script(policy=gone), "gone.txtpb"),
                 (self.script(folder="/nonexistent"), "the module is not loaded"),
                 (self.script().replace("local function submit(", "local function submit(d)\n  "
                                        "return d.nothing.more\nend\nlocal function unused("),
                  "attempt to index")]
        for text, line in cases:
            with self.subTest(line):
                begin = len(self.slurm.log())
                self.slurm.write_script(text)
                waiting = self.submit("--account=search", user=USER)  # the policy would say more
                self.assertEqual(self.priority(waiting), FALLBACK)
                self.assertEqual(self.priority(self.submit("--hold", "--account=search")), 0)
                self.assertIn(line, self.slurm.log()[begin:])
                # Changes by users fail closed where nothing can be derived.
                if "module" in line:
                    self.assertNotEqual(
                        self.slurm.update(waiting, "jobname=other", user=USER).returncode, 0)
        self.slurm.write_script(self.script())
        self.assertEqual(self.priority(self.submit("--account=search")), 620)


class Lineage(case.SlurmTest):
    def test_a_job_that_failed_twice_and_is_resubmitted_sits_lower_by_20(self):
        def once(script, wanted, *more):
            # Lua is told of a job once its state has changed in another second.
            script = f"sleep 1.2; {script}"
            number = self.slurm.sbatch("--account=vision", "--job-name=flaky", *more, script=script,
                                       user=USER)
            priority = self.priority(number)
            self.slurm.wait_state(number, wanted)
            return priority

        first = once("exit 1", "FAILED")
        self.assertEqual(once("exit 1", "FAILED"), first - 10)
        waiting = self.submit("--account=vision", "--job-name=flaky", user=USER)
        self.assertEqual(self.priority(waiting), first - 20)
        self.assertIn("failures=2", self.slurm.job(waiting)["admin_comment"])
        # Nobody else pays for it, and it is not forgotten by giving up.
        self.assertEqual(self.priority(self.submit("--account=vision", "--job-name=other", user=USER)),
                         first)
        self.assertEqual(self.priority(self.submit("--account=nlp", "--job-name=flaky", user=USER)),
                         first)
        self.assertEqual(self.priority(self.submit("--account=vision", "--job-name=flaky")), first - 3)
        self.slurm.run("scancel", str(waiting), user=USER)
        self.assertEqual(once("true", "COMPLETED"), first - 20)
        self.assertEqual(once("true", "COMPLETED"), first)  # it has done its work

    def test_aging_raises_a_waiting_job_through_the_refresher(self):
        self.write_policy(fleet.policy(per=1))
        waiting = self.submit("--account=vision")
        held = self.submit("--account=vision", "--hold")
        array = self.submit("--account=vision", "--array=1-5")
        before = self.priority(waiting)
        submitted = self.slurm.job(waiting)["submit_time"]
        time.sleep(2)
        said = self.refresh()
        self.assertRegex(said, rf"job {waiting}: {before} to \d+")
        self.assertRegex(said, r"next due in [01] s")
        self.assertEqual(self.priority(waiting), before)  # it only said so
        self.refresh("--apply")
        after = self.priority(waiting)
        self.assertGreaterEqual(after, before + 2)
        self.assertLessEqual(after, 500 + time.time() - submitted)
        self.assertGreater(self.priority(array), before)
        self.assertEqual(self.priority(held), 0)

    def test_of_an_array_only_what_waits_is_raised(self):
        self.write_policy(fleet.policy(base=700))
        self.wait_priority(700)
        array = self.slurm.sbatch("--account=vision", "--array=1,2,5-9%1", script="sleep 100")
        self.slurm.wait(lambda: self.slurm.run("squeue", "-h", "-t", "R", "-j", str(array)), "a task")
        self.write_policy(fleet.policy(base=720))
        self.assertIn(f"job {array}_[2,5-9]: 700 to 720", self.refresh("--apply"))
        seen = [(job["job_state"], job["priority"], job["array_task_string"])
                for job in self.slurm.jobs().values() if job["array_job_id"] == array]
        self.assertEqual(sorted(seen), [("PENDING", 720, "2,5-9%1"), ("RUNNING", 700, "")])

    def test_the_higher_tier_evicts_the_job_that_consents(self):
        low = self.slurm.sbatch("--account=vision", "--comment=preemptible=true", "--gpus-per-node=8",
                                "--nodes=2", script="sleep 100", user=USER)
        self.slurm.wait_state(low, "RUNNING")
        self.assertEqual(self.slurm.job(low)["partition"], "low")
        before = self.priority(low)
        urgent = self.slurm.sbatch("--account=search", "--partition=high", "--gpus=4",
                                   script="sleep 100")
        self.slurm.wait_state(urgent, "RUNNING")
        self.slurm.wait(lambda: self.slurm.job(low)["job_state"] == "PENDING", "the evicted job")
        self.assertEqual(self.slurm.job(low)["restart_cnt"], 1)
        self.assertEqual(self.priority(low), before)
        self.refresh("--apply")
        self.assertEqual(self.priority(low), before + 25)
        # One that does not consent stays, whatever tier wants its GPUs.
        self.slurm.run("scancel", str(urgent), str(low))
        main = self.slurm.sbatch("--account=vision", "--gpus-per-node=8", "--nodes=2",
                                 script="sleep 100", user=USER)
        self.slurm.wait_state(main, "RUNNING")
        urgent = self.slurm.sbatch("--account=search", "--partition=high", "--gpus=4", script="true")
        time.sleep(2)
        self.assertEqual(self.slurm.job(urgent)["job_state"], "PENDING")
        self.assertEqual(self.slurm.job(main)["job_state"], "RUNNING")


class Users(case.SlurmTest):
    """What somebody without privileges may do to a waiting job of theirs."""

    def test_nobody_raises_or_smuggles_a_priority(self):
        waiting = self.submit("--account=vision", "--comment=preemptible=true", "--partition=main",
                              "--job-name=train", "--priority=9999", "--gpus=4", "--time=60", user=USER)
        before = self.slurm.job(waiting)
        (wanted,) = self.derive([{"kind": "SlurmJob", "team": "vision", "user": USER, "queue": "main",
                                  "gpuCount": 4, "podCount": 1, "maxRuntimeSeconds": 3600,
                                  "preemptible": True, "claimed": ["PREEMPTIBLE"]}])
        self.assertEqual(before["priority"], wanted["priority"])
        for change in (["priority=9999"], ["priority=1"], ["priority=4294967293"], ["account=search"],
                       ["account=banned"], ["partition=low"], ["partition=high"],
                       ["jobname=train;environment=production"], ["comment=environment=production"],
                       ["comment=preemptible=false"], ["requeue=0"], ["timelimit=20"],
                       ["numnodes=2"], ["gres=gpu:1"], ["numtasks=8"],
                       ["admincomment=precedent: 9999 gpus=0"],
                       ["jobname=innocent", "account=search"],
                       ["jobname=innocent", "priority=9999"]):
            with self.subTest(change):
                refused = self.slurm.update(waiting, *change, user=USER)
                after = self.slurm.job(waiting)
                # Slurm takes some of these, and hears them as nothing.
                for field in ("priority", "account", "partition", "comment", "admin_comment", "requeue",
                              "time_limit", "tres_per_job", "tres_per_node", "node_count", "tasks"):
                    self.assertEqual(after[field], before[field], (field, refused.stderr))
                self.assertNotIn("environment", after["name"])
                self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(self.slurm.update(waiting, "jobname=other", user=USER).returncode, 0)
        self.assertEqual(self.slurm.job(waiting)["name"], "other")
        self.assertEqual(self.priority(waiting), before["priority"])
        other = self.submit("--account=vision")
        self.assertNotEqual(self.slurm.update(other, "jobname=mine", user=USER).returncode, 0)

    def test_hold_and_release_gain_nothing(self):
        waiting = self.submit("--account=vision", user=USER)
        before = self.priority(waiting)
        self.slurm.update(waiting, "nice=-1000", user=USER)
        self.assertEqual(self.priority(waiting), before)
        self.slurm.run("scontrol", "hold", str(waiting), user=USER)
        self.assertEqual(self.priority(waiting), 0)
        self.refresh("--apply")
        self.assertEqual(self.priority(waiting), 0)
        self.slurm.run("scontrol", "release", str(waiting), user=USER)
        self.assertLessEqual(self.priority(waiting), before)
        self.refresh("--apply")
        self.assertEqual(self.priority(waiting), before)

    def test_root_may_and_the_refresher_puts_it_right(self):
        waiting = self.submit("--account=vision", user=USER)
        before = self.priority(waiting)
        self.assertEqual(self.slurm.update(waiting, "priority=9000").returncode, 0)
        self.assertEqual(self.priority(waiting), 9000)
        self.assertIn(f"job {waiting}: 9000 to {before}", self.refresh("--apply"))
        self.assertEqual(self.priority(waiting), before)
        self.assertEqual(self.slurm.update(waiting, "comment=environment=production").returncode, 0)
        self.refresh("--apply")
        self.assertEqual(self.priority(waiting), before + 300)


if __name__ == "__main__":
    missing = cluster.why_not()
    if missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    unittest.main()
