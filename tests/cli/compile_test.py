"""precedent compile: images and headers."""
import os
import stat
import subprocess

import program

SEED = program.POLICIES / "seed.txtpb"

# Evaluates one job with nothing but the library's headers and the image in a header.
MAIN = """
#include <cstdio>
#include "precedent/evaluator.h"
#include "my-seed.v2.h"
#include "my-seed.v2.h"
int main() {
  precedent::ImageError error;
  const auto evaluator = precedent::Evaluator::FromImage(precedent_images::my_seed(), &error);
  if (!evaluator) return 1;
  precedent::JobDescriptor job;
  job.environment = "production";
  job.gpu_count = 8;
  std::printf("%d\\n", evaluator->Evaluate(job, precedent::TimePoint()).priority);
}
"""


class CompileTest(program.TestCase):
    def test_image(self):
        image = self.folder / "seed.image"
        result = program.run("compile", SEED, "-o", image)
        self.assertRan(result, 0)
        self.assertEqual((result.out, result.err), ("", ""))
        first = image.read_bytes()
        self.assertGreater(len(first), 100)
        self.assertRan(program.run("compile", "-o", image, SEED), 0)
        self.assertEqual(image.read_bytes(), first)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["seed.image"])

    def test_mode_follows_the_mask(self):
        image = self.folder / "seed.image"
        mask = os.umask(0o027)
        try:
            self.assertRan(program.run("compile", SEED, "-o", image), 0)
        finally:
            os.umask(mask)
        self.assertEqual(stat.S_IMODE(image.stat().st_mode), 0o640)

    def test_replaces_and_does_not_write_into(self):
        image = self.file("seed.image", "old")
        old = self.folder / "old.image"
        os.link(image, old)
        self.assertRan(program.run("compile", SEED, "-o", image), 0)
        self.assertEqual(old.read_bytes(), b"old")
        self.assertNotEqual(image.read_bytes(), b"old")

    def test_cannot_be_written(self):
        target = self.folder / "nowhere" / "seed.image"
        result = program.run("compile", SEED, "-o", target)
        self.assertRan(result, 2)
        self.assertIn(f"{target}: error: cannot be created: no such file or directory", result.err)
        folder = self.folder / "folder"
        folder.mkdir()
        result = program.run("compile", SEED, "-o", folder)
        self.assertRan(result, 2)
        self.assertIn("folder: error: ", result.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["folder"])

    def test_policy_errors_leave_the_old_image(self):
        image = self.file("seed.image", "old")
        policy = self.file("policy.txtpb", "stages { rules { } }")
        result = program.run("compile", policy, "-o", image)
        self.assertRan(result, 2)
        self.assertIn("policy.txtpb:1:", result.err)
        self.assertEqual(image.read_bytes(), b"old")

    def test_not_lock_free(self):
        image = self.folder / "p.image"
        policy = self.file("policy.txtpb",
                           'stages { rules { id: "a" when { queue { regex: "a[0-9]+b|c+" } } set: 1 } }')
        result = program.run("compile", policy, "-o", image)
        self.assertRan(result, 2)
        self.assertIn("policy.txtpb: error: has a pattern that needs RE2, so it is not lock-free", result.err)
        self.assertFalse(image.exists())
        # It decides all the same.
        derived = program.run("derive", f"--policy={policy}", "-", stdin='{"queue": "a12b"}')
        self.assertRan(derived, 0)
        self.assertEqual(derived.objects()[0]["priority"], 1)

    def test_header(self):
        header = self.folder / "my-seed.v2.h"
        self.assertRan(program.run("compile", SEED, "-o", header, "--as=header"), 0)
        text = header.read_text()
        self.assertIn("#ifndef PRECEDENT_IMAGE_MY_SEED_H_", text)
        self.assertIn("alignas(64) inline constexpr unsigned char my_seed_bytes[] = {", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        source = self.file("main.cc", MAIN)
        binary = self.folder / "main"
        subprocess.run(
            [os.environ["PRECEDENT_CXX"], "-std=c++17", "-Wall", "-Wextra", "-Werror",
             f"-I{program.SOURCE / 'include'}", f"-I{os.environ['PRECEDENT_BUILD_INCLUDE_DIR']}",
             str(source), "-o", str(binary)], check=True, timeout=250)
        self.assertEqual(subprocess.run([binary], check=True, capture_output=True).stdout, b"950\n")


if __name__ == "__main__":
    program.main()
