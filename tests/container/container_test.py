#!/usr/bin/env python3
"""The Containerfile of the webhook and the descheduler.

    container_test.py packages SOURCE PROGRAM...   what the programs load is installed
    container_test.py build SOURCE                 carries out its steps, in a root that
                                                   debootstrap makes instead of an image
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILE = "examples/kubernetes_webhook/Containerfile"
USER = "65532:65532"


def skip(why):
    print(f"container_test: skipped: {why}")
    sys.exit(0)


def instructions(source):
    """[(instruction, rest)]; comments and line ends that continue are gone."""
    text = re.sub(r"^#.*\n", "", (source / FILE).read_text(), flags=re.MULTILINE)
    text = text.replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def installed_by(run):
    """The packages that a RUN installs."""
    found = re.search(r"apt-get install (.*?)(?:&&|$)", run)
    return {word for word in found[1].split() if not word.startswith("-")} if found else set()


def output(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def packages(source, programs):
    steps = instructions(source)
    stages = []
    for name, rest in steps:
        if name == "FROM":
            stages.append((rest, set()))
            # By name alone: which registry is not for this file to say.
            assert re.fullmatch(r"debian:\d+-slim( AS build)?", rest), rest
        elif name == "RUN":
            stages[-1][1].update(installed_by(rest))
        elif name == "COPY" and not rest.startswith("--from"):
            for path in rest.split()[:-1]:
                assert (source / path).exists(), path
    assert len(stages) == 2, stages
    assert ("USER", USER) in steps, "runs as root"
    if not shutil.which("dpkg-query"):
        skip("no dpkg to ask which package has a library")
    release = re.search(r'VERSION_ID="(\d+)"', pathlib.Path("/etc/os-release").read_text())
    if not release or f"debian:{release[1]}-slim" not in stages[1][0]:
        skip(f"this is no {stages[1][0]}")
    paths = set()
    for program in programs:
        direct = set(re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program)))
        for line in output("ldd", program).splitlines():
            name, _, path = line.strip().partition(" => ")
            if name in direct and path:
                found = os.path.realpath(path.split()[0])
                # dpkg knows either of /lib and /usr/lib, of which one is a link to the other.
                paths |= {found, found.removeprefix("/usr")}
    owners = subprocess.run(["dpkg-query", "-S", *paths], check=False, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    needed = {line.split(":")[0] for line in owners.splitlines()}
    needed -= {"libc6", "libgcc-s1"}  # of every root
    assert needed, "the programs load nothing"
    missing, idle = needed - stages[1][1], stages[1][1] - needed - {"ca-certificates", "tzdata"}
    assert not missing, f"the second stage lacks {sorted(missing)}"
    assert not idle, f"nothing in the second stage loads {sorted(idle)}"
    print(f"container_test: {len(programs)} programs load {len(needed)} packages, which it has")


def bootstrap(root, suite):
    """A root as small as the image, with the package sources of this machine."""
    uri = output("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
                 f"Release: {suite}").split()[0]
    subprocess.run(["debootstrap", "--variant=minbase", suite, root, uri], check=True,
                   stdout=subprocess.DEVNULL)
    for path in ("etc/apt", "etc/resolv.conf", "usr/share/keyrings"):
        target = root / path
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        here = pathlib.Path("/") / path
        if here.is_dir():
            shutil.copytree(here, target, symlinks=True)
        else:
            shutil.copy(here, target)


def build(source):
    if not shutil.which("debootstrap") or os.geteuid() != 0:
        skip("it needs debootstrap, and root")
    suite = output("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").strip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bootstrap(folder / "base", suite)
        stages = {}
        root, place = None, "/"
        for instruction, rest in instructions(source):
            print(f"{instruction} {' '.join(rest.split())[:100]}", flush=True)
            if instruction == "FROM":
                root, place = folder / f"stage{len(stages)}", "/"
                stages[rest.partition(" AS ")[2] or "last"] = root
                subprocess.run(["cp", "-a", folder / "base", root], check=True)
            elif instruction == "WORKDIR":
                place = rest
                (root / place[1:]).mkdir(parents=True, exist_ok=True)
            elif instruction == "COPY":
                words = rest.split()
                origin = source
                if words[0].startswith("--from="):
                    origin = stages[words.pop(0).partition("=")[2]]
                target = root / os.path.join(place, words[-1])[1:]
                for path in words[:-1]:
                    path = origin / path.lstrip("/")
                    if path.is_dir():
                        shutil.copytree(path, target, dirs_exist_ok=True)
                    else:
                        shutil.copy(path, target)
            elif instruction == "RUN":
                # With /proc, as a container has it: protoc finds its files by it. The mount goes
                # with its namespace.
                done = subprocess.run(
                    ["unshare", "--mount", "sh", "-c",
                     'mount -t proc proc "$0/proc" && exec chroot "$0" sh -c "$1"',
                     root, f"cd {place} && {rest}"],
                    check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True)
                assert done.returncode == 0, done.stdout[-10000:]
        for program in ("precedent-webhook", "precedent-webhook-pods", "precedent-descheduler"):
            done = subprocess.run(["chroot", f"--userspec={USER}", root, program, "extra"],
                                  check=False, stderr=subprocess.PIPE, text=True)
            assert (done.returncode, done.stderr) == (
                2, f"{program}: unexpected argument `extra`\n"), done
        print("container_test: all programs start in the second stage")


if __name__ == "__main__":
    if sys.argv[1] == "packages":
        packages(pathlib.Path(sys.argv[2]), sys.argv[3:])
    else:
        build(pathlib.Path(sys.argv[2]))
