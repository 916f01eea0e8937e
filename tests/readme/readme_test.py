#!/usr/bin/env python3
"""Runs README.md: every fenced block is checked, or says why it is not.

    readme_test.py SOURCE_DIR BUILD_DIR [--write]

An HTML comment on the line before a block says what the block is:
    <!-- file: NAME -->        written to NAME in a scratch folder
    <!-- same as: PATH -->     must be the text of PATH in the repository
    <!-- run -->               lines after `$ ` are commands, run in the scratch folder in
                               order; what follows each is what it must print
    <!-- scripts -->           scripts of the repository; CI runs them, here they must be there
--write puts what the commands print into README.md instead of comparing it.
"""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- (?P<mark>[^>]*?) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


def run_console(body, folder, environment):
    """The block as it should be: each command followed by what it prints."""
    lines = []
    for command in re.findall(r"^\$ (.*(?:\n> .*)*)", body, re.MULTILINE):
        lines.append("$ " + command)
        done = subprocess.run(["bash", "-c", command.replace("\n> ", "\n")], cwd=folder,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=60, check=False)
        lines += done.stdout.splitlines()
    return "".join(line + "\n" for line in lines)


def main():
    source, build = (os.path.realpath(path) for path in sys.argv[1:3])
    write = sys.argv[3:] == ["--write"]
    readme = os.path.join(source, "README.md")
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    failures = []
    counts = {"file": 0, "same as": 0, "run": 0, "scripts": 0}
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(build, os.path.join(folder, "build"))
        os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
        environment = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC")

        def check(block):
            mark, body = block["mark"] or "", block["body"]
            line = text.count("\n", 0, block.start()) + 1
            kind, _, argument = mark.partition(": ")
            if kind not in counts:
                failures.append(f"README.md:{line}: a block that nothing checks")
                return block[0]
            counts[kind] += 1
            if kind == "file":
                with open(os.path.join(folder, argument), "w", encoding="utf-8") as file:
                    file.write(body)
            elif kind == "same as":
                with open(os.path.join(source, argument), encoding="utf-8") as file:
                    if body not in file.read():
                        failures.append(f"README.md:{line}: differs from {argument}")
            elif kind == "scripts":
                for command in body.splitlines():
                    if not os.access(os.path.join(source, command.split()[0]), os.X_OK):
                        failures.append(f"README.md:{line}: cannot run `{command}`")
            else:
                printed = run_console(body, folder, environment)
                if write:
                    return block[0].replace(body, printed)
                if printed != body:
                    failures.append(f"README.md:{line}: the commands print\n{printed}")
            return block[0]

        result = BLOCK.sub(check, text)
    if write:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(result)
    for kind in ("file", "same as", "run"):
        if counts[kind] == 0:
            failures.append(f"README.md has no block marked `{kind}`: is the pattern right?")
    print("\n".join(failures) or f"{sum(counts.values())} blocks are as README.md says")
    sys.exit(bool(failures))


main()
