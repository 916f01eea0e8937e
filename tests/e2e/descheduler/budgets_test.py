"""Budgets of the cluster and of the policy, and how fast it may go."""

import descheduler
from api_server import refusal


class DisruptionBudgetTest(descheduler.TestCase):
    def refusals(self, world):
        return [one for one in world.api.entries("evict") if one.code == 429]

    def test_one_after_the_other(self):
        world = self.world()
        world.cluster.strict = True
        for number in range(3):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}", labels={"app": "x"})
        world.cluster.budget("x", {"app": "x"}, minAvailable=2)
        for number in range(2):
            world.cluster.add(f"chat{number}", 4, "inference")
        world.start()
        self.until(world, lambda: len(world.cluster.evicted()) == 1)
        self.until(world, lambda: world.wait_rounds(5))
        # The one that left waits, so two are left, and two must be there.
        self.assertEqual(len(world.cluster.evicted()), 1)
        self.assertEqual(self.refusals(world), [])
        del world.cluster.budgets["team", "x"]
        self.until(world, lambda: world.cluster.runs("chat0") and world.cluster.runs("chat1"))
        self.assertEqual(len(world.cluster.evicted()), 2)

    def test_a_gang_that_its_budget_lets_go_half(self):
        # Its second half leaves although the first may have made room enough by then.
        world = self.world(calm=False)
        for node in ("n", "m"):
            world.cluster.node(node, 4)
            world.cluster.add(f"g{node}", 4, on=node, gang="g", labels={"app": "x"})
        world.cluster.budget("x", {"app": "x"}, maxUnavailable=1)
        world.cluster.add("chat", 4, "inference")
        world.start()
        self.until(world, lambda: world.wait_rounds(4))
        self.assertEqual(world.api.entries("evict"), [])
        world.cluster.budget("x", {"app": "x"}, maxUnavailable=2)
        self.until(world, lambda: sorted(world.cluster.evicted()) == ["gm-1", "gn-1"])
        self.until(world, lambda: world.cluster.runs("chat"))

    def two_victims(self):
        """A world where two leave `n` together for `chat`; `m` is dearer."""
        world = self.world()
        world.cluster.node("n", 8)
        world.cluster.node("m", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=30, labels={"app": name})
        world.cluster.add("c", 8, on="m", checkpoint=500)
        world.cluster.add("chat", 8, "inference", labels={"app": "chat"})
        # Above 4 GPUs it is `production`, and more important than all that runs.
        return world

    def test_the_budget_is_used_up_meanwhile_and_the_others_stay(self):
        world = self.two_victims()

        def hook(entry, when):
            if entry.verb == "evict" and when == "before":
                world.api.hook = None
                world.cluster.budget("late", {"app": entry.path.split("/")[-2][0]}, maxUnavailable=0)
            return False

        world.api.hook = hook
        world.start()
        self.until(world, lambda: world.cluster.runs("chat"))
        self.assertEqual(world.cluster.evicted(), ["c-1"])
        # The budget is seen in the next list, not tried again.
        self.assertEqual([one.code for one in world.api.entries("evict")], [429, 201])

    def test_who_may_be_refused_is_asked_first(self):
        world = self.two_victims()
        world.cluster.budget("b", {"app": "b"}, maxUnavailable=1)
        world.api.refuse = lambda entry: refusal("b") if "/b-1/" in entry.path else None
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), [])
        self.assertEqual(len(self.refusals(world)), 1)

    def test_nobody_leaves_for_who_counted_on_room_that_is_refused(self):
        world = self.world(grace=30)
        world.cluster.node("n", 8, labels={"rack": "1"})
        world.cluster.node("m", 8)
        world.cluster.add("g0", 2, on="n", gang="g", checkpoint=1)
        for number in range(2):
            world.cluster.add(f"full{number}", 3, "inference", on="n")
        world.cluster.add("g1", 4, on="m", gang="g", checkpoint=1)
        world.cluster.add("x", 2, on="m", checkpoint=500)
        world.cluster.add("y", 2, "inference", on="m")
        # The gang leaves for the first, and what it leaves on `m` helps the second.
        world.cluster.add("chat", 2, "inference", nodeSelector={"rack": "1"})
        world.cluster.add("large", 6, "inference")
        world.api.refuse = lambda entry: refusal("late") if "/g" in entry.path else None
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), [])
        self.assertEqual(len(self.refusals(world)), 1)
        # Where it is not refused, all of them leave.
        world.api.refuse = None
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(sorted(world.cluster.evicted()), ["g0-1", "g1-1", "x-1"])

    def test_the_second_is_refused(self):
        world = self.two_victims()
        first = []

        def refuse(entry):
            if first and entry.path != first[0] and "/c-1/" not in entry.path:
                return refusal("late")
            first.append(entry.path)
            return None

        world.api.refuse = refuse
        world.start("--least_interval=100ms")
        self.until(world, lambda: len(self.refusals(world)) > 0)
        self.until(world, lambda: world.wait_rounds(3))
        world.api.refuse = None
        self.until(world, lambda: world.cluster.runs("chat"))

    def test_the_server_says_when_to_come_again(self):
        world = self.two_victims()
        at = []

        def refuse(entry):
            if at:
                return None
            at.append(entry.at)
            return refusal("late", [("Retry-After", "2")])

        world.api.refuse = refuse
        world.start()
        self.until(world, lambda: world.cluster.runs("chat"))
        again = [one.at for one in world.api.entries("evict") if one.accepted]
        self.assertGreaterEqual(again[0] - at[0], 2)


class PolicyBudgetTest(descheduler.TestCase):
    def four(self, **cluster):
        """Four that wait, four that could leave."""
        world = self.world(**cluster)
        for number in range(4):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
            world.cluster.add(f"chat{number}", 4, "inference")
        return world

    def policy(self, world, text):
        world.preemption.write_text(descheduler.PREEMPTION + text)

    def test_so_many_a_minute_whoever_runs(self):
        world = self.four()
        self.policy(world, "maxEvictionsPerMinute: 2\n")
        program = world.start()
        self.until(world, lambda: len(world.cluster.evicted()) == 2)
        self.until(world, lambda: world.wait_rounds(4))
        self.assertEqual(len(world.cluster.evicted()), 2)
        # It is written down: a new process does not begin to count anew.
        program.kill()
        world.start()
        self.until(world, lambda: world.wait_rounds(4))
        self.assertEqual(len(world.cluster.evicted()), 2)

    def test_so_many_of_a_class_within_a_window(self):
        window = 1
        world = self.four(grace=0.05)
        self.policy(world, "budgets: [{name: few, priorityClass: experimental, maxDisrupted: 1, "
                           f"windowSeconds: {window}}}]\n")
        world.start()
        self.until(world, lambda: len(world.cluster.evicted()) == 4)
        times = [at for _, _, at in world.cluster.evictions]
        for earlier, later in zip(times, times[1:]):
            # Counted from the round's beginning, not from the eviction.
            self.assertGreater(later - earlier, window / 2)

    def test_a_class_that_never_leaves(self):
        world = self.four()
        self.policy(world, "neverEvictClasses: [experimental]\n")
        self.assertEqual(world.once(), 0)
        self.assertEqual(world.cluster.evicted(), [])
        self.policy(world, "neverEvictClasses: [preemptible]\n")
        self.assertEqual(world.once(), 0)
        self.assertEqual(len(world.cluster.evicted()), 4)


if __name__ == "__main__":
    descheduler.main()
