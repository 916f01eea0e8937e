"""precedent submit: AWS Batch requests with the derived priority, one a line."""
import json
import unittest

import program

DATA = program.SHARED / "data" / "batch"
SEED = f"--policy={program.POLICIES / 'seed.txtpb'}"
REQUEST = '{"jobName": "j", "jobQueue": "q", "jobDefinition": "d"%s}'
DERIVED = ("schedulingPriorityOverride", "schedulingPriority", "shareIdentifier", "quotaShareName")


class SubmitTest(program.TestCase):
    def submit(self, text, *flags, code=0, policy=SEED):
        result = program.run("submit", policy, program.NOW, *flags, "-", stdin=text)
        self.assertRan(result, code)
        return result

    def test_one_line_a_request_in_order(self):
        text = REQUEST % ', "shareIdentifier": "b", "z": 1.50, "a": [1E3, -0]' + "\n" + REQUEST % ""
        result = self.submit(text)
        first, second = result.out.splitlines()
        self.assertTrue(first.startswith(
            '{"jobName":"j","jobQueue":"q","jobDefinition":"d","shareIdentifier":"b","z":1.50,'
            '"a":[1E3,-0],"schedulingPriorityOverride":500,"tags":{"precedent.dev/priority":"500",'), first)
        self.assertNotIn("schedulingPriorityOverride", second)

    def test_yaml(self):
        result = self.submit("jobName: j\njobQueue: q\njobDefinition: d\nshareIdentifier: s\n")
        self.assertEqual(result.objects()[0]["schedulingPriorityOverride"], 500)

    def test_queue_policy(self):
        own = REQUEST % ', "shareIdentifier": "s", "schedulingPriorityOverride": 7'
        self.assertEqual(self.submit(own).objects()[0]["schedulingPriorityOverride"], 500)
        [plain] = self.submit(own, "--queue-policy=none").objects()
        self.assertFalse(set(DERIVED) & set(plain))
        team = REQUEST % ', "tags": {"team": "ml-team_a"}'
        [fair] = self.submit(team, "--queue-policy=fair-share").objects()
        self.assertEqual(fair["shareIdentifier"], "mlZ2dteamZ5fa")
        self.assertEqual(fair["schedulingPriorityOverride"], 500)
        refused = self.submit(team, "--queue-policy=quota-share", code=1)
        self.assertIn("<stdin>:1:1: error: a queue with quota shares takes service jobs only", refused.err)

    def test_what_was_replaced_is_a_note(self):
        result = self.submit(REQUEST % ', "shareIdentifier": "s", "schedulingPriorityOverride": 7')
        self.assertIn("<stdin>:1: note: schedulingPriorityOverride 7 is replaced by the derived 500",
                      result.err)

    def test_denial(self):
        policy = self.file("deny.txtpb", 'stages { rules { id: "r" when { team { in: "x" } } '
                           'deny: "not for x" warn: "careful" } rules { id: "w" warn: "hm" set: 1 } }')
        text = REQUEST % ', "tags": {"team": "x"}' + "\n" + REQUEST % ""
        result = self.submit(text, code=1, policy=f"--policy={policy}")
        self.assertEqual(len(result.objects()), 1)
        self.assertIn("<stdin>:1:1: error: the policy denies this job: not for x", result.err)
        self.assertIn("<stdin>:2: warning: hm", result.err)

    def test_what_is_no_request(self):
        cases = {
            '{"jobDefinitionName": "d", "containerProperties": {}}': "is not the body of SubmitJob",
            '{"Records": []}': "is not the body of SubmitJob",
            '{"apiVersion": "v1", "kind": "Pod"}': "is not the body of SubmitJob",
            '{"jobName": "j"': "",
            '"x"': "must be a JSON object",
            REQUEST % ', "timeout": 5': "timeout: must be an object",
            REQUEST % ', "tags": {"failure-count": "-1"}': "tags.failure-count",
        }
        for text, words in cases.items():
            result = self.submit(text, code=1)
            self.assertEqual(result.out, "", text)
            self.assertRegex(result.err, r"^<stdin>:1(:\d+)?: error: ", text)
            self.assertIn(words, result.err)

    def test_options_and_definition(self):
        options = self.file("options.txtpb", 'known_shares: "a" default_share: "a"')
        definition = self.file("definition.json", json.dumps(
            {"jobDefinitionName": "d", "containerProperties": {
                "resourceRequirements": [{"type": "GPU", "value": "8"}]}}))
        [job] = self.submit(REQUEST % ', "tags": {"team": "x"}', f"--options={options}",
                            f"--definition={definition}", "--queue-policy=fair-share").objects()
        self.assertEqual(job["shareIdentifier"], "a")
        self.assertEqual(job["schedulingPriorityOverride"], 450)  # 8 GPUs are a large job

    @unittest.skipUnless(DATA.is_dir(), f"no {DATA}: the shared data is not beside this checkout")
    def test_captured_submissions_change_in_derived_members_only(self):
        files = sorted((DATA / "http").glob("submit-*.json"))
        self.assertEqual(len(files), 9)
        for file in files:
            body = json.loads(file.read_text())["body"]
            for policy in ("none", "fair-share", None):
                options = self.file("o.txtpb", 'default_share: "rest"')
                flags = [f"--options={options}"] + ([f"--queue-policy={policy}"] if policy else [])
                [sent] = self.submit(json.dumps(body), *flags).objects()
                with self.subTest(file=file.name, policy=policy):
                    self.assertEqual(self.own(sent), self.own(body))
                    self.assertEqual([m for m in sent if m in body], [m for m in body if m in sent])

    @staticmethod
    def own(body):
        body = {k: v for k, v in body.items() if k not in DERIVED}
        tags = {k: v for k, v in body.pop("tags", {}).items() if not k.startswith("precedent.dev/")}
        return {**body, "tags": tags}


