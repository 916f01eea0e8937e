"""The examples: policies without unexplained warnings, valid jobs, cases that pass."""
import program

JOBS = sorted(program.JOBS.glob("*"))
POLICIES = sorted(program.POLICIES.glob("*.txtpb"))

# Of both seed policies: meant, and explained in the file.
EXPLAINED = {"seed.txtpb": 1, "seed-team.txtpb": 1}


class ExamplesTest(program.TestCase):
    def test_policies_have_no_unexplained_warnings(self):
        self.assertEqual([path.name for path in POLICIES],
                         ["fleet.txtpb", "seed-team.txtpb", "seed.txtpb", "slurm-multifactor.txtpb"])
        for policy in POLICIES:
            result = program.run("check", policy)
            self.assertRan(result, 0)
            self.assertEqual(result.out.count(": warning: "), EXPLAINED.get(policy.name, 0), result.out)
            if policy.name in EXPLAINED:
                self.assertIn("below 0, where it is cut off", result.out)
                self.assertIn("# `precedent check` warns that the score can fall below 0", policy.read_text())

    def test_policies_are_lock_free(self):
        for policy in POLICIES:
            self.assertRan(program.run("compile", policy, "-o", self.folder / "image"), 0)

    def test_all_jobs_are_valid_under_all_policies(self):
        self.assertGreaterEqual(len(JOBS), 12)
        for policy in POLICIES:
            result = program.run("derive", f"--policy={policy}", program.NOW, *JOBS)
            self.assertRan(result, 0)
            self.assertEqual(result.err, "")
            self.assertGreaterEqual(len(result.objects()), len(JOBS))

    def test_the_jobs_use_every_rule(self):
        night = "--now=2026-03-02T23:30:00Z"
        for policy in POLICIES:
            formatted = program.run("format", policy).out
            ids = {line.split('"')[1] for line in formatted.splitlines() if line.strip().startswith("id: ")}
            applied = set()
            for now in (program.NOW, night):
                for decision in program.run("derive", f"--policy={policy}", now, *JOBS).objects():
                    applied.update(decision["rules"])
            self.assertEqual(ids - applied, set(), policy.name)

    def test_cases_pass(self):
        for policy in POLICIES:
            cases = policy.with_suffix(".cases.yaml")
            self.assertTrue(cases.exists(), cases)
            result = program.run("test", policy, cases)
            self.assertRan(result, 0)

    def test_cases_hold_for_their_policy_only(self):
        result = program.run("test", program.POLICIES / "seed-team.txtpb", program.POLICIES / "seed.cases.yaml")
        self.assertRan(result, 1)

    def test_kubernetes_options_and_review(self):
        folder = program.SOURCE / "examples" / "kubernetes"
        result = program.run("admit", f"--policy={program.POLICIES / 'fleet.txtpb'}", program.NOW,
                             f"--options={folder / 'options.yaml'}", folder / "review.json")
        self.assertRan(result, 0)
        self.assertIn("patch", result.objects()[0]["response"])


if __name__ == "__main__":
    program.main()
