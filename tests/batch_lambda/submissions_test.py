"""Every valid submission becomes exactly one job, every other one a dead letter."""
import collections
import json
import os
import random
import time
import unittest

import state_changes
import support
import workload

COUNT = int(os.environ.get("PRECEDENT_SUBMISSIONS", "1000"))


class SubmissionsTest(support.TestCase):
    visibility = 1.5

    def submit(self, count, seed):
        """Some come twice from the queue, and some were sent twice by who sent them."""
        draw = random.Random(seed + 1)
        self.expected = {}
        for identity, body, expected in workload.submissions(count, seed):
            self.expected[identity] = expected
            if isinstance(body, dict) and draw.random() < 0.3:
                envelope = {"submissionId": identity, "request": body}
                for copy in range(draw.choice([1, 2])):
                    self.send(envelope, identity=f"{identity}#{copy}")
            else:
                for _ in range(draw.choice([1, 1, 1, 2])):
                    self.send(body, identity=identity)

    def check(self):
        items = self.recorder.items("submission")
        by_id = collections.defaultdict(list)
        for job in self.recorder.batch.jobs:
            by_id[items[job["jobName"]]["submissionId"]["S"]].append(job)
        reasons = {key.split("#")[0]: value for key, value in self.reasons().items()}
        valid = {identity: want for identity, want in self.expected.items() if isinstance(want, tuple)}
        invalid = {identity: want for identity, want in self.expected.items() if identity not in valid}
        self.assertGreater(len(invalid), 0)
        # Nothing else became a job, and nothing else a dead letter.
        self.assertEqual({identity: len(jobs) for identity, jobs in by_id.items()},
                         {identity: 1 for identity in valid})
        self.assertEqual(set(reasons), set(invalid))
        for identity, (priority, share) in valid.items():
            job = by_id[identity][0]
            self.assertEqual((job["schedulingPriorityOverride"], job["shareIdentifier"]),
                             (priority, share), (identity, job))
            item = items[job["jobName"]]
            self.assertEqual((item["jobState"]["S"], item["jobId"]["S"]),
                             ("submitted", job["jobId"]))
        for identity, words in invalid.items():
            self.assertIn(words, reasons[identity])

    def test_all_of_them_by_two_functions(self):
        checked = self.recorder.models.checked
        self.submit(COUNT, seed=7)
        self.start(2)
        self.finish(seconds=60 + COUNT // 10)
        self.check()
        jobs = len(self.recorder.batch.jobs)
        self.assertEqual(self.metric("Submitted"), jobs)
        self.assertEqual(self.metric("DeadLetters"), len(self.recorder.dead()))
        self.assertGreater(self.metric("Duplicates"), 0)
        if self.recorder.models.session:
            self.assertGreaterEqual(self.recorder.models.checked - checked, 3 * jobs)

    def test_while_everything_goes_wrong(self):
        """All at once: duplicates, poison, no order, throttling, 5xx, resets, time-outs, and
        kill -9 before and after every step; then, through the same, what becomes of the jobs."""
        draw = random.Random(11)
        kinds = ["throttle", "error_before", "error_after", "reset_before", "reset_after",
                 "hang_before", "hang_after"]
        met, killed = collections.Counter(), collections.Counter()

        def fault(n, service, operation, body):
            step = (operation, body.get("UpdateExpression", "")[:16])
            for when in ("kill_before", "kill_after"):
                if killed[step, when] < 2:
                    killed[step, when] += 1
                    return when
            if draw.random() >= 0.05:
                return None
            kind = draw.choice(kinds)
            met[kind, operation] += 1
            return kind

        self.recorder.fault = fault
        self.recorder.kill = self.restart
        self.recorder.hang = 0.15
        self.variables["PRECEDENT_REQUEST_MILLISECONDS"] = "100"
        self.submit(COUNT, seed=8)
        self.start(3)
        self.finish(seconds=150 + COUNT // 4)
        self.check()
        self.assertGreater(self.metric("Recovered"), 0)
        self.assertGreaterEqual(len({kind for kind, operation in met if operation == "SubmitJob"}),
                                5 if COUNT >= 1000 else 1)
        steps = {(operation, update) for (operation, update), _ in killed}
        for step in (("SubmitJob", ""), ("UpdateItem", "SET jobState = :"),
                     ("UpdateItem", "SET claimToken ="), ("GetItem", ""), ("ListJobs", ""),
                     ("SendMessage", ""), ("DescribeJobDefinitions", "")):
            self.assertIn(step, steps)
        self.check_lineage(draw)
        self.assertIn(("TransactWriteItems", ""), {step for step, _ in killed})

    def check_lineage(self, draw):
        """Every job is lost, fails by itself or both; the counts are those of the log."""
        log, events = collections.Counter(), []
        at = int(time.time() * 1000)
        for job in self.recorder.batch.jobs:
            ends = [draw.choice(["own", "host"]) for _ in range(draw.choice([0, 1, 2]))] + ["own"]
            chain = self.recorder.items("submission")[job["jobName"]]["chainId"]["S"]
            for end in ends:
                log[chain, state_changes.ENDS[end][2]] += 1
            seen = [state_changes.event(job, "RUNNING", ends[:made], at)
                    for made in range(len(ends))]
            seen.append(state_changes.event(job, "FAILED", ends, at))
            events += [each for each in seen for _ in range(draw.choice([1, 1, 2]))]
        draw.shuffle(events)
        for each in events:
            self.send(each, queue="events", identity=each["id"])
        self.finish(seconds=150 + COUNT // 4)
        counted = {(chain, name): int(item[name]["N"])
                   for chain, item in self.recorder.items("chain").items()
                   for name in ("failureCount", "preemptionCount", "lossCount")
                   if int(item.get(name, {"N": "0"})["N"])}
        self.assertEqual(counted, dict(log))


if __name__ == "__main__":
    unittest.main()
