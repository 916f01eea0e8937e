"""The zip of the function, run out of an empty environment as Lambda runs it."""
import os
import pathlib
import subprocess
import unittest
import zipfile

import support

EXAMPLE = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"], "examples", "batch_lambda")
BUILD = pathlib.Path(support.BOOTSTRAP).parents[2]


class PackageTest(support.TestCase):
    def test_runs_with_its_own_libraries_and_policy(self):
        archive = self.folder / "function.zip"
        subprocess.run(["bash", EXAMPLE / "package.sh", self.policy, archive, BUILD], check=True,
                       stdout=subprocess.DEVNULL)
        root = self.folder / "task"
        with zipfile.ZipFile(archive) as opened:
            # Lambda unzips with the modes that are in it.
            for entry in opened.infolist():
                path = opened.extract(entry, root)
                if entry.external_attr >> 16:
                    os.chmod(path, entry.external_attr >> 16 & 0o777)
        # Lambda's limit for a zip that is sent directly.
        self.assertLess(archive.stat().st_size, 50 << 20)
        self.policy.unlink()
        environment = self.recorder.environment(LAMBDA_TASK_ROOT=str(root))
        self.processes.append(subprocess.Popen(
            [root / "bootstrap"], env=environment, stdout=self.output, stderr=self.output))
        self.send({"jobName": "n", "jobQueue": "gpu", "jobDefinition": "train:1",
                   "tags": {"team": "nlp", "environment": "production"}})
        self.finish()
        self.assertEqual(self.recorder.batch.jobs[0]["schedulingPriorityOverride"], 1000,
                         self.printed())
        maps = pathlib.Path(f"/proc/{self.processes[0].pid}/maps").read_text()
        libraries = {line.split(None, 5)[5] for line in maps.splitlines() if ".so" in line}
        self.assertGreater(len(libraries), 5)
        self.assertEqual({name for name in libraries if not name.startswith(str(root))}, set())


if __name__ == "__main__":
    unittest.main()
