"""Kubernetes objects as people write them, where the data is at hand."""
import json
import unittest

import program

DATA = program.SHARED / "data" / "kubernetes"
# What describe answers for; everything else is refused by name.
KINDS = {"Pod", "Job", "Deployment"}


@unittest.skipUnless(DATA.is_dir(), f"no {DATA}: the shared data is not beside this checkout")
class SharedDataTest(program.TestCase):
    def objects(self):
        """(file, its facts, whether the adapters cover it)."""
        facts = json.loads((DATA / "facts.json").read_text())
        for name, fact in sorted(facts.items()):
            for suffix in (".yaml", ".json"):
                path = DATA / (name + suffix)
                if path.exists() and "kind" in fact:
                    yield path, fact

    def test_every_file_is_answered_or_refused_by_name(self):
        files = sorted(DATA.glob("*.yaml"))
        self.assertGreater(len(files), 20)
        result = program.run("derive", f"--policy={program.POLICIES / 'fleet.txtpb'}", program.NOW, *files)
        self.assertRan(result, 1)
        covered = [path for path, fact in self.objects() if path.suffix == ".yaml" and fact["kind"] in KINDS]
        self.assertEqual(len(result.objects()), len(covered))
        for line in result.err.splitlines():
            self.assertRegex(line, r"^\S+\.yaml:\d+(:\d+)?: error: ")

    def test_device_counts(self):
        seen = 0
        for path, fact in self.objects():
            if fact["kind"] not in KINDS:
                continue
            described = program.run("describe", path).objects()
            jobs = [job for job in described if job["kind"] == fact["kind"]]
            self.assertEqual(len(jobs), 1, path)
            expected = {name: str(count) for name, count in fact["total"].items()
                        if "/" in name and count} if isinstance(fact.get("total"), dict) else {}
            devices = {name: count for name, count in jobs[0]["devices"].items() if count != "0"}
            self.assertEqual(devices, expected, path)
            seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    program.main()
