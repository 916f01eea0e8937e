"""Two that run by mistake: one of them acts."""
import random
import signal
import time

import descheduler

SHORT = ("--lease=1s", "--request_timeout=500ms")


class OwnersTest(descheduler.TestCase):
    def owners(self, world):
        return {one.client for one in world.api.entries("evict")}

    def test_two_at_once(self):
        world = self.world(calm=False, grace=0.1)
        world.cluster.strict = True
        rng = random.Random(1)
        for number in range(8):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}", labels={"app": "x"})
        world.cluster.budget("x", {"app": "x"}, maxUnavailable=8)
        for client in ("one", "two"):
            world.start(client=client)
        for number in range(4):
            world.cluster.add(f"chat{number}", 4, "inference")
            time.sleep(rng.random() / 2)
        self.until(world, lambda: all(world.cluster.runs(f"chat{number}") for number in range(4)))
        self.assertEqual(len(world.cluster.evicted()), 4)
        # Nobody asked in vain: the other one did not even try.
        self.assertEqual([one.code for one in world.api.entries("evict")], [201] * 4)
        self.assertEqual(len(self.owners(world)), 1)

    def test_both_begin_at_the_same_time(self):
        for seed in range(6):
            with self.subTest(seed=seed):
                world = self.world(grace=0.1)
                # Else the first that leaves would come back to the room that it left.
                world.cluster.strict = True
                world.cluster.node("n", 8)
                for name in "abcd":
                    world.cluster.add(name, 2, on="n", checkpoint=30)
                world.cluster.add("chat", 4, "inference")
                programs = [world.start(client=client) for client in ("one", "two")]
                self.until(world, lambda: world.cluster.runs("chat"))
                self.until(world, lambda: world.wait_rounds(2))
                self.assertEqual(len(world.cluster.evicted()), 2)
                for program in programs:
                    program.stop()

    def test_the_other_takes_over(self):
        world = self.world(grace=0)
        for number in range(2):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
        world.cluster.add("chat0", 4, "inference")
        lease = 1.5
        first = world.start(f"--lease={lease}s", "--request_timeout=500ms", client="one")
        self.until(world, lambda: world.cluster.runs("chat0"))
        world.start(f"--lease={lease}s", "--request_timeout=500ms", client="two")
        first.kill()
        silent = max(one.at for one in world.api.entries("create state", "update state")
                     if one.client == "one")
        world.cluster.add("chat1", 4, "inference")
        self.until(world, lambda: world.cluster.runs("chat1"))
        last = world.api.entries("evict")[-1]
        self.assertEqual(last.client, "two")
        # Up to the whole second in which the lease was written.
        self.assertGreater(last.at - silent, lease - 1)

    def test_one_that_is_told_to_end_lets_go(self):
        world = self.world(grace=0)
        for number in range(2):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
        world.cluster.add("chat0", 4, "inference")
        lease = 5 * descheduler.PATIENCE
        first = world.start(f"--lease={lease}s", client="one")
        self.until(world, lambda: world.cluster.runs("chat0"))
        # At rest, most likely: a round that ends lets go by itself.
        self.until(world, lambda: world.wait_rounds(2))
        first.process.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(), 0)
        world.cluster.add("chat1", 4, "inference")
        world.start(f"--lease={lease}s", client="two")
        # Within PATIENCE, that is, long before the lease would have ended.
        self.until(world, lambda: world.cluster.runs("chat1"))

    def test_one_that_slept_between_two_evictions_leaves_the_second_to_the_other(self):
        world = self.world(grace=0)
        world.cluster.strict = True
        world.cluster.node("n", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=30)
        world.cluster.add("chat", 8, "inference")
        first = self.stop_at(
            world, lambda entry, when: entry.verb == "evict" and when == "after", *SHORT)
        world.start(*SHORT, client="two")
        self.until(world, lambda: world.cluster.runs("chat"))
        first.process.send_signal(signal.SIGCONT)
        self.until(world, lambda: world.wait_rounds(8))
        self.assertEqual([one.client for one in world.api.entries("evict")], ["one", "two"])

    def test_one_that_slept_too_long_does_not_act_on_what_it_had_written(self):
        world = self.world(grace=0)
        world.cluster.node("n", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=30)
        world.cluster.add("chat", 4, "inference")
        # It has just written its orders, and is about to learn that it has.
        wrote = lambda entry, when: (when == "after" and entry.verb in ("create state", "update state")
                                     and "uid-" in str(entry.body["data"]))
        first = self.stop_at(world, wrote, *SHORT)
        world.start(*SHORT, client="two")
        self.until(world, lambda: world.cluster.runs("chat"))
        evicted = world.cluster.evicted()
        first.process.send_signal(signal.SIGCONT)
        self.until(world, lambda: world.wait_rounds(8))
        self.assertEqual(world.cluster.evicted(), evicted)
        self.assertEqual(len(evicted), 1)
        self.assertEqual(self.owners(world), {"two"})


if __name__ == "__main__":
    descheduler.main()
