"""precedent derive: decisions of all kinds of input."""
import json

import program

SEED = f"--policy={program.POLICIES / 'seed.txtpb'}"
FLEET = f"--policy={program.POLICIES / 'fleet.txtpb'}"

ALWAYS = ["job", "kind", "priority", "preemptionPriority", "priorityClass", "reason", "verdict",
          "preemptible", "rules", "warnings", "remarks", "denial", "limitRuntimeSeconds",
          "shareIdentifier", "neverPreemptOthers", "annotations", "policyFingerprint"]


class DeriveTest(program.TestCase):
    def derive(self, *arguments, policy=SEED, code=0, **keywords):
        result = program.run("derive", policy, program.NOW, *arguments, **keywords)
        self.assertRan(result, code)
        return result

    def test_default_values_are_printed_and_names_are_lower_camel_case(self):
        [decision] = self.derive("-", stdin='{"gpuCount": 1}').objects()
        self.assertEqual(list(decision), ALWAYS)  # validUntil is absent: for ever
        self.assertEqual(decision["reason"], "DERIVED")
        self.assertEqual(decision["verdict"], "ALLOW")
        self.assertIs(decision["preemptible"], False)
        self.assertEqual(decision["limitRuntimeSeconds"], 0)
        self.assertEqual(decision["annotations"], {})
        self.assertRegex(decision["policyFingerprint"], "^[0-9a-f]{32}$")

    def test_the_seed_policy(self):
        cases = [
            ({}, 500, "experimental", ["everyone-else"]),
            ({"environment": "production"}, 1000, "production", ["production"]),
            ({"environment": "production", "workloadType": "inference"}, 1200, "critical",
             ["production", "inference"]),
            ({"environment": "production", "workloadType": "inference", "gpuCount": 8}, 1150,
             "production", ["production", "inference", "large"]),
            ({"gpuCount": 4}, 500, "experimental", ["everyone-else"]),
            ({"gpuCount": 4.5}, 450, "experimental", ["everyone-else", "large"]),
            ({"workloadType": "training", "datasetBytes": 1e12}, 500, "experimental",
             ["everyone-else"]),
            ({"workloadType": "training", "datasetBytes": 2e12}, 495, "experimental",
             ["everyone-else", "huge-dataset"]),
            ({"lineage": {"failureCount": "3"}}, 470, "experimental",
             ["everyone-else", "own-failures"]),
            ({"lineage": {"failureCount": 1000000}}, 0, "preemptible",
             ["everyone-else", "own-failures"]),
            ({"environment": "production", "preemptible": True}, 0, "preemptible",
             ["production", "preemptible"]),
        ]
        lines = "".join(json.dumps(job) + "\n" for job, *_ in cases)
        decisions = self.derive("-", stdin=lines).objects()
        self.assertEqual(len(decisions), len(cases))
        for decision, (job, priority, name, rules) in zip(decisions, cases):
            self.assertEqual((decision["priority"], decision["priorityClass"], decision["rules"]),
                             (priority, name, rules), job)
            self.assertEqual(decision["preemptionPriority"], priority)

    def test_order_of_files_and_documents(self):
        first = self.file("a.yaml", "name: one\n---\nname: two\n")
        second = self.file("b.json", '{"name": "three"}\n{"name": "four"}\n')
        third = self.file("c.txtpb", 'name: "five"\n')
        names = [d["job"] for d in self.derive(third, second, first, second).objects()]
        self.assertEqual(names, ["five", "three", "four", "one", "two", "three", "four"])

    def test_the_same_job_in_every_form(self):
        forms = {
            "job.yaml": "name: x\nteam: a\ngpu_count: 8\nlabels: {tier: '1'}\nlineage: {failure_count: 2}\n",
            "job.json": '{\n "name": "x",\n "team": "a", "gpuCount": 8,\n'
                        ' "labels": {"tier": "1"}, "lineage": {"failureCount": "2"}\n}\n',
            "job.txtpb": 'name: "x" team: "a" gpu_count: 8\nlabels { key: "tier" value: "1" }\n'
                         "lineage { failure_count: 2 }\n",
        }
        decisions = []
        for name, text in forms.items():
            decisions += self.derive(self.file(name, text)).objects()
            decisions += self.derive("-", stdin=text).objects()  # by content alone
            decisions += self.derive(self.file(name + ".job", text)).objects()
        self.assertEqual(len(decisions), 9)
        self.assertEqual(decisions[0]["rules"], ["everyone-else", "large", "own-failures"])
        for decision in decisions:
            self.assertEqual(decision, decisions[0])

    def test_kubernetes_list_and_typed_list(self):
        pod = {"metadata": {"name": "p", "labels": {"environment": "production"}},
               "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}}
        full = dict(pod, apiVersion="v1", kind="Pod")
        for document in [
                full,
                {"apiVersion": "v1", "kind": "List", "items": [full]},
                {"apiVersion": "v1", "kind": "PodList", "items": [pod]}]:
            [decision] = self.derive("-", stdin=json.dumps(document)).objects()
            self.assertEqual(decision["kind"], "Pod")
            self.assertEqual(decision["priority"], 950)
        self.assertEqual(self.derive("-", stdin='{"apiVersion": "v1", "kind": "List", "items": []}').out, "")

    def test_a_bad_document_does_not_stop_the_others(self):
        yaml = self.file("jobs.yaml", "name: one\n---\nname: [\n---\nname: three\ngpuCount: -1\n---\nname: four\n")
        missing = self.folder / "missing.yaml"
        ndjson = self.file("jobs.ndjson", '{"name": "five"}\n{"name": \n{"name": "seven"}\n')
        result = self.derive(yaml, missing, ndjson, code=1)
        self.assertEqual([d["job"] for d in result.objects()], ["one", "four", "five", "seven"])
        self.assertRegex(result.err, rf"{yaml}:[34]:\d+: error: ")
        self.assertIn(f"{yaml}:6:1: error: gpu_count: is negative: `-1`", result.err)
        self.assertIn(f"{missing}: error: cannot be opened: no such file or directory", result.err)
        self.assertRegex(result.err, rf"{ndjson}:[23]:\d+: error: ")

    def test_batch_request_and_definition(self):
        request = self.file("request.json", json.dumps(
            {"jobName": "r", "jobQueue": "q", "jobDefinition": "d:1", "tags": {"environment": "production"}}))
        definition = self.file("definition.json", json.dumps(
            {"jobDefinitionName": "d", "type": "container", "containerProperties": {
                "image": "i", "resourceRequirements": [{"type": "GPU", "value": "8"}]}}))
        [without] = self.derive(request).objects()
        self.assertEqual(without["rules"], ["production"])
        [decision] = self.derive(f"--definition={definition}", request).objects()
        self.assertEqual(decision["rules"], ["production", "large"])
        # Alone it stands for any job by it.
        [any_job] = self.derive(definition).objects()
        self.assertEqual((any_job["job"], any_job["rules"]), ("d", ["everyone-else", "large"]))

    def test_adapter_options(self):
        pod = ("apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {stage: production}}\n"
               "spec: {containers: [{name: c}]}\n")
        for name, options in {
                "options.txtpb": 'keys { attribute: "environment" keys: "stage" }',
                "options.json": '{"keys": [{"attribute": "environment", "keys": ["stage"]}]}',
                "options.yaml": "keys:\n- attribute: environment\n  keys: [stage]\n"}.items():
            path = self.file(name, options)
            self.assertEqual(self.derive("-", stdin=pod).objects()[0]["priority"], 500)
            self.assertEqual(
                self.derive(f"--options={path}", "-", stdin=pod).objects()[0]["priority"], 1000)

    def test_waiting_and_valid_until(self):
        job = '{"submitted": "2026-03-02T10:00:00Z"}'
        [decision] = self.derive("-", policy=FLEET, stdin=job).objects()
        self.assertIn("waiting", decision["rules"])
        self.assertEqual(decision["priority"], 404)
        self.assertEqual(decision["preemptionPriority"], 400)
        self.assertEqual(decision["validUntil"], "2026-03-02T12:30:00Z")
        # Without the time of submission there is no wait.
        [decision] = self.derive("-", policy=FLEET, stdin="{}").objects()
        self.assertEqual(decision["priority"], 400)

    def test_ignored_claims_are_remarked(self):
        policy = self.file("policy.txtpb", "require_verified: TEAM require_verified: LINEAGE\n"
                           'stages { rules { id: "a" when { team { in: "x" } } set: 9 } }\n')
        job = '{"team": "x", "claimed": ["TEAM", "ENVIRONMENT"]}'
        [decision] = self.derive("-", policy=f"--policy={policy}", stdin=job).objects()
        self.assertEqual(decision["priority"], 0)
        self.assertEqual(decision["remarks"],
                         ["claimed team ignored: the policy requires it to be verified"])
        [decision] = self.derive("-", policy=f"--policy={policy}", stdin='{"team": "x"}').objects()
        self.assertEqual((decision["priority"], decision["remarks"]), (9, []))

    def test_outcomes(self):
        policy = self.file("policy.txtpb", """
            stages { rules { id: "a" warn: "first" limit_runtime_seconds: 60 share_identifier: "s"
                             annotate { key: "k" value: "1" } annotate { key: "b" value: "" } }
                     rules { id: "b" warn: "second" deny: "no" never_preempt_others: true
                             annotate { key: "k" value: "2" } } }""")
        [decision] = self.derive("-", policy=f"--policy={policy}", stdin='{"kind": "X"}').objects()
        self.assertEqual(decision["warnings"], ["first", "second"])
        self.assertEqual((decision["verdict"], decision["denial"]), ("DENY", "no"))
        self.assertEqual(decision["limitRuntimeSeconds"], 60)
        self.assertEqual(decision["shareIdentifier"], "s")
        self.assertIs(decision["neverPreemptOthers"], True)
        self.assertEqual(decision["annotations"], {"b": "", "k": "2"})
        self.assertEqual(decision["kind"], "X")

    def test_more_rules_than_a_first_guess_holds(self):
        rules = "".join(f'rules {{ id: "r{i}" add: 1 }}\n' for i in range(300))
        policy = self.file("policy.txtpb", f"stages {{ {rules} }}")
        [decision] = self.derive("-", policy=f"--policy={policy}", stdin='{"kind": "X"}').objects()
        self.assertEqual(decision["rules"], [f"r{i}" for i in range(300)])
        self.assertEqual(decision["priority"], 300)

    def test_output_is_the_same_every_time(self):
        job = json.dumps({"labels": {f"k{i}": str(i) for i in range(50)}})
        policy = self.file("policy.txtpb", "stages { rules { id: \"a\" " + "".join(
            f'annotate {{ key: "k{i}" value: "v" }} ' for i in range(40)) + "} }")
        outputs = {self.derive("-", policy=f"--policy={policy}", stdin=job).out for _ in range(4)}
        self.assertEqual(len(outputs), 1)

    def test_policy_errors(self):
        good = self.file("good.json", "{}")
        policy = self.file("policy.txtpb", 'stages { rules { id: "a" set: 1 add: 2 } rules { id: "a" } }\n')
        result = self.derive(good, policy=f"--policy={policy}", code=2)
        self.assertEqual(result.out, "")
        self.assertGreaterEqual(result.err.count("error:"), 2)
        self.assertIn(f"{policy}:1:", result.err)
        result = self.derive(good, policy="--policy=/nowhere/policy", code=2)
        self.assertIn("/nowhere/policy: error: cannot be opened", result.err)
        result = self.derive(good, policy=f"--policy={self.folder}", code=2)
        self.assertIn("is a directory", result.err)


class TableTest(program.TestCase):
    def test_table(self):
        jobs = sorted(program.JOBS.glob("*"))
        result = program.run("derive", FLEET, program.NOW, "--output=table", *jobs)
        self.assertRan(result, 0)
        lines = result.out.splitlines()
        self.assertRegex(lines[0], r"^JOB +KIND +PRIORITY +EVICT +CLASS +VERDICT +WHY$")
        rows = [line for line in lines[1:] if not line.startswith(" ")]
        self.assertGreaterEqual(len(rows), 12)
        for column in ("KIND", "CLASS", "VERDICT", "WHY"):
            at = lines[0].index(column)
            for row in rows:
                self.assertEqual(row[at - 1], " ", row)
                self.assertNotEqual(row[at], " ", row)
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertIn("    warning: ", result.out)
        self.assertIn("    denied: ", result.out)
        self.assertNotIn("\x1b", result.out)

    def test_no_column_for_the_right_to_evict_where_it_is_the_priority(self):
        result = program.run("derive", SEED, "--output=table", "-", stdin='{"name": "x"}')
        self.assertRan(result, 0)
        self.assertEqual(result.out,
                         "JOB  KIND  PRIORITY  CLASS         VERDICT  WHY\n"
                         "x    -          500  experimental  allow    everyone-else\n")

    def test_names_cannot_steer_the_terminal(self):
        result = program.run("derive", SEED, "--output=table", "-", stdin='{"name": "a\\u001b[31mb"}')
        self.assertRan(result, 0)
        self.assertIn("a\\x1b[31mb", result.out)

    def test_no_job_no_table(self):
        result = program.run("derive", SEED, "--output=table", "nowhere.yaml")
        self.assertRan(result, 1)
        self.assertEqual(result.out, "")


if __name__ == "__main__":
    program.main()
