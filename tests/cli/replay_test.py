"""precedent replay: the examples in examples/lineage, and what may be wrong with events."""
import json

import program

LINEAGE = program.SOURCE / "examples" / "lineage"
POLICY = f"--policy={LINEAGE / 'policy.txtpb'}"


def told(result):
    """The changes as `job old>new REASON cause`, and the facts by job."""
    changes, facts = [], {}
    for record in result.objects():
        if "facts" in record:
            facts[record["facts"]["job"]] = record["facts"]
            continue
        change = record["change"]
        changes.append(" ".join(filter(None, [
            change["job"], f"{change.get('oldPriority', '')}>{change['newPriority']}",
            change["reason"], change["cause"]])))
    return changes, facts


class ReplayTest(program.TestCase):
    def replay(self, events, *arguments, code=0, policy=POLICY):
        result = program.run("replay", policy, f"--events={events}", *arguments)
        self.assertRan(result, code)
        return result

    def example(self, name, *arguments):
        result = self.replay(LINEAGE / name, *arguments)
        self.assertEqual(result.err, "")
        return told(result)

    def test_the_policy_has_no_warnings(self):
        self.assertRan(program.run("check", "--strict", LINEAGE / "policy.txtpb"), 0)

    def test_a_job_that_fails_again_sinks_and_never_climbs_back(self):
        changes, facts = self.example("1-fails-again.ndjson")
        self.assertEqual(changes, ["train-a >500 SUBMITTED", "train-b >490 SUBMITTED",
                                   "train-c >480 SUBMITTED", "train-d >470 SUBMITTED"])
        self.assertEqual(facts["train-d"]["lineage"]["failureCount"], "3")

    def test_a_preempted_job_does_not_sink(self):
        changes, facts = self.example("2-preempted.ndjson")
        self.assertEqual(changes, ["sweep >500 SUBMITTED"])
        lineage = facts["sweep"]["lineage"]
        self.assertEqual((lineage["failureCount"], lineage["preemptionCount"],
                          lineage["infrastructureFailureCount"], lineage["attempt"]),
                         ("0", "1", "1", "3"))

    def test_later_steps_of_fifty_model_calls_rise(self):
        changes, facts = self.example("3-model-calls.ndjson")
        self.assertEqual(changes[0], "agent >500 SUBMITTED")
        self.assertEqual(changes[1:],
                         [f"call-{i:02d} >{500 + 2 * i} SUBMITTED" for i in range(1, 51)])
        self.assertEqual(facts["call-50"]["state"], "SUCCEEDED")
        self.assertNotIn("priority", facts["call-50"])
        self.assertEqual(facts["agent"]["priority"], 500)

    def test_what_an_agent_reports_is_bounded(self):
        changes, _ = self.example("4-reports.ndjson")
        self.assertEqual(changes, ["agent >500 SUBMITTED", "agent 500>520 PROGRESS",
                                   "agent 520>550 PROGRESS", "agent 550>495 PROGRESS"])

    def test_a_job_inherits_from_production_that_it_blocks(self):
        changes, facts = self.example("5-blocks-production.ndjson")
        self.assertEqual(changes, [
            "tokenise >500 SUBMITTED", "shuffle >500 SUBMITTED", "pretrain >1000 SUBMITTED",
            "shuffle 500>990 PROPAGATION pretrain", "tokenise 500>980 PROPAGATION pretrain",
            "shuffle 990>500 PROPAGATION pretrain", "tokenise 980>500 PROPAGATION pretrain"])
        self.assertEqual(facts["tokenise"]["priorityClass"], "experimental")

    def test_pods(self):
        changes, facts = self.example("6-pods.ndjson")
        self.assertEqual(changes, ["pod-a >500 SUBMITTED", "pod-b >490 SUBMITTED",
                                   "pod-c >490 SUBMITTED"])
        self.assertEqual(facts["pod-c"]["lineage"]["preemptionCount"], "1")
        self.assertEqual(facts["pod-c"]["name"], "vision/segment-c")

    def test_the_order_of_the_file_does_not_matter(self):
        for path in sorted(LINEAGE.glob("*.ndjson")):
            lines = path.read_text().splitlines()
            backwards = self.file("backwards.ndjson", "\n".join(reversed(lines)))
            self.assertEqual(self.replay(backwards).out.count("\n"), self.replay(path).out.count("\n"),
                             path.name)
            if "pods" not in path.name:
                self.assertEqual(self.replay(backwards).out, self.replay(path).out, path.name)

    def test_table(self):
        out = self.replay(LINEAGE / "5-blocks-production.ndjson", "--output=table").out
        self.assertEqual(out.splitlines()[:5], [
            "TIME                  JOB       FROM    TO  CLASS         WHY",
            "2026-03-02T09:00:00Z  tokenise     -   500  experimental  submitted",
            "2026-03-02T09:01:00Z  shuffle      -   500  experimental  submitted",
            "2026-03-02T09:02:00Z  pretrain     -  1000  production    submitted",
            "2026-03-02T09:02:00Z  shuffle    500   990  experimental  propagation: pretrain"])
        self.assertIn("\nJOB       STATE      PRIORITY  CLASS", out)

    def test_waiting_alone_changes_priorities_when_it_does(self):
        policy = self.file("aging.txtpb", "stages { rules { id: 'w' "
                           "add_scaled { of: WAIT_SECONDS points: 1 per: 60 max: 3 } } }")
        events = self.file("one.json", '{"submitted": {"job": {"id": "a", "submitted": '
                                       '"2026-03-02T09:00:00Z"}}}')
        result = self.replay(events, "--now=2026-03-02T12:00:00Z", policy=f"--policy={policy}")
        self.assertEqual([record["change"]["time"][11:19] for record in result.objects()[:-1]],
                         ["09:00:00", "09:01:00", "09:02:00", "09:03:00"])

    def test_every_form_of_a_file(self):
        lines = (LINEAGE / "4-reports.ndjson").read_text().splitlines()
        expected = self.replay(LINEAGE / "4-reports.ndjson").out
        events = [json.loads(line) for line in lines]
        forms = {
            "list.json": json.dumps(events, indent=1),
            "stream.json": "\n".join(json.dumps(event, indent=2) for event in events),
            "message.json": json.dumps({"events": events}),
            "documents.yaml": "\n---\n".join(json.dumps(event) for event in events),
            "message.txtpb": "events { submitted { owner: 'nlp' job { id: 'agent' submitted "
                             "{ seconds: 1772442000 } } } }" + "".join(
                                 f" events {{ job {{ job: 'agent' kind: PROGRESS time {{ seconds: "
                                 f"{1772442000 + 60 * i} }} progress: {progress} "
                                 f"reported_priority: {priority} }} }}"
                                 for i, (progress, priority) in enumerate(
                                     [(0.1, 20), (0.5, 1000000), (0.9, -5)], 1)),
        }
        for name, text in forms.items():
            result = self.replay(self.file(name, text))
            self.assertEqual(result.out, expected, name)
            self.assertEqual(result.err, "", name)

    def test_a_journal(self):
        stored = program.SOURCE / "tests" / "corpus" / "lineage" / "journal.bin"
        # It also tells of a job that nobody submitted.
        result = self.replay(stored, code=1)
        self.assertIn("job `later` was never submitted", result.err)
        changes, facts = told(result)
        self.assertEqual(changes, ["a >480 SUBMITTED", "b >470 SUBMITTED", "b 470>469 PROGRESS"])
        self.assertEqual(facts["b"]["lineage"]["failureCount"], "3")
        cut = self.file("cut.bin", stored.read_bytes()[:-3])
        result = self.replay(cut, code=1)
        self.assertIn("records of a journal: ", result.err)
        self.assertTrue(result.out)

    def test_batch_events(self):
        event = {"detail-type": "Batch Job State Change", "source": "aws.batch",
                 "time": "2026-03-02T09:30:00Z", "detail": {
                     "jobId": "b", "jobName": "embed", "jobQueue": "q", "status": "RUNNABLE",
                     "createdAt": 1772442000000, "attempts": [
                         {"startedAt": 1772442060000, "stoppedAt": 1772442120000,
                          "container": {"exitCode": 1}, "statusReason": "Essential container in task exited"},
                         {"startedAt": 1772442180000, "stoppedAt": 1772442240000, "container": {},
                          "statusReason": "Host EC2 (instance i-0) terminated."}]}}
        changes, facts = told(self.replay(self.file("batch.json", json.dumps(event))))
        self.assertEqual(changes, ["b >500 SUBMITTED", "b 500>490 LINEAGE"])
        self.assertEqual((facts["b"]["state"], facts["b"]["priority"]), ("RUNNING", 490))

    def test_what_is_wrong_with_one_does_not_lose_the_others(self):
        good = '{"submitted": {"owner": "o", "job": {"id": "good", "submitted": "2026-03-02T09:00:00Z"}}}'
        bad = [
            ('{"submitted": {"job": {"id": "x"}}}', "submitted.job.submitted: is missing"),
            ('{"job": {"job": "good", "kind": "STARTED"}}', "job.time: is missing"),
            ('{"job": {"job": "good", "kind": "EXPLODED", "time": "2026-03-02T09:00:00Z"}}', "EXPLODED"),
            ('{"job": {"job": "ghost", "kind": "STARTED", "time": "2026-03-02T09:00:00Z"}}',
             "job `ghost` was never submitted"),
            ('{"submitted": {"owner": "o", "job": {"id": "y", "submitted": "2026-03-02T09:00:00Z", '
             '"parents": [{"id": "nobody"}]}}}', "nobody"),
            ('{"submitted": {"job": {"id": "z", "gpuCount": -1, "submitted": "2026-03-02T09:00:00Z"}}}',
             "submitted.job.gpu_count"),
            ('{"foo": 1}', "is no Kubernetes object"),
            ('{"submitted": ', ":1:"),
            ('3', "expected an object, found a number"),
            ('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}', "metadata.uid: is missing"),
            ('{"jobName": "j", "jobQueue": "q", "jobDefinition": "d"}', "tells of no job"),
            ('{}', "is no Kubernetes object"),
        ]
        for text, message in bad:
            events = self.file("events.ndjson", text + "\n" + good + "\n")
            result = self.replay(events, code=1)
            self.assertIn(message, result.err, text)
            changes, _ = told(result)
            self.assertIn("good >500 SUBMITTED", changes, text)

    def test_an_unknown_parent_does_not_lose_the_job(self):
        events = self.file("e.json", '{"submitted": {"owner": "o", "job": {"id": "y", "submitted": '
                                     '"2026-03-02T09:00:00Z", "parents": [{"id": "nobody"}]}}}')
        changes, _ = told(self.replay(events, code=1))
        self.assertEqual(changes, ["y >500 SUBMITTED"])

    def test_usage(self):
        for arguments in ([], [POLICY], [f"--events={LINEAGE / '4-reports.ndjson'}"],
                          [POLICY, "--events=x", "extra"], [POLICY, "--events=x", "--output=xml"],
                          [POLICY, "--events=x", "--now=late"]):
            self.assertRan(program.run("replay", *arguments), 2)
        self.assertRan(program.run("replay", POLICY, "--events=missing.json"), 1)


if __name__ == "__main__":
    program.main()
