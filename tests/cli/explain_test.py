"""precedent explain: the story tells what derive decides."""
import program

FLEET = f"--policy={program.POLICIES / 'fleet.txtpb'}"


class ExplainTest(program.TestCase):
    def test_every_job_has_its_story(self):
        jobs = sorted(program.JOBS.glob("*"))
        decisions = program.run("derive", FLEET, program.NOW, *jobs).objects()
        result = program.run("explain", FLEET, program.NOW, *jobs)
        self.assertRan(result, 0)
        stories = result.out.rstrip("\n").split("\n\n")
        titles = [line for line in result.out.splitlines() if any(
            line.endswith(")") and f"({job}:" in line for job in jobs)]
        self.assertEqual(len(titles), len(decisions))
        self.assertGreaterEqual(len(stories), len(decisions))
        for title, decision in zip(titles, decisions):
            self.assertTrue(title.startswith(decision["job"]), title)
            for rule in decision["rules"]:
                self.assertIn(rule, result.out)

    def test_what_did_not_apply_and_why(self):
        result = program.run("explain", FLEET, program.NOW, "-",
                             stdin='{"name": "x", "workloadType": "training", "gpuCount": 2}')
        self.assertRan(result, 0)
        self.assertIn("x (<stdin>:1)\n", result.out)
        self.assertIn("large", result.out)      # did not apply
        self.assertIn("above 8", result.out)    # because of this
        self.assertIn("four-hours", result.out)

    def test_errors(self):
        result = program.run("explain", FLEET, "nowhere.yaml", "-", stdin='{"name": "x"}')
        self.assertRan(result, 1)
        self.assertIn("nowhere.yaml: error: ", result.err)
        self.assertIn("x (<stdin>:1)", result.out)
        policy = self.file("policy.txtpb", "stages { rules { } }")
        result = program.run("explain", f"--policy={policy}", "-", stdin="{}")
        self.assertRan(result, 2)
        self.assertEqual(result.out, "")


if __name__ == "__main__":
    program.main()
