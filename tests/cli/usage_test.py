"""Usage: help texts, unknown words, missing ones, exit code 2."""
import os

import program

COMMANDS = ["derive", "describe", "explain", "submit", "check", "test", "compile", "format", "classes",
            "replay"]
SEED = str(program.POLICIES / "seed.txtpb")
JOB = str(program.JOBS / "01-chat-inference.yaml")


class UsageTest(program.TestCase):
    def test_help_of_the_program_names_every_command(self):
        result = program.run("--help")
        self.assertRan(result, 0)
        self.assertEqual(result.err, "")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", result.out)

    def test_every_command_has_its_own_help(self):
        texts = set()
        for command in COMMANDS:
            result = program.run(command, "--help")
            self.assertRan(result, 0)
            self.assertEqual(result.err, "")
            self.assertTrue(result.out.startswith(f"usage: precedent {command} "), result.out)
            self.assertIn("Exit code:", result.out)
            texts.add(result.out)
        self.assertEqual(len(texts), len(COMMANDS))

    def test_help_wins_over_missing_arguments(self):
        self.assertRan(program.run("derive", "--help", "--policy=nothing"), 0)

    def test_version(self):
        result = program.run("--version")
        self.assertRan(result, 0)
        self.assertRegex(result.out, r"^precedent \d+\.\d+\.\d+\n$")

    def assertUsage(self, words, message):
        result = program.run(*words)
        self.assertRan(result, 2)
        self.assertEqual(result.out, "")
        self.assertIn(message, result.err)

    def test_nothing_at_all(self):
        self.assertUsage([], "usage: precedent COMMAND")

    def test_unknown_command(self):
        self.assertUsage(["drive"], "unknown command `drive`")

    def test_commands_of_other_releases_are_unknown(self):
        for command in ["prove", "diff", "simulate", "tune"]:
            self.assertUsage([command, "x"], f"unknown command `{command}`")

    def test_unknown_flag(self):
        for command in COMMANDS:
            self.assertUsage([command, "--polcy=x", "y"], "unknown flag `--polcy=x`")

    def test_flag_of_another_command(self):
        self.assertUsage(["format", "--now=2026-01-01T00:00:00Z", SEED], "unknown flag `--now")

    def test_flags_of_the_flags_library_are_not_ours(self):
        for flag in ["--flagfile=x", "--fromenv=x", "--undefok=x", "--helpfull"]:
            self.assertUsage(["derive", flag, JOB], "unknown flag")

    def test_missing_arguments(self):
        self.assertUsage(["derive", f"--policy={SEED}"], "missing argument: it takes FILE...")
        self.assertUsage(["describe"], "missing argument")
        self.assertUsage(["explain", f"--policy={SEED}"], "missing argument")
        self.assertUsage(["check"], "missing argument")
        self.assertUsage(["test", SEED], "missing argument: it takes POLICY CASES...")
        self.assertUsage(["compile", "-o", "x"], "missing argument")
        self.assertUsage(["format"], "missing argument")

    def test_too_many_arguments(self):
        self.assertUsage(["format", SEED, SEED], "too many arguments")
        self.assertUsage(["classes", f"--policy={SEED}", JOB], "too many arguments: it takes none")
        self.assertUsage(["compile", SEED, SEED, "-o", "x"], "too many arguments")

    def test_missing_policy(self):
        for command in ["derive", "explain", "submit"]:
            self.assertUsage([command, JOB], "missing --policy")
            self.assertUsage([command, "--policy=", JOB], "missing --policy")
        self.assertUsage(["classes"], "missing --policy")

    def test_missing_output(self):
        self.assertUsage(["compile", SEED], "missing -o")

    def test_flag_without_value(self):
        self.assertUsage(["derive", JOB, "--policy"], "flag `--policy` needs a value")

    def test_bad_values(self):
        policy = f"--policy={SEED}"
        for now in ["yesterday", "2026-13-01T00:00:00Z", "infinite-future", "2026-03-01", "12345"]:
            self.assertUsage(["derive", policy, f"--now={now}", JOB], "--now: `" + now + "`")
            self.assertUsage(["explain", policy, f"--now={now}", JOB], "--now: ")
            self.assertUsage(["describe", f"--now={now}", JOB], "--now: ")
            self.assertUsage(["test", f"--now={now}", SEED, JOB], "--now: ")
            self.assertUsage(["submit", policy, f"--now={now}", JOB], "--now: ")
        self.assertUsage(["submit", policy, "--queue-policy=fifo", JOB], "--queue-policy: `fifo`")
        self.assertUsage(["derive", policy, "--queue-policy=none", JOB], "unknown flag")
        self.assertUsage(["derive", policy, "--output=xml", JOB], "--output: `xml`")
        self.assertUsage(["check", "--output=table", SEED], "--output: `table`")
        self.assertUsage(["check", "--strict=perhaps", SEED], "is not a value for it")
        self.assertUsage(["compile", SEED, "-o", "x", "--as=footer"], "--as: `footer`")

    def test_bad_options_and_definition(self):
        policy = f"--policy={SEED}"
        options = self.file("options.txtpb", "device_weight { key: \"x\" value: 1 }\n")
        self.assertUsage(["derive", policy, f"--options={options}", JOB], "options.txtpb:1:")
        self.assertUsage(["describe", f"--options={options}", JOB], "device_weight")
        self.assertUsage(["submit", policy, f"--options={options}", JOB], "device_weight")
        shares = self.file("shares.txtpb", "known_shares: \"a\" default_share: \"b\"\n")
        self.assertUsage(["submit", policy, f"--options={shares}", JOB],
                         "shares.txtpb: error: default_share: `b` is none of known_shares")
        self.assertUsage(["check", f"--options={options}", SEED], "device_weight")
        self.assertUsage(["derive", policy, "--options=nowhere", JOB], "nowhere: error: cannot be opened")
        definition = self.file("definition.json", "{\"type\": ")
        self.assertUsage(["describe", f"--definition={definition}", JOB], "definition.json:1:")

    def test_words_after_two_dashes_are_files(self):
        result = program.run("describe", "--", "--help")
        self.assertRan(result, 1)
        self.assertIn("--help: error: cannot be opened", result.err)

    def test_value_as_a_word_of_its_own(self):
        result = program.run("derive", "--policy", SEED, JOB)
        self.assertRan(result, 0)
        self.assertEqual(len(result.objects()), 1)

    def test_full_disk_is_not_success(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "wb") as full:
            result = program.run("format", SEED, stdout=full)
        self.assertRan(result, 2)
        self.assertIn("cannot write to standard output", result.err)


if __name__ == "__main__":
    program.main()
