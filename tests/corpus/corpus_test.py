"""The corpus: what the program decides about files that do not change.

A folder holds
  policy.*          the policy: text format, JSON, YAML, or `policy.binpb`, bytes that an
                    earlier release wrote and that must decode for ever
  jobs.*            jobs, in any form that `derive` reads
  decisions.ndjson  what is decided about them, in order, with the rules that decided.
                    Members with default values are left out, the fingerprint too.
  now               the time, in a file of its own
or, for a policy that does not load,
  policy.*  and  errors.txt: `line: path` of every error, in order; line 0 if there is none.
"""
import json
import os
import pathlib
import subprocess
import unittest

FOLDER = pathlib.Path(__file__).parent
PROGRAM = os.environ["PRECEDENT_PROGRAM"]

DEFAULTS = {"job": "", "kind": "", "priorityClass": "", "reason": "DERIVED", "verdict": "ALLOW",
            "preemptible": False, "rules": [], "warnings": [], "remarks": [], "denial": "",
            "limitRuntimeSeconds": 0, "shareIdentifier": "", "neverPreemptOthers": False,
            "annotations": {}}


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=120, check=False)


def only(folder, pattern):
    [path] = folder.glob(pattern)
    return path


class CorpusTest(unittest.TestCase):
    maxDiff = None

    def decide(self, folder):
        now = (folder / "now").read_text().strip()
        result = run("derive", f"--policy={only(folder, 'policy.*')}", f"--now={now}", only(folder, "jobs.*"))
        self.assertEqual((result.returncode, result.stderr), (0, b""), folder)
        derived = [json.loads(line) for line in result.stdout.splitlines()]
        expected = [json.loads(line) for line in (folder / "decisions.ndjson").read_text().splitlines()]
        for decision in derived:
            self.assertRegex(decision.pop("policyFingerprint"), "^[0-9a-f]{32}$")
        for decision in expected:
            decision.setdefault("preemptionPriority", decision["priority"])
            for name, value in DEFAULTS.items():
                decision.setdefault(name, value)
        for one, other in zip(derived, expected):
            self.assertEqual(one, other, f"{folder.name}: job {other['job']}")
        self.assertEqual(len(derived), len(expected), folder)

    def refuse(self, folder):
        policy = only(folder, "policy.*")
        result = run("check", "--output=json", policy)
        self.assertEqual(result.returncode, 1, result.stdout)
        issues = [json.loads(line) for line in result.stdout.splitlines()]
        errors = [f"{issue['line']}: {issue['path']}" for issue in issues if issue["severity"] == "error"]
        self.assertEqual(errors, (folder / "errors.txt").read_text().splitlines(), result.stdout.decode())

    def test_decisions(self):
        folders = sorted(path.parent for path in FOLDER.glob("*/decisions.ndjson"))
        self.assertGreaterEqual(len(folders), 5)
        for folder in folders:
            with self.subTest(folder.name):
                self.decide(folder)

    def test_errors(self):
        folders = sorted(path.parent for path in FOLDER.glob("*/errors.txt"))
        self.assertGreaterEqual(len(folders), 1)
        for folder in folders:
            with self.subTest(folder.name):
                self.refuse(folder)

    def test_every_folder_is_of_a_kind(self):
        for folder in FOLDER.iterdir():
            if folder.is_dir() and folder.name != "__pycache__":
                self.assertTrue((folder / "decisions.ndjson").exists() or (folder / "errors.txt").exists()
                                or list(folder.glob("*.bin")), folder)  # read by tests/unit


if __name__ == "__main__":
    unittest.main()
