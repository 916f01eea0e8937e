"""What comes back from Batch: lineage, the way back to the queue, service jobs."""
import collections
import json
import random
import time
import unittest
import uuid

import support
from state_changes import ENDS, event


class EventsTest(support.TestCase):
    visibility = 1.0

    def setUp(self):
        super().setUp()
        self.variables["PRECEDENT_BACKOFF"] = "initial=0.6,factor=1.5,max=1,attempts=3"

    def submit(self, count, prefix="chain", **more):
        for number in range(count):
            body = {"jobName": f"{prefix}-{number}", "jobQueue": "gpu", "jobDefinition": "train:1",
                    "tags": {"team": "vision", "failure-count": "2"}, **more}
            self.send({"submissionId": f"{prefix}-{number}", "request": body})
        self.finish()

    def tags(self, job):
        return {key.removeprefix("precedent.dev/"): value for key, value in job["tags"].items()}

    def play(self, seed, chains, faults=None):
        """Batch's side, in rounds: every new job runs through attempts, and its events come
        up to three times, in any order. Returns the recount, by chain."""
        draw = random.Random(seed)
        counted = collections.defaultdict(collections.Counter)
        played = set()
        self.submit(chains)
        self.recorder.fault = faults or (lambda *_: None)
        while True:
            items = self.recorder.items("submission")
            fresh = [job for job in self.recorder.batch.jobs if job["jobId"] not in played]
            if not fresh:
                return counted
            events = []
            for job in fresh:
                played.add(job["jobId"])
                chain = items[job["jobName"]]["chainId"]["S"]
                ends = [draw.choice(list(ENDS)[:3]) for _ in range(draw.choice([0, 0, 1, 2]))]
                ends.append(draw.choice(["done", "own", "host", "preempted", "preempted"]))
                at = int(time.time() * 1000)
                for made in range(len(ends)):
                    events.append(event(job, "RUNNING", ends[:made], at))
                events.append(event(job, "SUCCEEDED" if ends[-1] == "done" else "FAILED", ends, at))
                for end in ends:
                    if ENDS[end][2]:
                        counted[chain][ENDS[end][2]] += 1
                if ends[-1] in ("host", "preempted"):
                    counted[chain]["returns"] += 1
            sent = [each for each in events for _ in range(draw.choice([1, 1, 2, 3]))]
            draw.shuffle(sent)
            for each in sent:
                self.send(each, queue="events", identity=each["id"])
            self.finish()

    def check(self, counted):
        chains = self.recorder.items("chain")
        for chain, want in counted.items():
            for name in ("failureCount", "preemptionCount", "lossCount"):
                have = int(chains.get(chain, {}).get(name, {"N": "0"})["N"])
                self.assertEqual(have, want[name], (chain, name))
        items = self.recorder.items("submission")
        jobs = collections.Counter(items[job["jobName"]]["chainId"]["S"]
                                   for job in self.recorder.batch.jobs)
        given_up = collections.Counter(
            json.loads(message.body)["chain"] for message in self.recorder.dead())
        returns = 0
        for chain, want in counted.items():
            # One job, and one more each time it was taken away, until it is given up.
            self.assertEqual(jobs[chain], 1 + want["returns"] - bool(given_up[chain]), chain)
            self.assertEqual(want["returns"] == 3, bool(given_up[chain]), chain)
            returns += want["returns"]
        self.assertGreater(returns, 10)
        for message in self.recorder.dead():
            self.assertIn("given up", message.attributes["reason"])

    def test_lineage_equals_a_recount(self):
        self.start(2)
        counted = self.play(seed=3, chains=30)
        self.check(counted)
        self.assertEqual(self.metric("LineageChanges") > 0, True)
        # What a chain went through is in the tags of its next job, on top of what its own
        # metadata said, and so in its priority.
        later = [job for job in self.recorder.batch.jobs
                 if int(self.tags(job).get("attempt", "1")) > 1]
        self.assertGreater(len(later), 5)
        for job in later:
            tags = self.tags(job)
            failures, preemptions, losses = (int(tags[name]) for name in (
                "failure-count", "preemption-count", "infrastructure-failure-count"))
            self.assertGreaterEqual(failures, 2)
            self.assertEqual(job["schedulingPriorityOverride"],
                             500 - 10 * failures + 3 * preemptions + losses)
            self.assertTrue(tags["parent-job-id"])

    def test_lineage_while_everything_goes_wrong(self):
        draw = random.Random(5)
        kinds = ["throttle", "error_before", "error_after", "reset_before", "reset_after"]
        self.start()
        counted = self.play(seed=4, chains=15, faults=lambda n, service, operation, body: (
            draw.choice(kinds) if draw.random() < 0.1 else None))
        self.check(counted)

    def test_a_transaction_that_met_another_is_tried_again_at_once(self):
        self.start()
        self.submit(1)
        met = []
        self.recorder.fault = lambda n, service, operation, body: (
            "conflict" if operation == "TransactWriteItems" and len(met) < 2 and
            not met.append(1) else None)
        self.send(event(self.recorder.batch.jobs[0], "FAILED", ["own"], int(time.time() * 1000)),
                  queue="events")
        self.finish()
        self.assertEqual(len(met), 2)
        self.assertEqual(self.recorder.items("chain")["chain-0"]["failureCount"]["N"], "1")
        self.assertEqual(self.metric("Retries"), 0)

    def test_kill_9_at_every_step(self):
        killed = set()

        def fault(n, service, operation, body):
            """Before and after each, once: what is read, and what is written how."""
            step = (body.get("UpdateExpression") or
                    body.get("Key", {}).get("itemKey", {}).get("S", "").split("/")[0] or
                    str([write["Update"]["UpdateExpression"]
                         for write in body.get("TransactItems", [])]))
            for when in ("kill_before", "kill_after"):
                if (operation, step, when) not in killed:
                    killed.add((operation, step, when))
                    return when
            return None

        self.recorder.kill = self.restart
        self.start()
        self.check(self.play(seed=6, chains=20, faults=fault))
        for operation in ("TransactWriteItems", "UpdateItem", "GetItem", "SendMessage"):
            self.assertTrue(any(each[0] == operation for each in killed), killed)

    def test_a_burst_comes_back_in_the_order_of_importance(self):
        self.variables["PRECEDENT_BACKOFF"] = "initial=2000,factor=2,max=9000,jitter=0.9"
        draw = random.Random(8)
        for number in range(60):
            self.send({"submissionId": f"burst-{number}", "request": {
                "jobName": f"burst-{number}", "jobQueue": "gpu", "jobDefinition": "train:1",
                "tags": {"team": "nlp", "failure-count": str(draw.randrange(8))}}})
        self.start(3)
        self.finish()
        at = (int(time.time()) // 60) * 60_000 + 1_000
        for job in self.recorder.batch.jobs:
            self.send(event(job, "FAILED", ["preempted"], at), queue="events")
        self.recorder.feeds = ["events"]  # what comes back stays where it is
        self.finish()
        back = self.recorder.queues.all["submissions"].messages.values()
        # An event that was handled for too long came again, and its message was sent again.
        self.assertEqual(len({json.loads(message.body)["chain"] for message in back}), 60)
        priorities = {items["chainId"]["S"]: int(items["lastPriority"]["N"])
                      for items in self.recorder.items("submission").values()}
        order = []
        for message in back:
            body = json.loads(message.body)
            self.assertGreater(message.visible_at, time.time() + 60)
            self.assertLessEqual(message.visible_at, body["notBefore"] / 1000 + 20)
            order.append((body["notBefore"], priorities[body["chain"]]))
        for delay, priority in order:
            for other_delay, other_priority in order:
                self.assertFalse(priority > other_priority and delay > other_delay, order)
        self.assertGreater(len({delay for delay, _ in order}), 2)

    def test_what_is_early_is_hidden_until_its_time(self):
        self.start()
        message = self.send({"submissionId": "later", "chain": "later", "attempt": 2,
                             "notBefore": int((time.time() + 4000) * 1000),
                             "request": {"jobName": "n", "jobQueue": "gpu",
                                         "jobDefinition": "train:1", "tags": {"team": "nlp"}}})
        until = time.time() + 60
        while message.visible_at < time.time() + 3900 and time.time() < until:
            time.sleep(0.02)
        self.assertAlmostEqual(message.visible_at, time.time() + 4000, delta=90)
        self.assertEqual(self.recorder.batch.jobs, [])
        self.assertEqual(self.recorder.problems, [])

    def test_beyond_twelve_hours_it_is_a_schedule(self):
        self.variables.update({
            "PRECEDENT_BACKOFF": "initial=100000,max=100000,jitter=0",
            "PRECEDENT_SCHEDULE_ROLE_ARN": "arn:aws:iam::123456789012:role/precedent",
            "PRECEDENT_QUEUE_ARN": "arn:aws:sqs:us-east-1:123456789012:submissions"})
        self.start()
        self.submit(1)
        job = self.recorder.batch.jobs[0]
        at = int(time.time() * 1000)
        for _ in range(2):
            self.send(event(job, "FAILED", ["host"], at), queue="events")
        self.finish()
        (schedule,) = self.recorder.schedules.values()
        when = time.strptime(schedule["ScheduleExpression"], "at(%Y-%m-%dT%H:%M:%S)")
        self.assertAlmostEqual(time.mktime(when) - time.timezone, at / 1000 + 100_000, delta=2)
        self.assertEqual(json.loads(schedule["Target"]["Input"])["submissionId"], "chain-0/2")

    def test_an_array_is_counted_and_not_requeued_and_strangers_are_passed_over(self):
        self.start()
        self.submit(1, arrayProperties={"size": 3})
        job = self.recorder.batch.jobs[0]
        at = int(time.time() * 1000)
        for child in range(3):
            self.send(event(job, "FAILED", ["own", "host"], at, f"{job['jobId']}:{child}",
                            arrayProperties={"index": child}), queue="events")
        stranger = dict(job, jobName="somebody-else", jobId=str(uuid.uuid4()))
        self.send(event(stranger, "FAILED", ["host"], at), queue="events")
        self.send(dict(event(job, "FAILED", [], at), **{"detail-type": "ECS Task State Change"}),
                  queue="events")
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 1)
        chain = self.recorder.items("chain")["chain-0"]
        self.assertEqual((chain["failureCount"]["N"], chain["lossCount"]["N"]), ("3", "3"))
        self.assertEqual(self.metric("ForeignEvents"), 1)

    def test_an_event_finishes_a_submission_whose_function_died(self):
        self.recorder.fault = lambda n, s, operation, body: (
            "kill_after" if operation == "SubmitJob" else None)
        self.recorder.kill = self.end
        self.send({"submissionId": "one", "request": {
            "jobName": "n", "jobQueue": "gpu", "jobDefinition": "train:1", "tags": {"team": "nlp"}}})
        self.start()
        while not self.recorder.batch.jobs:
            time.sleep(0.02)
        self.end()
        self.recorder.fault = lambda *_: None
        self.recorder.invocations.clear()
        self.recorder.queues.all["submissions"].messages.clear()
        self.send(event(self.recorder.batch.jobs[0], "RUNNING", [], int(time.time() * 1000)),
                  queue="events")
        self.start()
        self.finish()
        (item,) = self.recorder.items("submission").values()
        self.assertEqual((item["jobState"]["S"], item["jobId"]["S"]),
                         ("submitted", self.recorder.batch.jobs[0]["jobId"]))


