"""Runs the built program and looks at what it did."""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PRECEDENT_PROGRAM"]
SOURCE = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"])
SHARED = SOURCE / ".." / "shared"
POLICIES = SOURCE / "examples" / "policies"
JOBS = SOURCE / "examples" / "jobs"
MEMORY_LIMITED = not os.environ.get("PRECEDENT_NO_MEMORY_LIMIT")

# A Monday noon in winter: 13:00 in Berlin, in everybody's working hours.
NOW = "--now=2026-03-02T12:00:00Z"


class Result:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout.decode("utf-8", "surrogateescape")
        self.err = completed.stderr.decode("utf-8", "surrogateescape")

    def objects(self):
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments, stdin=b"", memory_mib=2048, seconds=120, cwd=None, stdout=subprocess.PIPE):
    """Runs the program within limits of memory and time; input must not pass them."""
    if isinstance(stdin, str):
        stdin = stdin.encode()

    def limit():
        if MEMORY_LIMITED:
            size = memory_mib << 20
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

    completed = subprocess.run(
        [PROGRAM, *map(str, arguments)], input=stdin, stdout=stdout, stderr=subprocess.PIPE,
        timeout=seconds, preexec_fn=limit, cwd=cwd, check=False)
    completed.stdout = completed.stdout or b""
    return Result(completed)


class TestCase(unittest.TestCase):
    """Has a folder of its own for files."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assertRan(self, result, code):
        """The exit code, and on failure what the program said."""
        self.assertEqual(result.code, code, f"\nout:\n{result.out[-2000:]}\nerr:\n{result.err[-2000:]}")


def main():
    unittest.main(verbosity=1)
