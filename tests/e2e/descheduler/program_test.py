"""The program itself: a state that cannot be read, a policy that cannot, metrics, flags."""
import json
import os
import pathlib
import re
import signal
import subprocess

import descheduler


class StateTest(descheduler.TestCase):
    def world_with_state(self):
        """One round has been: its data, as they are written."""
        world = self.world(grace=0)
        for number in range(2):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
        world.cluster.add("chat0", 4, "inference")
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(len(world.cluster.evicted()), 1)
        [(name, one)] = world.api.config_maps.items()
        self.assertEqual(name, "precedent-descheduler")
        world.cluster.add("chat1", 4, "inference")
        return world, name, one["data"]

    def nothing_happens(self, world, name, data):
        world.api.put_state(name, data)
        before = len(world.api.writes())
        self.assertEqual(world.once(), 1, world.said())
        self.assertEqual(len(world.cluster.evicted()), 1)
        # Nor is it overwritten: people may want to look at it.
        self.assertEqual([one.verb for one in world.api.writes()[before:]], [])
        self.assertIn(name, world.said())

    def test_what_cannot_be_read_evicts_nobody(self):
        world, name, data = self.world_with_state()
        [(key, text)] = data.items()
        for damaged in (text[:len(text) // 2], "[]", "7", "{\"a\":", "\u0000", "null"):
            with self.subTest(text=damaged):
                self.nothing_happens(world, name, {key: damaged})
        # What a newer one wrote.
        state = json.loads(text)
        [version] = [one for one in state if "version" in one.lower() or "format" in one.lower()]
        with self.subTest(version=version):
            self.nothing_happens(world, name, {key: json.dumps({**state, version: 999})})
        with self.subTest("written in the future"):
            self.nothing_happens(world, name, {key: json.dumps(
                {**state, "renewed": state["renewed"] + 3600 * 10**6})})
        # Whole again, all goes on.
        world.api.put_state(name, data)
        self.assertEqual(world.once(), 0)
        self.assertEqual(len(world.cluster.evicted()), 2)

    def test_the_metrics_say_so(self):
        world, name, data = self.world_with_state()
        [key] = data
        world.api.put_state(name, {key: "damaged"})
        port = descheduler.free_port()
        world.start(f"--metrics_port={port}")
        failing = lambda: descheduler.metrics(port).get("precedent_descheduler_state_failing")
        self.until(world, lambda: failing() == 1)
        world.api.put_state(name, data)
        self.until(world, lambda: failing() == 0)
        self.until(world, lambda: world.cluster.runs("chat1"))


class PolicyTest(descheduler.TestCase):
    NOBODY = "stages { rules { id: \"all\" set: 500 } }\n" \
             "priority_classes { name: \"experimental\" at_least: 0 }\n"

    def arrange(self):
        world = self.world(grace=0)
        for number in range(2):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
        world.cluster.add("chat0", 4, "inference")
        policy = world.folder / f"policy{id(world)}.txtpb"
        return world, policy

    def replace(self, policy, text):
        fresh = policy.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(policy)

    def test_broken_it_counts_no_more_and_mended_it_counts(self):
        world, policy = self.arrange()
        policy.write_text(self.NOBODY)
        program = world.start(f"--policy={policy}")
        self.until(world, lambda: world.wait_rounds(3))
        self.assertEqual(world.cluster.evicted(), [])
        self.replace(policy, "stages { rules { set: }")
        self.until(world, lambda: world.wait_rounds(3))
        self.assertEqual(world.cluster.evicted(), [])
        self.replace(policy, descheduler.POLICY.read_text())
        self.until(world, lambda: world.cluster.runs("chat0"))
        # Broken again: the one that was good stays.
        self.replace(policy, "")
        self.until(world, lambda: world.wait_rounds(2))
        world.cluster.add("chat1", 4, "inference")
        self.until(world, lambda: world.cluster.runs("chat1"))
        self.assertIsNone(program.process.poll())
        self.assertIn(policy.name, program.log())


    def test_a_broken_preemption_policy_is_none(self):
        world, _ = self.arrange()
        good = world.preemption.read_text()
        world.preemption.write_text(good + "neverEvictClasses: [experimental]\n")
        world.start()
        self.until(world, lambda: world.wait_rounds(2))
        self.replace(world.preemption, "neverEvictClasses: experimental?\n")
        self.until(world, lambda: world.wait_rounds(3))
        # The one before it stays.
        self.assertEqual(world.cluster.evicted(), [])
        self.assertIn(world.preemption.name, world.said())
        self.replace(world.preemption, good)
        self.until(world, lambda: world.cluster.runs("chat0"))


class MetricsTest(descheduler.TestCase):
    def test_they_count_what_the_server_counts(self):
        world = self.world(grace=0)
        for number in range(3):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
            world.cluster.add(f"chat{number}", 4, "inference")
        port = descheduler.free_port()
        program = world.start(f"--metrics_port={port}")
        self.until(world, lambda: all(world.cluster.runs(f"chat{number}") for number in range(3)))
        self.until(world, lambda: world.wait_rounds(1))
        found = descheduler.metrics(port)
        evictions = sum(value for name, value in found.items()
                        if re.match(r"\w+_evictions_total", name) and value)
        self.assertEqual(evictions, 3, found)
        rounds = lambda: sum(value for name, value in descheduler.metrics(port).items()
                             if re.match(r"\w+_rounds_total", name))
        before = rounds()
        self.assertGreater(before, 0)
        self.until(world, lambda: rounds() > before)
        self.assertEqual(descheduler.get(f"http://127.0.0.1:{port}/healthz")[0], 200)
        self.assertEqual(descheduler.get(f"http://127.0.0.1:{port}/nothing")[0], 404)
        program.process.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 0)


class MemoryTest(descheduler.TestCase):
    def peak(self, others):
        """In MiB, of a round with so many pods without GPUs."""
        world = self.world()
        world.cluster.node("n", 4)
        world.cluster.add("low", 4, on="n")
        world.cluster.add("chat", 4, "inference")
        filler = {"name": "c", "env": [{"name": "SETTING", "value": "x" * 800}],
                  "resources": {"limits": {"cpu": "1"}}}
        for number in range(others):
            name = f"other-{number}"
            world.cluster.pods["web", name] = {
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"namespace": "web", "name": name, "uid": name, "labels": {},
                             "annotations": {}, "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"nodeName": "n", "priority": 0, "containers": [filler]},
                "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}}
        # The most so far, once all is listed and planned. (What wait4 tells is not less than
        # what this process has, of which the other is a fork.)
        peaks = []

        def hook(entry, when):
            if entry.verb == "evict" and when == "before":
                text = pathlib.Path(f"/proc/{world.program().process.pid}/status").read_text()
                peaks.append(int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) >> 10)
            return False

        world.api.hook = hook
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), ["low-1"])
        return peaks[0]

    def test_it_does_not_grow_with_pods_that_hold_nothing(self):
        few, many = self.peak(1000), self.peak(10_000)
        print(f"1,000 other pods: {few} MiB, 10,000: {many} MiB")
        # A page of five hundred is about a megabyte.
        self.assertLess(many - few, 8)