class BatchInputTest(program.TestCase):
    """What derive and its like know by its content."""

    @unittest.skipUnless(DATA.is_dir(), f"no {DATA}: the shared data is not beside this checkout")
    def test_every_file_is_described(self):
        facts = json.loads((DATA / "facts.json").read_text())
        for name, fact in sorted(facts.items()):
            records = fact.get("records")
            result = program.run("describe", DATA / f"{name}.json")
            with self.subTest(name):
                self.assertRan(result, 1 if records else 0)
                jobs = result.objects()
                self.assertEqual(len(jobs), fact.get("valid", 1))
                job, labels = jobs[0], jobs[0]["labels"]
                # The definition of a request is not in its file.
                if "gpu" in fact and not name.startswith("b08"):
                    self.assertEqual(job["gpuCount"], fact["gpu"])
                if "nodes" in fact:
                    self.assertEqual((job["podCount"], fact["gang"]), (fact["nodes"], job["podCount"] > 1))
                if "instances" in fact:
                    self.assertEqual(job["podCount"], fact["instances"])
                for key, label in {"definition_priority": "scheduling-priority",
                                   "priority": "scheduling-priority", "share": "share-identifier",
                                   "quota_share": "quota-share-name", "children": "array-size",
                                   "preemption_retries": "preemption-retries"}.items():
                    if key in fact:
                        expected = None if fact[key] is None else str(fact[key])
                        self.assertEqual(labels.get(f"aws:batch:{label}"), expected)
                if "attempts" in fact and not name.startswith("b08"):
                    self.assertEqual(labels.get("aws:batch:attempts", "1"), str(fact["attempts"]))
                lineage = job.get("lineage", {})
                for key, field in {"attempts_made": "attempt", "own_failures": "failureCount",
                                   "failure_count": "failureCount",
                                   "host_losses": "infrastructureFailureCount"}.items():
                    if key in fact:
                        self.assertEqual(lineage.get(field, "0"), str(fact[key]))
                for source in (fact, fact.get("first", {})):
                    for key in ("team", "preemptible"):
                        if key in source:
                            self.assertEqual(job[key], source[key])
                if "max_duration_s" in fact:
                    self.assertEqual(job["maxRuntimeSeconds"], fact["max_duration_s"])
                if records:
                    self.assertRegex(result.err, r"b14-\S+\.json:22:7: error: Records\[1\]\.body: ")

    @unittest.skipUnless(DATA.is_dir(), f"no {DATA}: the shared data is not beside this checkout")
    def test_requests_with_their_definition(self):
        facts = json.loads((DATA / "facts.json").read_text())
        for name in ("b08-submit-fair-share", "b09-submit-override-gpu", "b10-submit-array"):
            [job] = program.run("describe", f"--definition={DATA / 'b01-definition-container-gpu.json'}",
                                DATA / f"{name}.json").objects()
            fact = facts[name]
            self.assertEqual(job["gpuCount"], fact.get("gpu", fact.get("gpu_per_child")), name)
            self.assertEqual(job["labels"]["aws:batch:attempts"],
                             str(fact.get("attempts", fact.get("attempts_per_child"))))
            self.assertEqual(job["podCount"], 1)

    def test_one_bad_job_of_several(self):
        good = '{"jobId":"1","jobName":"a","jobDefinition":"d"}'
        text = '{"jobs":[\n%s,\n{"jobId":2},\n%s]}' % (good, good)
        result = program.run("describe", "-", stdin=text)
        self.assertRan(result, 1)
        self.assertEqual(len(result.objects()), 2)
        self.assertIn("<stdin>:3:2: error: jobs[1].jobId: must be a string", result.err)
        self.assertIn("<stdin>:4: note: ", result.err)  # the line of the job, not of the document


if __name__ == "__main__":
    program.main()
