#!/usr/bin/env python3
"""What policy_bench says about a policy and jobs; no figure of time is looked at.

    policy_bench_test.py POLICY_BENCH
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)

POLICY = r"""
stages {
  rules { id: "everyone" set: 500 }
  rules { id: "serving" when { namespace { regex: "team-[a-z]*[0-9]" } } add: 1 }
  rules { id: "listed" when { labels { key: "tier" value { regex: "go+ld" } } } add: 1 }
  rules { id: "again" when { labels { key: "tier" value { regex: "go+ld" } } } add: 1 }
  rules { id: "lowered" when { team { regex: "a.*" } } add: 1 }
  rules { id: "waiting" when { wait_seconds { above: 60 } lineage { attempt { above: 1 } } } add: 1 }
  rules { id: "failed" add_scaled { of: FAILURE_COUNT points: -1 } }
}
"""


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


class PolicyBenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.policy = cls.write("policy.txtpb", POLICY)
        jobs = [{"name": f"j{i}", "namespace": f"team-{chr(97 + i)}{i}", "team": "a",
                 "labels": {"tier": "goold"}, "submitted": "2026-03-01T12:00:00Z"}
                for i in range(10)]
        cls.jobs = cls.write("jobs.json", "".join(json.dumps(job) + "\n" for job in jobs))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_report(self):
        code, out, err = run(f"--policy={self.policy}", f"--jobs={self.jobs}",
                             "--now=2026-03-01T12:00:30Z")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"(?m)^policy  7 rules, \d+ bytes; a bound job \d+ bytes; not lock-free$")
        self.assertRegex(out, r"(?m)^jobs    10; ")
        for what in ("bind", "evaluate", "both"):
            self.assertRegex(out, rf"(?m)^  {what} +\d+\.\d")
        self.assertIn("rules that apply to a job: 6.00 on average, 6 at most", out)
        self.assertIn("  100 %  serving\n", out)
        self.assertIn("  never  waiting\n", out)
        rows = re.findall(r"(?m)^ +-?\d+\.\d +-?\d+\.\d +(\d+)  (\S+)$", out)
        attributes = {attribute: rules for rules, attribute in rows}
        self.assertEqual(attributes, {'labels["tier"]': "2", "namespace": "1", "team": "1",
                                      "wait_seconds": "1", "lineage.attempt": "1",
                                      "lineage.failure_count": "1"})

    def test_advice(self):
        _, out, _ = run(f"--policy={self.policy}", f"--jobs={self.jobs}",
                        "--now=2026-03-01T12:00:30Z")
        advice = out[out.index("to make it faster"):]
        self.assertIn("namespace.regex[0]: `team-[a-z]*[0-9]` needs RE2, which locks; it matches 10"
                      " of the 10 texts of these jobs; all it can match begins with `team-`",
                      advice)
        self.assertIn('rules[2].when[0].labels["tier"].regex[0]: `go+ld` needs RE2, which locks;'
                      " of the 1 text of these jobs it matches `goold`", advice)
        self.assertIn("rules[3].when[0]", advice)
        self.assertNotIn("rules[4]", advice)  # a prefix already
        self.assertIn("1 rule applied to none of these jobs (waiting)", advice)

    def test_lock_free_policy(self):
        policy = self.write("plain.txtpb", 'stages { rules { id: "a" when { team { in: "a" } } '
                                           "add: 5 } }")
        code, out, _ = run(f"--policy={policy}", f"--jobs={self.jobs}", self.jobs)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"(?m)^policy  1 rules, .*; lock-free$")
        self.assertRegex(out, r"(?m)^jobs    20")
        self.assertNotIn("RE2", out)

    def test_bad_jobs_are_named_and_the_others_measured(self):
        jobs = self.write("bad.json", '{"name": "a"}\n{"gpuCount": "many"}\n')
        code, out, err = run(f"--policy={self.policy}", f"--jobs={jobs}")
        self.assertEqual(code, 1)
        self.assertIn("bad.json:2", err)
        self.assertRegex(out, r"(?m)^jobs    1;")

    def test_usage(self):
        empty = self.write("empty.json", "")
        wrong = self.write("wrong.txtpb", 'stages { rules { id: "" } }')
        for arguments, message in (
                ([], "missing --policy"),
                ([f"--policy={self.policy}"], "missing --jobs"),
                ([f"--policy={self.policy}", "--jobs"], "flag `--jobs` needs a value"),
                (["--polcy=x"], "unknown flag `--polcy=x`"),
                (["--policy=nowhere", "--jobs=x"], "nowhere: error: "),
                ([f"--policy={wrong}", f"--jobs={self.jobs}"], "wrong.txtpb"),
                ([f"--policy={self.policy}", f"--jobs={empty}"], "no job to measure with"),
                ([f"--policy={self.policy}", f"--jobs={self.jobs}", "--now=noon"], "--now: `noon`")):
            with self.subTest(arguments):
                code, out, err = run(*arguments)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(message, err)

    def test_help(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("usage: policy_bench "))


unittest.main()
