"""Bad input: a clear error with file and place, in bounded time and memory, and the
other inputs answered."""
import os
import re
import time

import program

SEED = f"--policy={program.POLICIES / 'seed.txtpb'}"

POD = """apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    resources:
      limits:
        nvidia.com/gpu: %s
"""


class BadInputTest(program.TestCase):
    def refused(self, path, words, line=None, memory_mib=1024, seconds=60, command="derive"):
        """The file is refused, a good file beside it answered."""
        good = self.file("good.json", '{"name": "good"}')
        arguments = [command] + ([SEED] if command == "derive" else []) + [path, good]
        before = time.monotonic()
        result = program.run(*arguments, memory_mib=memory_mib, seconds=seconds)
        self.assertLess(time.monotonic() - before, seconds)
        self.assertRan(result, 1)
        self.assertEqual([job.get("job", job.get("name")) for job in result.objects()], ["good"])
        place = ": " if line is None else f":{line}(:\\d+)?: "
        self.assertRegex(result.err, f"^{re.escape(str(path))}{place}error: ")
        self.assertIn(words, result.err)
        for text in result.err.splitlines():
            self.assertLess(len(text), 1000)
        return result

    def test_empty_file(self):
        self.refused(self.file("empty.yaml", ""), "is empty")

    def test_nothing_but_white_space_or_comments(self):
        self.refused(self.file("space.json", " \n\n"), "holds nothing but")
        self.refused(self.file("comment.yaml", "# nothing\n---\n# here\n"), "holds nothing but")
        self.refused(self.file("comment.txtpb", "# nothing\n"), "holds nothing but")

    def test_directory(self):
        self.refused(self.folder, "is a directory")

    def test_no_such_file(self):
        self.refused(self.folder / "none.yaml", "cannot be opened: no such file or directory")

    def test_unreadable(self):
        path = self.file("secret.yaml", "name: x\n")
        path.chmod(0)
        if os.access(path, os.R_OK):
            self.skipTest("this user may read everything")
        self.refused(path, "cannot be opened: permission denied")

    def test_truncated_documents(self):
        whole = (program.JOBS / "09-pods-list.json").read_text()
        self.refused(self.file("cut.json", whole[:len(whole) // 2]), "error", line=1 + whole[:len(whole) // 2].count("\n"))
        self.refused(self.file("cut.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: 'p\n"), "error", line="[34]")
        self.refused(self.file("cut.txtpb", 'name: "x"\nlineage {\n'), "error", line="[23]")

    def test_hundred_megabytes_of_brackets(self):
        for name in ["brackets.json", "brackets.yaml", "brackets.txtpb", "brackets"]:
            path = self.folder / name
            with open(path, "wb") as file:
                for _ in range(100):
                    file.write(b"[" * 1_000_000)
            result = self.refused(path, "", line=1, memory_mib=512)
            self.assertEqual(len(result.err.splitlines()), 1)
            path.unlink()

    def test_brackets_within_the_limit(self):
        for name, start in [("a.yaml", b""), ("b.json", b'{"a":'), ("c.yaml", b"a: "), ("d.txtpb", b"labels: "),
                            ("e.json", b'{"a":' * 1000)]:
            path = self.file(name, start + b"[" * 10_000_000)
            self.refused(path, "", line=1, memory_mib=512)
            path.unlink()
        self.refused(self.file("f.yaml", b"- " * 1_000_000), "", line=1, memory_mib=512)
        self.refused(self.file("g.yaml", b"{a: " * 1_000_000), "", line=1, memory_mib=512)
        self.refused(self.file("h.txtpb", b"lineage{" * 1_000_000), "", line=1, memory_mib=512)

    def test_brackets_on_standard_input(self):
        result = program.run("derive", SEED, "-", stdin=b"[" * 100_000_000, memory_mib=512)
        self.assertRan(result, 1)
        self.assertIn("<stdin>:1: error: ", result.err)

    def test_document_beyond_the_limit(self):
        # One value of 65 MiB, then another file.
        path = self.folder / "large.json"
        with open(path, "wb") as file:
            file.write(b'{"name": "')
            for _ in range(65):
                file.write(b"x" * (1 << 20))
            file.write(b'"}\n{"name": "after"}\n')
        result = program.run("derive", SEED, path, memory_mib=512)
        self.assertRan(result, 1)
        self.assertIn(f"{path}:1: error: a document is larger than the limit of 64 MiB", result.err)
        self.assertEqual([d["job"] for d in result.objects()], ["after"])

    def test_alias_bomb(self):
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]" for i in range(1, 10)]
        self.refused(self.file("bomb.yaml", "\n".join(lines) + "\n"), "alias", line=r"\d+", memory_mib=1024)

    def test_duplicate_keys(self):
        self.refused(self.file("twice.json", '{"name": "a",\n "name": "b"}'), "name", line=2)
        self.refused(self.file("twice.yaml", "name: a\nteam: b\nname: c\n"), "name", line=3)
        self.refused(self.file("twice.txtpb", 'name: "a"\nteam: "b"\nname: "c"\n'), "name", line=3)
        self.refused(self.file("deep.yaml", POD % 1 + "        nvidia.com/gpu: 2\n"), "nvidia.com/gpu", line=10)

    def test_device_quantities(self):
        for quantity in ["1e30", "-1", "0.5", '"1e30"', '"-1"', '"0.5"', '"1 "', '""', "[]", "{}", "true", '"1e999999999"', "1n"]:
            path = self.file("pod.yaml", POD % quantity)
            self.refused(path, "nvidia.com/gpu", line=9)
            self.refused(path, "nvidia.com/gpu", line=9, command="describe")

    def test_invalid_utf8(self):
        self.refused(self.file("bytes.json", b'{"name": "a\xff"}'), "UTF-8", line=1)
        self.refused(self.file("bytes.yaml", b"team: x\nname: a\xc3\n"), "UTF-8", line=2)
        self.refused(self.file("bytes.txtpb", b'team: "x"\nname: "\xed\xa0\x80"\n'), "UTF-8", line=2)
        self.refused(self.file("escaped.txtpb", 'name: "\\377"\n'), "UTF-8", line=1)
        self.refused(self.file("wide.yaml", "name: x\n".encode("utf-16")), "", line=1)

    def test_binary_file(self):
        self.refused(self.file("a.out", b"\x7fELF\0\0\0" * 100), "is not text", line=1)

    def test_byte_order_mark_is_no_harm(self):
        for name, text in [("a.json", '{"name": "x"}'), ("b.yaml", "name: x\n"), ("c.txtpb", 'name: "x"\n')]:
            path = self.file(name, b"\xef\xbb\xbf" + text.encode())
            result = program.run("derive", SEED, path)
            self.assertRan(result, 0)

    def test_not_an_object(self):
        self.refused(self.file("list.json", '[{"name": "a"}]'), "holds a JSON list", line=1)
        self.refused(self.file("list.yaml", "- name: a\n"), "expected an object, found a list", line=1)
        self.refused(self.file("text.yaml", "hello\n"), "expected an object, found a string", line=1)

    def test_neither_kubernetes_nor_batch_nor_a_descriptor(self):
        self.refused(self.file("other.yaml", "hello: world\nfoo: bar\n"), "is no Kubernetes object", line=1)

    def test_objects_that_have_no_priority(self):
        result = self.refused(self.file("service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"), "Service", line=1)
        self.assertIn("Service", result.err)
        self.refused(self.file("no-kind.yaml", "apiVersion: v1\nmetadata: {name: s}\nspec: {}\n"), "kind", line=1)

    def test_item_of_a_list(self):
        path = self.file("list.yaml", "apiVersion: v1\nkind: List\nitems:\n" + "".join(
            "- " + (POD % gpus).replace("\n", "\n  ").rstrip(" ") for gpus in ("1", "0.5", "2")))
        result = program.run("derive", SEED, path)
        self.assertRan(result, 1)
        self.assertEqual(len(result.objects()), 2)
        self.assertIn("items[1]", result.err)
        self.assertIn(f"{path}:21:", result.err)

    def test_messages_cannot_steer_the_terminal(self):
        result = self.refused(self.file("esc.json", '{"name": "a", "\\u001b[31m": 1}'), "[31m", line=1)
        self.assertNotIn("\x1b", result.err)

    def test_long_file_in_little_memory(self):
        # 60 MB of jobs, one a line, with a damaged one in the middle.
        path = self.folder / "many.ndjson"
        line = b'{"name": "n", "labels": {"a": "' + b"x" * 3000 + b'"}, "environment": "production"}\n'
        with open(path, "wb") as file:
            for _ in range(20):
                file.write(line * 500)
            file.write(b'{"name": \n')
            for _ in range(20):
                file.write(line * 500)
        result = program.run("derive", SEED, path, memory_mib=160, seconds=200)
        self.assertRan(result, 1)
        self.assertEqual(result.out.count("\n"), 20000)
        self.assertEqual(len(result.err.splitlines()), 1)


class BadPolicyTest(program.TestCase):
    def test_bad_policies(self):
        job = self.file("job.json", "{}")
        for name, content in {
                "empty.txtpb": b"", "brackets.json": b"[" * 10_000_000, "brackets.yaml": b"[" * 1_000_000,
                "cut.json": b'{"stages": [', "bytes.txtpb": b'name: "\xff"', "twice.json": b'{"name": "a", "name": "b"}'}.items():
            policy = self.file(name, content)
            result = program.run("derive", f"--policy={policy}", job, memory_mib=1024)
            if name == "empty.txtpb":
                # An empty policy is legal or not, as the library says; never a crash.
                self.assertIn(result.code, (0, 2))
                continue
            self.assertRan(result, 2)
            self.assertEqual(result.out, "")
            self.assertIn(name, result.err)
            checked = program.run("check", policy, memory_mib=1024)
            self.assertRan(checked, 1)


if __name__ == "__main__":
    program.main()