class AccessTest(descheduler.TestCase):
    def arrange(self):
        world = self.world(grace=0)
        world.cluster.node("n", 4)
        world.cluster.add("low", 4, on="n")
        world.cluster.add("chat", 4, "inference")
        return world

    def test_a_wrong_token_and_then_the_right_one(self):
        world = self.arrange()
        token = world.folder / "token-late"
        token.write_text("nobody")
        world.start(f"--token_file={token}")
        self.until(world, lambda: len(world.api.log) > 3)
        self.assertEqual({one.code for one in world.api.log[:3]}, {401})
        token.write_text("token-of-one")
        self.until(world, lambda: world.cluster.runs("chat"))

    def test_a_stranger_gets_no_token(self):
        world = self.arrange()
        descheduler.certificates.make(self.folder, "stranger")
        self.assertEqual(world.once(f"--ca_file={self.folder / 'stranger.crt'}"), 1)
        self.assertEqual(world.api.log, [])

    def test_what_it_may_do_without(self):
        world = self.arrange()
        world.api.denied = {"event", "list jobs", "list claims"}
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), ["low-1"])

    def test_what_it_may_not_do_without(self):
        for verb in ("list pods", "list nodes", "list budgets", "get state", "create state", "evict"):
            with self.subTest(verb=verb):
                world = self.arrange()
                world.api.denied = {verb}
                code = world.once()
                # Of an eviction the round learns only when all else is done.
                self.assertEqual(code, 0 if verb == "evict" else 1, world.said())
                self.assertEqual(world.cluster.evicted(), [])
                self.assertLess(len(world.api.entries(verb)), 4)

    def test_flags_that_cannot_be(self):
        world = self.arrange()
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("KUBERNETES_")}
        good = world.arguments("--once")
        for bad, word in ((["--policy=no-such.txtpb"], "no-such"), (["--page_size=0"], "page_size"),
                          (["--interval=0s"], "interval"), (["--lease=-1s"], "lease"),
                          (["--preemption=no-such.yaml"], "no-such"), (["surplus"], "surplus")):
            done = subprocess.run([os.environ["PRECEDENT_DESCHEDULER"], *good, *bad], env=environment,
                                  capture_output=True, text=True, timeout=descheduler.PATIENCE,
                                  check=False)
            self.assertGreater(done.returncode, 0, bad)
            self.assertIn(word, done.stderr + done.stdout)
        self.assertEqual(world.api.log, [])


if __name__ == "__main__":
    descheduler.main()
