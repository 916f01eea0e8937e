"""Killed with SIGKILL around each request of a round, and started again."""
import concurrent.futures

import descheduler

ROUNDS = 50  # at most, until all is well again
AT_ONCE = 3
ALL = ["a-1", "b-1", "gk-1", "gm-1"]
LEASE = ("--lease=1s", "--request_timeout=500ms")


class KillTest(descheduler.TestCase):
    def build(self, grace=0):
        """Two victims leave for one that waits; a gang of two for another."""
        world = descheduler.World(self.folder, grace=grace)
        world.cluster.strict = True
        world.cluster.node("n", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=200)
        for node in ("m", "k"):
            world.cluster.node(node, 4)
            world.cluster.add(f"g{node}", 4, on=node, gang="g", checkpoint=1)
        world.cluster.add("batch", 8, "production")
        world.cluster.add("chat", 4, "inference")
        # Nothing is bound while the round runs, so that each round asks the same.
        world.cluster.scheduling = False
        return world

    @staticmethod
    def converged(world):
        return world.cluster.runs("chat") and world.cluster.runs("batch")

    def killed(self, number, when, client="one"):
        """What goes wrong where the request of this number of a round ends the program."""
        # Every other time the pods take a while to leave.
        world = self.build(grace=0.3 * (number % 2))
        try:
            def hook(entry, at):
                if entry.number != number or at != when:
                    return False
                world.program().kill()
                return True

            world.api.hook = hook
            if world.once(*LEASE) != -9:
                return [f"it was not killed at {number}"]
            world.api.hook = None
            world.cluster.scheduling = True
            if client == "one":
                for _ in range(ROUNDS):
                    code = world.once(*LEASE)
                    if code != 0:
                        return [f"a later round returned {code}: {world.said()}"]
                    if self.converged(world):
                        break
            else:
                world.start(*LEASE, client=client)
                descheduler.wait_until(lambda: self.converged(world))
            wrong = world.complaints(calm=False)
            if not self.converged(world):
                wrong.append("those that wait do not get to run")
            evicted = sorted(world.cluster.evicted())
            # Of the gang the second has no need to leave where the first made room enough.
            if evicted not in (ALL, ALL[:3], ALL[:2] + ALL[3:]):
                wrong.append(f"evicted: {evicted}")
            return wrong + ([world.said()] if wrong else [])
        finally:
            world.close()

    def requests_of_a_round(self):
        world = self.build()
        try:
            self.assertEqual(world.once(), 0, world.said())
            self.assertEqual(len(world.cluster.evicted()), 4)
            return [one.verb for one in world.api.log]
        finally:
            world.close()

    def test_at_every_request_of_a_round(self):
        verbs = self.requests_of_a_round()
        writes = [number for number, verb in enumerate(verbs) if verb.endswith("e state")]
        self.assertLess(writes[0], verbs.index("evict"))
        steps = [(number, when, "one") for number in range(len(verbs)) for when in ("before", "after")]
        # Somebody else comes after it, where it had begun to write.
        steps += [(number, "after", "two") for number in range(writes[0], len(verbs), 3)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for step, wrong in zip(steps, pool.map(lambda one: self.killed(*one), steps)):
                with self.subTest(verb=verbs[step[0]], number=step[0], when=step[1], then=step[2]):
                    self.assertEqual(wrong, [], "\n".join(wrong))
        print(f"killed at {len(steps)} places of a round of {len(verbs)} requests")


if __name__ == "__main__":
    descheduler.main()
