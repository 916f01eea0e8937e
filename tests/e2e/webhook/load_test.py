"""The load that bench/webhook measures, briefly: the same answers, no failure, no growth."""
import re
import shutil
import subprocess
import sys
import unittest

import webhook

LOAD = webhook.SOURCE / "bench" / "webhook" / "load.py"
MISSING = [tool for tool in ("wrk", "nginx", "openssl", "curl") if not shutil.which(tool)]


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Load(unittest.TestCase):
    def run_load(self, *flags):
        completed = subprocess.run([sys.executable, "-B", str(LOAD), f"--webhook={webhook.WEBHOOK}", *flags],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=200)
        self.assertEqual(completed.returncode, 0, completed.stderr.decode())
        return completed.stdout.decode()

    def test_next_to_nginx(self):
        out = self.run_load("--rounds=3", "--seconds=1")
        ratio = float(re.search(r"median ([\d.]+)$", out, re.MULTILINE)[1])
        # The aim on a quiet machine is 0.7; a busy one has given 0.33. A cliff, such as 40 ms
        # an answer, is below 0.1 anywhere.
        self.assertGreater(ratio, 0.2, out)

    def test_swaps_under_load_neither_fail_nor_grow(self):
        out = self.run_load("--soak=20")
        self.assertIn(" failed=0 ", out)
        first, second = map(int, re.search(r"first half (\d+) KiB, second half (\d+) KiB", out).groups())
        self.assertLess(second, first * 1.2, out)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
