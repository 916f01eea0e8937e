"""Who leaves for whom, when all goes well."""
import itertools
import random

import descheduler
from cluster import LAST_CHECKPOINT, stamp
from descheduler import MIN_RUNTIME

RESTART = 60  # seconds; of descheduler.PREEMPTION


class DryRunTest(descheduler.TestCase):
    def test_it_writes_nothing(self):
        world = self.world()
        for number in range(5):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}")
        world.cluster.add("chat", 4, "inference")
        program = descheduler.Program(world.arguments("--once", "--page_size=2"), world.log)
        world.programs.append(program)
        self.assertEqual(program.wait(), 0, program.log())
        self.assertEqual([one.verb for one in world.api.writes()], [])
        lists = world.api.entries("list pods")
        self.assertEqual([one.query["limit"] for one in lists], ["2"] * 3)
        self.assertEqual(["continue" in one.query for one in lists], [False, True, True])
        for verb in ("list nodes", "list budgets", "list classes"):
            self.assertGreater(len(world.api.entries(verb)), 0, verb)
        # It says what it would do.
        self.assertIn("low", program.log())


class VictimTest(descheduler.TestCase):
    def evicts(self, world, *names):
        """One round evicts these, in any order."""
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(sorted(world.cluster.evicted()), sorted(names))

    def test_it_makes_room_tells_why_and_waits(self):
        world = self.world(grace=0.3)
        world.cluster.node("n", 8)
        victim = world.cluster.add("a", 4, on="n", checkpoint=30)
        world.cluster.add("b", 4, on="n", checkpoint=300)
        world.cluster.add("chat", 4, "inference")
        world.cluster.scheduling = False
        world.start()
        self.until(world, lambda: world.cluster.evicted() == [victim])
        # The scheduler has not come by yet: the room is kept, and nobody else leaves.
        self.until(world, lambda: world.wait_rounds(6))
        self.assertEqual(world.cluster.evicted(), [victim])
        self.assertEqual(world.cluster.gone, [victim])
        world.cluster.scheduling = True
        self.until(world, lambda: world.cluster.runs("chat"))
        self.until(world, lambda: world.wait_rounds(3))
        self.assertEqual(world.cluster.evicted(), [victim])
        self.until(world, lambda: world.api.events)
        [event] = world.api.events
        self.assertEqual(event["involvedObject"]["uid"], f"uid-{victim}")
        self.assertEqual(event["involvedObject"]["name"], victim)
        self.assertEqual(event["involvedObject"]["kind"], "Pod")
        self.assertEqual(event["reason"], "PrecedentPreempted")
        self.assertIn("chat", event["message"])

    def test_the_cheapest_of_all_legal_sets(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                self.cheapest(random.Random(seed))

    def cheapest(self, rng):
        world = self.world(grace=30)
        jobs = {}  # node: [(name, gpus, cost or None)]
        for node in ("n0", "n1", "n2"):
            world.cluster.node(node, 8)
            room, jobs[node] = 8, []
            while room > 0:
                gpus = min(rng.choice((1, 2, 4)), room)
                room -= gpus
                kind = rng.choice(("training", "training", "sweep", "inference"))
                # Steps of 40 s, so that a slow machine does not change the order.
                lost = 40 * rng.randrange(1, 14)
                name = world.cluster.add(f"{node}-j{room}", gpus, kind, on=node, checkpoint=lost)
                cost = None if kind == "inference" else gpus * (lost + RESTART)
                jobs[node].append((name, gpus, cost))
        wanted = rng.choice((2, 4))
        world.cluster.add("chat", wanted, "inference")
        best, choices = None, []
        for node, here in jobs.items():
            legal = [one for one in here if one[2] is not None]
            for size in range(1, len(legal) + 1):
                for chosen in itertools.combinations(legal, size):
                    if sum(one[1] for one in chosen) >= wanted:
                        choices.append((sum(one[2] for one in chosen), [one[0] for one in chosen]))
        if choices:
            best = min(cost for cost, _ in choices)
        self.assertEqual(world.once(), 0, world.said())
        evicted = sorted(world.cluster.evicted())
        if best is None:
            self.assertEqual(evicted, [])
        else:
            # Costs within a second's worth of each other are equal.
            self.assertIn(evicted, [sorted(names) for cost, names in choices if cost <= best + 20])
        world.close()

    def test_the_most_important_first(self):
        world = self.world()
        world.cluster.node("n", 4)
        world.cluster.add("low", 4, on="n")
        world.cluster.add("batch", 4, "production")
        world.cluster.add("chat", 4, "inference")
        world.start()
        self.until(world, lambda: world.cluster.runs("chat"))
        self.until(world, lambda: world.wait_rounds(3))
        self.assertEqual(world.cluster.evicted(), ["low-1"])
        self.assertEqual(world.cluster.bound, ["chat-1"])

    def test_who_has_not_run_long_enough_stays(self):
        world = self.world()
        world.cluster.node("n", 8)
        # It has lost nothing yet, and would be the cheapest.
        world.cluster.add("young", 4, "sweep", on="n", ran=MIN_RUNTIME // 2, interval="1s", checkpoint=1)
        world.cluster.add("old", 4, on="n", checkpoint=500)
        world.cluster.add("chat", 4, "inference")
        world.cluster.add("more", 4, "inference")
        world.start()
        self.until(world, lambda: world.cluster.runs("chat"))
        self.until(world, lambda: world.wait_rounds(3))
        self.assertEqual(world.cluster.evicted(), ["old-1"])

    def test_who_saves_seldom_stays_longer(self):
        world = self.world()
        world.cluster.node("n", 4)
        # Twice the minimum, and not yet as long as it takes to a checkpoint and back.
        world.cluster.add("slow", 4, on="n", ran=2 * MIN_RUNTIME, interval="1h")
        world.cluster.add("chat", 4, "inference")
        self.evicts(world)

    def test_the_last_checkpoint_is_what_the_annotation_says(self):
        world = self.world(grace=30)
        world.cluster.node("n", 8)
        world.cluster.add("a", 4, on="n", checkpoint=400)
        world.cluster.add("b", 4, on="n", checkpoint=200)
        world.cluster.add("chat", 4, "inference")
        pod = world.cluster.pod("a-1")
        pod["metadata"]["annotations"][LAST_CHECKPOINT] = stamp(descheduler.time.time() - 10)
        self.evicts(world, "a-1")

    def test_a_clock_that_is_ahead(self):
        world = self.world(grace=30)
        world.cluster.node("n", 8)
        # What was saved in the future was saved now: cheaper than the other, and no error.
        world.cluster.add("a", 4, on="n", checkpoint=-4000)
        world.cluster.add("b", 4, on="n", checkpoint=200)
        # One that starts in the future has not run at all.
        world.cluster.node("m", 4)
        world.cluster.add("c", 4, "sweep", on="m", ran=-4000)
        world.cluster.add("chat", 4, "inference")
        self.evicts(world, "a-1")

    def test_the_clock_of_the_cluster_counts(self):
        # Behind by an hour: who began a moment ago began long ago by the machine's clock.
        world = self.world(grace=30, skew=-3600)
        world.cluster.node("n", 8)
        world.cluster.add("young", 4, on="n", ran=MIN_RUNTIME // 2, interval="1s", checkpoint=1)
        world.cluster.add("old", 4, on="n", checkpoint=500)
        world.cluster.add("chat", 4, "inference")
        self.evicts(world, "old-1")

    def test_who_has_left_before_is_dearer(self):
        world = self.world(grace=0)
        world.cluster.node("n", 8)
        world.cluster.add("a", 4, on="n", checkpoint=30)
        world.cluster.add("b", 4, on="n", checkpoint=60)
        world.cluster.add("first", 4, "inference")
        self.evicts(world, "a-1")
        # It comes back, and has run for long since: 90 x 2 against 120.
        self.assertTrue(world.cluster.runs("first"))
        del world.cluster.pods["team", "first-1"]
        self.assertTrue(world.cluster.runs("a"))
        again = world.cluster.pod("a-2")
        again["status"]["startTime"] = stamp(world.cluster.now() - 7200)
        again["metadata"]["annotations"][LAST_CHECKPOINT] = stamp(world.cluster.now() - 30)
        world.cluster.add("second", 4, "inference")
        self.evicts(world, "a-1", "b-1")

    def test_gangs_leave_whole(self):
        world = self.world(grace=30)
        for node in ("n", "m"):
            world.cluster.node(node, 4)
        world.cluster.add("g0", 4, on="n", gang="g")
        world.cluster.add("g1", 4, on="m", gang="g")
        world.cluster.add("chat", 4, "inference")
        self.evicts(world, "g0-1", "g1-1")

    def test_gangs_get_free_room_and_room_of_victims_together(self):
        world = self.world()
        for node in ("n", "m", "k"):
            world.cluster.node(node, 4)
        world.cluster.add("a", 4, on="n", checkpoint=500)
        world.cluster.add("b", 4, on="m", checkpoint=5)
        for name in ("g0", "g1"):
            world.cluster.add(name, 4, "inference", gang="g")
        world.start()
        self.until(world, lambda: world.cluster.runs("g0") and world.cluster.runs("g1"))
        self.until(world, lambda: world.wait_rounds(2))
        self.assertEqual(world.cluster.evicted(), ["b-1"])

    def test_nobody_leaves_for_a_gang_that_does_not_fit(self):
        world = self.world()
        for node in ("n", "m"):
            world.cluster.node(node, 4)
        world.cluster.add("a", 4, on="n")
        world.cluster.add("b", 4, "inference", on="m")
        for name in ("g0", "g1"):
            world.cluster.add(name, 4, "inference", gang="g")
        self.evicts(world)

    def test_nobodys_victims(self):
        world = self.world()
        guarded = [{"annotations": {"karpenter.sh/do-not-disrupt": "true"}}, {"owned": False},
                   {"interval": None}, {"priorityClassName": "system-node-critical"},
                   {"labels": {"app": "x", "side": "y"}}]
        for number, keywords in enumerate(guarded):
            world.cluster.node(f"n{number}", 4)
            world.cluster.add(f"low{number}", 4, on=f"n{number}", **keywords)
        for name in ("app", "side"):
            world.cluster.budget(name, {name: {"app": "x", "side": "y"}[name]}, maxUnavailable=1)
        world.cluster.add("chat", 4, "inference")
        self.evicts(world)
        self.assertEqual(world.api.entries("evict"), [])
        # The same cluster with one that nothing guards: it is the guards that keep the others.
        world.cluster.node("n9", 4)
        world.cluster.add("low9", 4, on="n9", checkpoint=590)
        self.evicts(world, "low9-1")

    def test_where_a_pod_cannot_be_read_is_no_free_room(self):
        world = self.world(grace=30)
        for node in ("n", "m"):
            world.cluster.node(node, 4)
        world.cluster.add("odd", 4, on="n", annotations={LAST_CHECKPOINT: "soon"})
        world.cluster.add("b", 4, on="m", checkpoint=500)
        world.cluster.add("chat", 4, "inference")
        self.evicts(world, "b-1")
        self.assertIn("soon", world.said())

    def test_a_node_that_takes_no_pods_gets_no_room(self):
        world = self.world(grace=30)
        world.cluster.node("n", 4, unschedulable=True)
        world.cluster.node("m", 4)
        world.cluster.add("a", 4, on="n", checkpoint=1)
        world.cluster.add("b", 4, on="m", checkpoint=500)
        world.cluster.add("chat", 4, "inference")
        self.evicts(world, "b-1")


if __name__ == "__main__":
    descheduler.main()