class ServiceJobsTest(support.TestCase):
    """SageMaker training as service jobs."""

    visibility = 0.5
    began = int(time.time() * 1000)

    def submit_service(self, queue, **more):
        self.send({"submissionId": "sm", "request": {
            "jobName": "sm", "jobQueue": queue, "serviceJobType": "SAGEMAKER_TRAINING",
            "serviceRequestPayload": json.dumps({"ResourceConfig": {
                "InstanceType": "ml.g5.12xlarge", "InstanceCount": 2}}),
            "tags": {"team": "nlp", "environment": "production"}, **more}})
        self.finish()
        return self.recorder.batch.jobs[0]

    def test_share_and_quota_share_and_token(self):
        for queue, share in (("gpu", "shareIdentifier"), ("quota", "quotaShareName")):
            self.send({"submissionId": "sm-" + queue, "request": {
                "jobName": "sm", "jobQueue": queue, "serviceJobType": "SAGEMAKER_TRAINING",
                "serviceRequestPayload": "{}", "tags": {"team": "nlp"}, "schedulingPriority": 7}})
        lost = []
        self.recorder.fault = lambda n, s, operation, body: (
            "reset_after" if operation == "SubmitServiceJob" and len(lost) < 4 and
            not lost.append(1) else None)
        self.start()
        self.finish()
        jobs = {job["jobQueue"]: job for job in self.recorder.batch.jobs}
        self.assertEqual(len(self.recorder.batch.jobs), 2)  # the token made the rest one
        for queue, share in (("gpu", "shareIdentifier"), ("quota", "quotaShareName")):
            self.assertEqual((jobs[queue][share], jobs[queue]["schedulingPriority"]), ("nlp", 500))
            self.assertRegex(jobs[queue]["clientToken"], r"\A[0-9a-f]{32}\Z")

    def test_priority_follows_the_lineage_beyond_stability(self):
        self.policy.write_text(support.POLICY + "stability { min_change: 5 }")
        self.start()
        job = self.submit_service("gpu")
        self.assertEqual(job["schedulingPriority"], 950)
        at = int(time.time() * 1000)
        for preemptions, priority in ((1, 950), (2, 956), (3, 956), (4, 962)):
            job["preemptionSummary"] = {"preemptedAttemptCount": preemptions}
            self.send(event(job, "RUNNABLE", [], at, preemptionSummary=job["preemptionSummary"]),
                      queue="events")
            self.finish()
            self.assertEqual(job["schedulingPriority"], priority, preemptions)
        self.assertEqual(len(self.recorder.batch.updates), 2)
        self.assertEqual(self.recorder.items("chain")["sm"]["preemptionCount"]["N"], "4")

    def test_preempted_inside_batch_it_stays_there_and_given_up_it_comes_back(self):
        self.start()
        job = self.submit_service("gpu")
        at = int(time.time() * 1000)
        job["preemptionSummary"] = {"preemptedAttemptCount": 1}
        self.send(event(job, "RUNNABLE", ["preempted"], at, stoppedAt=0,
                        preemptionSummary=job["preemptionSummary"]), queue="events")
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 1)
        self.assertEqual(job["schedulingPriority"], 953)
        self.assertEqual(self.recorder.items("chain")["sm"]["preemptionCount"]["N"], "1")
        # Its retries are used up.
        job["preemptionSummary"] = {"preemptedAttemptCount": 2}
        job["status"] = "FAILED"
        self.send(event(job, "FAILED", ["preempted", "preempted"], at,
                        preemptionSummary=job["preemptionSummary"]), queue="events")
        self.finish()
        again = self.recorder.batch.jobs[1:]
        self.assertEqual([(each["schedulingPriority"], each["jobQueue"]) for each in again],
                         [(956, "gpu")])
        self.assertEqual(self.recorder.items("chain")["sm"]["preemptionCount"]["N"], "2")

    def report(self, job, ago, **more):
        detail = {"jobName": job["jobName"], "time": self.began - 1000 * ago, **more}
        self.send({"version": "0", "id": str(uuid.uuid4()), "source": "agent",
                   "detail-type": "Precedent Job Report", "detail": detail}, queue="events")

    def test_an_agents_reports_move_its_job(self):
        self.policy.write_text(support.POLICY.replace('stages { name: "size"', """
    stages { name: "agent" rules { id: "reported"
      add_scaled { of: REPORTED_PRIORITY points: 1 min: -50 max: 50 } }
      rules { id: "nearly-done" when { lineage { progress { at_least: 0.9 } } } add: 7 } }
    stages { name: "size\"""") + "stability { min_change: 5 }")
        self.start()
        job = self.submit_service("gpu")
        # The newest counts, in whatever order they come, and however often.
        for ago, said, priority in ((50, {"reportedPriority": 20, "step": 1}, 970),
                                    (60, {"reportedPriority": 45}, 970),
                                    (40, {"reportedPriority": 23}, 970),  # within min_change
                                    (30, {"reportedPriority": 1000, "progress": 0.95}, 1007),
                                    (30, {"reportedPriority": -1000}, 1007),
                                    (10, {"step": 9}, 950)):
            self.report(job, ago, **said)
            self.finish()
            self.assertEqual(job["schedulingPriority"], priority, said)
        self.assertEqual(len(self.recorder.batch.updates), 3)
        # What nobody submitted here, and what is no report.
        self.report({"jobName": "somebody-else"}, 0, reportedPriority=50)
        for wrong, words in (({"progress": 2}, "progress"), ({"step": -1}, "step"),
                             ({"step": "x"}, "step"), ({"time": None}, "time"),
                             ({"time": int(time.time() * 1000) + 10**7}, "10 minutes"),
                             ({"reportedPriority": "high"}, "reportedPriority"),
                             ({"jobName": 7}, "jobName")):
            self.report(job, 0, **wrong)
            self.finish()
            self.assertIn(words, self.recorder.dead()[-1].attributes["reason"])
        self.assertEqual(job["schedulingPriority"], 950)
        self.assertEqual(self.metric("ForeignEvents"), 1)
        self.assertEqual(len(self.recorder.dead()), 7)

    def test_a_report_on_a_container_job_is_kept_and_changes_nothing(self):
        self.start()
        self.send({"submissionId": "one", "request": {
            "jobName": "n", "jobQueue": "gpu", "jobDefinition": "train:1", "tags": {"team": "nlp"}}})
        self.finish()
        self.report(self.recorder.batch.jobs[0], 0, reportedPriority=50)
        self.finish()
        (item,) = self.recorder.items("submission").values()
        self.assertEqual(item["reportPriority"]["S"], "50")
        self.assertFalse([each for each in self.recorder.requests if "ServiceJob" in each[1]])

    def test_stability_limits_how_often(self):
        for stability, updates in (("min_interval_seconds: 3600", 1),
                                   ("max_changes_per_hour: 2", 2), ("", 4)):
            self.policy.write_text(support.POLICY + "stability { " + stability + " }")
            self.start()
            self.recorder.batch.jobs.clear()
            self.recorder.batch.updates.clear()
            self.recorder.batch.tokens.clear()
            self.recorder.table.items.clear()
            job = self.submit_service("gpu")
            for preemptions in range(1, 5):
                job["preemptionSummary"] = {"preemptedAttemptCount": preemptions}
                self.send(event(job, "RUNNABLE", [], int(time.time() * 1000),
                                preemptionSummary=job["preemptionSummary"]), queue="events")
                self.finish()
            self.assertEqual(len(self.recorder.batch.updates), updates, stability)
            self.assertEqual(job["schedulingPriority"], 950 + 3 * updates)
            self.end()

    def test_the_tick_ages_and_reports(self):
        self.policy.write_text(support.POLICY.replace('stages { name: "size"', """
    stages { name: "aging" rules { id: "waiting" order_only: true
      add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 40 } } }
    stages { name: "size\""""))
        self.variables["PRECEDENT_SNAPSHOT_QUEUES"] = "gpu"
        now = int(time.time() * 1000)
        self.recorder.batch.snapshots["gpu"] = {
            "frontOfQueue": {"lastUpdatedAt": now, "jobs": [
                {"jobArn": "a", "earliestTimeAtPosition": now - 90_000},
                {"jobArn": "b", "earliestTimeAtPosition": now - 30_000}]},
            "queueUtilization": {"fairshareUtilization": {"activeShareCount": 1, "topCapacityUtilization": [
                {"shareIdentifier": "nlp", "capacityUsage": [{"capacityUnit": "g5", "quantity": 3}]}]}}}
        self.start()
        job = self.submit_service("gpu")
        before = job["schedulingPriority"]
        job["createdAt"] = now - 600_000
        self.recorder.direct.append({"source": "aws.events", "detail-type": "Scheduled Event",
                                     "detail": {}})
        self.finish()
        self.assertIn(job["schedulingPriority"] - before, (10, 11))
        self.assertEqual(self.metric("QueueDepth"), 2)
        self.assertAlmostEqual(self.metric("LongestAtFrontSeconds"), 90, delta=30)
        self.assertEqual(self.metric("CapacityUsed"), 3)


if __name__ == "__main__":
    unittest.main()
