"""precedent check: all problems at once, with their places."""
import json

import program

SEED = program.POLICIES / "seed.txtpb"
FLEET = program.POLICIES / "fleet.txtpb"

# Ten mistakes, each on a line of its own.
TEN_MISTAKES = """{
  "name": "broken",
  "stages": [
    {
      "mode": "SOMETIMES",
      "rules": [
        {"id": "a", "set": 1, "add": 2},
        {"id": "a", "add": 1},
        {"id": "b", "when": [{}], "add": 1},
        {"id": "c", "when": [{"team": {"inn": ["x"]}}], "add": 1},
        {"id": "d", "when": [{"gpuCount": {"above": 4, "below": 2}}], "add": 1},
        {"id": "e", "when": [{"queue": {"regex": ["("]}}], "add": 1},
        {"id": "f", "when": [{"team": {"inSet": ["nobody"]}}], "add": 1},
        {"id": "g", "addScaled": {"of": "GPU_COUNT", "points": 1, "per": 0}},
        {"id": "h", "priorityClass": "unheard-of", "add": 1.5}
      ]
    }
  ]
}
"""


class CheckTest(program.TestCase):
    def test_good_policies(self):
        result = program.run("check", FLEET)
        self.assertRan(result, 0)
        self.assertEqual(result.err, "")
        self.assertIn("1 policy: 0 errors, 0 warnings, ", result.out)

    def test_ten_mistakes_are_ten_errors(self):
        path = self.file("broken.json", TEN_MISTAKES)
        result = program.run("check", path)
        self.assertRan(result, 1)
        for line, word in [(5, "SOMETIMES"), (7, "add"), (8, "a"), (9, "when[0]"), (10, "inn"),
                           (11, "gpu"), (12, "regex"), (13, "nobody"), (14, "per"),
                           (15, "unheard-of"), (15, "1.5")]:
            found = [text for text in result.out.splitlines()
                     if text.startswith(f"{path}:{line}:") and ": error: " in text and word in text]
            self.assertTrue(found, f"line {line}, `{word}`:\n{result.out}")
        # The same from derive, on standard error.
        derived = program.run("derive", f"--policy={path}", "-", stdin="{}")
        self.assertRan(derived, 2)
        self.assertEqual(derived.out, "")
        self.assertEqual(derived.err.splitlines(), result.out.splitlines()[:-1])

    def test_strict(self):
        policy = self.file("policy.txtpb", 'stages { rules { id: "a" add: -1 } }\n')
        result = program.run("check", policy)
        self.assertRan(result, 0)
        self.assertIn(": warning: ", result.out)
        self.assertIn("1 policy: 0 errors, 1 warning, 0 notes", result.out)
        self.assertRan(program.run("check", "--strict", policy), 1)
        self.assertRan(program.run("check", "--strict=false", policy), 0)

    def test_several_policies(self):
        bad = self.file("bad.txtpb", "stages { rules { } }\n")
        result = program.run("check", FLEET, bad, self.folder / "none.txtpb")
        self.assertRan(result, 1)
        self.assertIn(f"{bad}:1:", result.out)
        self.assertIn("none.txtpb: error: cannot be opened", result.out)
        self.assertIn("3 policies: ", result.out)

    def test_json(self):
        path = self.file("broken.json", TEN_MISTAKES)
        text = program.run("check", path)
        result = program.run("check", "--output=json", path, SEED)
        self.assertRan(result, 1)
        issues = result.objects()
        self.assertEqual(len([i for i in issues if i["severity"] == "error"]),
                         text.out.count(": error: "))
        for issue in issues:
            self.assertEqual(list(issue), ["file", "line", "column", "severity", "path", "message", "hint"])
        self.assertEqual(issues[0]["file"], str(path))
        self.assertGreater(issues[0]["line"], 1)
        self.assertEqual({i["severity"] for i in issues if i["file"] == str(SEED)}, {"warning"})

    def test_claims(self):
        options = self.file("options.txtpb", "")
        policy = self.file("policy.txtpb", """
            stages {
              rules { id: "by-team" when { team { in: "x" } } add: 1 }
              rules { id: "by-environment" when { gpu_count { above: 1 } environment { in: "x" } } set: 7 }
              rules { id: "penalty" when { team { in: "x" } } add: -1 }
              rules { id: "by-queue" when { queue { in: "x" } } add: 1 }
              rules { id: "by-size" add_scaled { of: DATASET_BYTES points: 1 max: 9 } }
              rules { id: "no-team" when { team { present: false } } add: 1 }
              rules { id: "floor" at_least: 0 }
            }
            """)
        silent = program.run("check", policy)
        self.assertRan(silent, 0)
        self.assertNotIn("claimed", silent.out)
        # An empty options file is one without a document; give it the default instead.
        options.write_text('key_prefix: "precedent.dev/"\n')
        result = program.run("check", f"--options={options}", policy)
        self.assertRan(result, 0)
        notes = [line for line in result.out.splitlines() if "claimed value" in line]
        self.assertEqual(len(notes), 3, result.out)
        self.assertIn(f"{policy}:3:", notes[0])
        self.assertIn("`by-team`", notes[0])
        self.assertIn("environment", notes[1])
        self.assertIn("dataset_bytes", notes[2])
        self.assertRan(program.run("check", "--strict", policy), 0)
        self.assertRan(program.run("check", "--strict", f"--options={options}", policy), 1)

        bound = self.file("bound.txtpb", 'bindings { namespace: "a" attribute: TEAM value: "x" }\n')
        result = program.run("check", f"--options={bound}", policy)
        self.assertNotIn("`by-team`", result.out)
        verified = self.file("verified.txtpb", policy.read_text() +
                             "require_verified: TEAM require_verified: ENVIRONMENT require_verified: DATASET_BYTES\n")
        result = program.run("check", "--strict", f"--options={options}", verified)
        self.assertRan(result, 0)


if __name__ == "__main__":
    program.main()
