"""precedent test: cases that pass, that fail, and that cannot be read."""
import program

SEED = program.POLICIES / "seed.txtpb"

GOOD = """
now: 2026-03-02T12:00:00Z
cases:
- name: production
  job: {environment: production}
  expect: {priority: 1000, preemptionPriority: 1000, class: production, rules: [production], verdict: ALLOW}
- name: a pod
  job:
    apiVersion: v1
    kind: Pod
    metadata: {name: p, labels: {environment: production}}
    spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}
  expect: {priority: 950, rules: [production, large]}
- name: a request
  job: {jobName: j, jobQueue: q, jobDefinition: d, tags: {environment: production}}
  expect: {priority: 1000, reason: DERIVED, warnings: [], denial: "", preemptible: false}
"""


class CasesTest(program.TestCase):
    def test_all_pass(self):
        cases = self.file("cases.yaml", GOOD)
        result = program.run("test", SEED, cases)
        self.assertRan(result, 0)
        self.assertEqual(result.out, "3 passed, 0 failed\n")
        result = program.run("test", SEED, cases, cases)
        self.assertEqual(result.out, "6 passed, 0 failed\n")

    def test_json_and_text_format(self):
        cases = self.file("cases.json", '{"cases": [{"name": "j", "job": {"gpuCount": 8}, "expect": {"priority": 450}}]}')
        self.assertEqual(program.run("test", SEED, cases).out, "1 passed, 0 failed\n")
        cases = self.file("cases.txtpb", """
            cases { name: "t" job { gpu_count: 8 } expect { priority: 450 class: "experimental"
                    rules: "everyone-else" rules: "large" verdict: ALLOW } }
            cases { job { preemptible: true } expect { priority: 0 } }
            """)
        self.assertEqual(program.run("test", SEED, cases).out, "2 passed, 0 failed\n")
        cases = self.file("lists.txtpb", 'cases: [{ job { gpu_count: 8 } expect { priority: 1 } }]')
        result = program.run("test", SEED, cases)
        self.assertRan(result, 1)
        self.assertIn("priority: expected 1, derived 450", result.out)

    def test_differences(self):
        cases = self.file("cases.yaml", """
cases:
- name: wrong in all
  job: {gpuCount: 8, workloadType: inference}
  expect:
    priority: 1
    preemptionPriority: 2
    class: production
    rules: [everyone-else, urgent, large]
    verdict: DENY
    reason: FALLBACK_NO_POLICY
    warnings: [careful]
    denial: no
    limitRuntimeSeconds: 5
    shareIdentifier: s
    neverPreemptOthers: true
    preemptible: true
- name: right
  job: {gpuCount: 1}
  expect: {priority: 500}
""")
        result = program.run("test", SEED, cases)
        self.assertRan(result, 1)
        self.assertEqual(result.out, f"""FAIL {cases}:3: wrong in all
  priority: expected 1, derived 650
  preemption_priority: expected 2, derived 650
  class: expected `production`, derived `experimental`
  rules:  (- expected, + derived)
      everyone-else
    - urgent
    + inference
      large
  verdict: expected DENY, derived ALLOW
  reason: expected FALLBACK_NO_POLICY, derived DERIVED
  warnings:  (- expected, + derived)
    - careful
  denial: expected `no`, derived ``
  limit_runtime_seconds: expected 5, derived 0
  share_identifier: expected `s`, derived ``
  never_preempt_others: expected true, derived false
  preemptible: expected true, derived false
1 passed, 1 failed
""")

    def test_an_empty_list_is_an_expectation(self):
        cases = self.file("cases.yaml", "cases: [{job: {gpuCount: 1}, expect: {rules: []}}]")
        result = program.run("test", SEED, cases)
        self.assertRan(result, 1)
        self.assertIn("+ everyone-else", result.out)

    def test_times(self):
        policy = self.file("policy.txtpb", """stages { rules { id: "late" when { wait_seconds { at_least: 60 } } set: 5 } }""")
        job = "job: {submitted: 2026-03-02T12:00:00Z}"
        for header, own, flag, priority in [
                ("now: 2026-03-02T12:01:00Z", "", "", 5),
                ("now: 2026-03-02T12:00:59Z", "", "", 0),
                ("now: 2026-03-02T12:00:59Z", "now: 2026-03-02T12:01:00Z", "", 5),
                ("", "", "--now=2026-03-02T12:01:00Z", 5),
                ("now: 2026-03-02T12:00:00Z", "", "--now=2026-03-02T12:01:00Z", 0)]:
            cases = self.file("cases.yaml", f"{header}\ncases:\n- {job}\n  expect: {{priority: {priority}}}\n  {own}\n")
            arguments = ["test", policy, cases] + ([flag] if flag else [])
            self.assertRan(program.run(*arguments), 0)

    def test_jobs_of_files(self):
        self.file("jobs/one.yaml", "environment: production\n")
        self.file("jobs/two.yaml", "name: a\n---\nname: b\n")
        cases = self.file("cases/c.yaml", """
cases:
- {file: ../jobs/one.yaml, expect: {priority: 1000}}
""")
        self.assertRan(program.run("test", SEED, cases), 0)
        cases = self.file("cases/c.yaml", """
cases:
- {file: ../jobs/two.yaml, expect: {priority: 500}}
- {file: ../jobs/none.yaml, expect: {priority: 500}}
""")
        result = program.run("test", SEED, cases)
        self.assertRan(result, 1)
        self.assertIn("expected one job, found 2", result.out)
        self.assertIn("cannot be opened", result.out)
        self.assertIn("0 passed, 2 failed", result.out)

    def test_a_job_that_cannot_be_read_fails(self):
        cases = self.file("cases.yaml", "cases:\n- {job: {gpuCount: -1}, expect: {priority: 500}}\n"
                          "- {job: {gpuCount: 1}, expect: {priority: 500}}\n")
        result = program.run("test", SEED, cases)
        self.assertRan(result, 1)
        self.assertIn("is negative", result.out)
        self.assertIn("1 passed, 1 failed", result.out)

    def test_cases_that_cannot_be_read(self):
        for text, words in {
                "cases:\n- {job: {}, expects: {priority: 1}}": "expects",
                "cases:\n- {job: {}, expect: {prio: 1}}": "prio",
                "cases:\n- {job: {}, expect: {priority: high}}": "priority",
                "cases:\n- {job: {}, expect: {}}": "can never fail",
                "cases:\n- {job: {gpuCount: 1}}": "can never fail",
                "cases:\n- {expect: {priority: 1}}": "either `job` or `file`",
                "cases:\n- {job: {gpuCount: 1}, file: x, expect: {priority: 1}}": "either `job` or `file`",
                "cases: []": "holds no cases",
                "now: 2026-03-02T12:00:00Z": "holds no cases",
                "": "is empty",
                "cases: [": "error"}.items():
            cases = self.file("cases.yaml", text)
            result = program.run("test", SEED, cases)
            self.assertRan(result, 2)
            self.assertIn(f"{cases}", result.err, text)
            self.assertIn(words, result.err, text)

    def test_policy_errors(self):
        policy = self.file("policy.txtpb", "stages { rules { } }")
        cases = self.file("cases.yaml", GOOD)
        result = program.run("test", policy, cases)
        self.assertRan(result, 2)
        self.assertEqual(result.out, "")


if __name__ == "__main__":
    program.main()
