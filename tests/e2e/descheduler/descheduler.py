"""Runs precedent-descheduler against an API server, and holds what it does against its word."""
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(SOURCE / "tests" / "e2e"))
# pylint: disable=wrong-import-position
import certificates
from api_server import ApiServer
from cluster import NOBODY_WAITS, Cluster

PATIENCE = 30  # seconds until what never happens is called so
POLICY = SOURCE / "examples" / "policies" / "seed.txtpb"
TOKENS = {"token-of-one": "one", "token-of-two": "two"}
MIN_RUNTIME = 60
PREEMPTION = f"minRuntimeSeconds: {MIN_RUNTIME}\nrestartSeconds: 60\nholdSeconds: 60\n"


def wait_until(condition, patience=PATIENCE):
    """Whether it came true in time."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Program:
    """The running program; its log goes to a file."""

    def __init__(self, arguments, log):
        self.log_path = log
        with open(log, "ab") as file:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [os.environ["PRECEDENT_DESCHEDULER"], *arguments], stdout=file, stderr=file)

    def wait(self):
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        """Returns when none of its threads runs: a signal takes a while to reach them all."""
        self.process.send_signal(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        wait_until(lambda: all(one.read_text().rpartition(")")[2].split()[0] == "T"
                               for one in tasks.glob("*/stat")))

    def stop(self):
        if self.process.poll() is None:
            self.kill()

    def log(self):
        return pathlib.Path(self.log_path).read_text()


class World:
    """A cluster, its API server, and programs that look after it."""

    def __init__(self, folder, **cluster):
        self.folder = folder
        self.cluster = Cluster(**cluster)
        self.api = ApiServer(self.cluster, (folder / "server.crt", folder / "server.key"), TOKENS)
        self.api.min_runtime = MIN_RUNTIME
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".yaml", delete=False) as file:
            file.write(PREEMPTION)
        self.preemption = pathlib.Path(file.name)
        self.log = pathlib.Path(file.name).with_suffix(".log")
        self.programs = []

    def arguments(self, *more, client="one"):
        token = self.folder / f"token-{client}"
        return [f"--policy={POLICY}", f"--preemption={self.preemption}",
                f"--api_server=https://{self.api.address}", f"--token_file={token}",
                f"--ca_file={self.folder / 'server.crt'}", f"--identity={client}", *more]

    def start(self, *more, client="one"):
        """Round after round, evicting."""
        self.programs.append(Program(self.arguments(
            "--evict", "--interval=100ms", "--least_interval=20ms", *more, client=client), self.log))
        return self.programs[-1]

    def once(self, *more, client="one"):
        """One round, evicting; what the program returned (negative: killed by that signal)."""
        program = Program(self.arguments("--once", "--evict", *more, client=client), self.log)
        self.programs.append(program)
        return program.wait()

    def program(self, number=0):
        """One that was started. A hook may want it before who started it has it in hand."""
        wait_until(lambda: len(self.programs) > number)
        return self.programs[number]

    def rounds(self):
        """How often the pods have been listed."""
        return sum("continue" not in one.query for one in self.api.entries("list pods"))

    def wait_rounds(self, count):
        # The one that is under way may have listed before what the caller did.
        wanted = self.rounds() + count + 1
        return wait_until(lambda: self.rounds() >= wanted)

    def close(self):
        for program in self.programs:
            program.stop()
        self.api.close()

    def said(self):
        """The end of the programs' log."""
        return self.log.read_text()[-3000:] if self.log.exists() else ""

    def complaints(self, calm=True):
        """What is wrong with what the server was asked, whatever the test is about.

        `calm`: nobody who waited could find room elsewhere meanwhile.
        """
        with self.api.lock:
            found = list(self.api.unexpected)
            found += [f"evicted twice: {one.path}" for one in self.api.double_evictions()]
            for one in self.api.entries("evict"):
                if one.accepted and not one.ordered:
                    found.append(f"not written down before, or not by the last writer: {one.path}")
                if one.illegal and (calm or one.illegal != NOBODY_WAITS):
                    found.append(f"{one.path}: {one.illegal}")
            return found


class TestCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        certificates.make(cls.folder, "server")
        for token, client in TOKENS.items():
            (cls.folder / f"token-{client}").write_text(token + "\n")

    def world(self, calm=True, **cluster):
        world = World(self.folder, **cluster)

        def check():
            world.close()
            self.assertEqual(world.complaints(calm), [], world.said())

        self.addCleanup(check)
        return world

    def stop_at(self, world, condition, *flags):
        """Starts the program, which stops (SIGSTOP) at the first request of which
        `condition(entry, when)` is true: gives it when it has."""
        stopped = []

        def hook(entry, when):
            if not stopped and condition(entry, when):
                stopped.append(entry)
                world.program().pause()
            return False

        world.api.hook = hook
        program = world.start(*flags, client="one")
        self.until(world, lambda: stopped)
        return program

    def until(self, world, condition):
        if not wait_until(condition):
            self.fail(f"in vain; evicted: {world.cluster.evicted()}; the log:\n{world.said()}")


def free_port():
    """One below those that outgoing connections get: nobody takes it meanwhile."""
    for port in random.sample(range(12_000, 20_000), 200):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("no free port")


def get(url):
    """(status, text) of a page; (0, "") while nobody listens."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except urllib.error.URLError:
        return 0, ""


def metrics(port):
    text = get(f"http://127.0.0.1:{port}/metrics")[1]
    return {name: float(value) for name, value in
            re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}


def state_of(world):
    """The data of the one ConfigMap, with JSON read where it is some."""
    [one] = world.api.config_maps.values()
    return {key: json.loads(text) for key, text in one["data"].items()}


def main():
    if not certificates.can_make():
        print("skipped: no openssl to make certificates with")
        sys.exit(77)
    unittest.main(verbosity=1)
