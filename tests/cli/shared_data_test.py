"""Kubernetes objects as people write them, where the data is at hand."""
import json
import unittest

import program

DATA = program.SHARED / "data" / "kubernetes"


@unittest.skipUnless(DATA.is_dir(), f"no {DATA}: the shared data is not beside this checkout")
class SharedDataTest(program.TestCase):
    def objects(self):
        """(file, its facts)."""
        facts = json.loads((DATA / "facts.json").read_text())
        for name, fact in sorted(facts.items()):
            for suffix in (".yaml", ".json"):
                path = DATA / (name + suffix)
                if path.exists() and "kind" in fact:
                    yield path, fact

    def test_every_file_is_answered(self):
        files = sorted(DATA.glob("*.yaml"))
        self.assertGreater(len(files), 20)
        result = program.run("derive", f"--policy={program.POLICIES / 'fleet.txtpb'}", program.NOW, *files)
        self.assertRan(result, 0)
        kinds = [fact["kind"] for path, fact in self.objects() if path.suffix == ".yaml"]
        self.assertEqual([job["kind"] for job in result.objects()], kinds)

    def test_claims_count_where_they_are_in_the_same_input(self):
        for name, gpus in (("k14-dra-shared-claim", 1), ("k15-dra-two-requests", 2),
                           ("k16-dra-all-admin", None), ("k27-jobset-dra-gang", 6)):
            for suffix in (".yaml", ".json"):
                result = program.run("describe", DATA / (name + suffix))
                self.assertRan(result, 0)
                self.assertEqual(result.objects()[0].get("gpuCount"), gpus, name)
                self.assertEqual("gpu_count is absent" in result.err, gpus is None)

    def test_device_counts(self):
        seen = 0
        for path, fact in self.objects():
            described = program.run("describe", path).objects()
            jobs = [job for job in described if job["kind"] == fact["kind"]]
            self.assertEqual(len(jobs), 1, path)
            expected = {name: str(count) for name, count in fact["total"].items()
                        if "/" in name and count} if isinstance(fact.get("total"), dict) else {}
            devices = {name: count for name, count in jobs[0]["devices"].items() if count != "0"}
            self.assertEqual(devices, expected, path)
            seen += 1
        self.assertEqual(seen, 54)


if __name__ == "__main__":
    program.main()
