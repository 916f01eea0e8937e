"""What is left of a plan: half of it refused, its job gone, its owner asleep; and large pages."""
import signal

import descheduler
from api_server import refusal

SHORT = ("--lease=1s", "--request_timeout=500ms")


class RestTest(descheduler.TestCase):
    def test_while_the_first_half_still_stops_nobody_else_leaves_instead(self):
        world = self.world(grace=1.5)
        world.cluster.strict = True
        world.cluster.node("n", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=30)
        # Dearer, and enough.
        world.cluster.node("m", 8)
        world.cluster.add("c", 8, on="m", checkpoint=300)
        world.cluster.add("chat", 8, "inference")
        accepted = []

        def refuse(entry):
            if not accepted or world.cluster.gone:
                accepted.append(entry.path)
                return None
            return refusal("late")

        world.api.refuse = refuse
        world.start("--least_interval=100ms")
        self.until(world, lambda: world.cluster.runs("chat"))
        self.assertEqual(sorted(world.cluster.evicted()), ["a-1", "b-1"])
        # It did not even ask as long as one was stopping.
        codes = [one.code for one in world.api.entries("evict")]
        self.assertEqual(codes, [201, 429, 201])

    def test_victims_that_stop_one_after_the_other_are_enough(self):
        world = self.world(grace=1000)
        world.cluster.scheduling = False
        world.cluster.node("n", 12)
        for name, checkpoint in (("a", 10), ("b", 500), ("c", 20)):
            world.cluster.add(name, 4, on="n", checkpoint=checkpoint)
        world.cluster.add("chat", 8, "inference")
        # Nobody says which devices a pod has. When the first is gone, b must not be taken to
        # have those that it left.
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(sorted(world.cluster.evicted()), ["a-1", "c-1"])
        with world.api.lock:
            world.cluster.gone_at["uid-a-1"] = 0
        for _ in range(3):
            self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(len(world.cluster.gone), 1)
        self.assertEqual(len(world.cluster.evicted()), 2)

    def test_room_of_one_that_is_gone_is_free(self):
        world = self.world(grace=0)
        world.cluster.scheduling = False
        world.cluster.node("n", 8)
        for name, checkpoint in (("a", 300), ("b", 30)):
            world.cluster.add(name, 4, on="n", checkpoint=checkpoint)
        world.cluster.add("chat", 4, "inference")
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), ["b-1"])
        with world.api.lock:
            world.cluster.advance()
            del world.cluster.pods["team", "chat-1"]
        world.cluster.add("batch", 4, "production")
        self.assertEqual(world.once(), 0, world.said())
        self.assertEqual(world.cluster.evicted(), ["b-1"])
        self.assertEqual(descheduler.state_of(world)["state.json"]["orders"], [])
        self.assertIn('"placements":1,"by_eviction":0', world.said())

    def test_one_that_slept_before_an_eviction_has_no_right_to_it_any_more(self):
        world = self.world(grace=0)
        world.cluster.node("n", 8)
        for name in "ab":
            world.cluster.add(name, 4, on="n", checkpoint=30)
        world.cluster.add("chat", 4, "inference")
        # It is about to learn that the pod still runs.
        first = self.stop_at(
            world, lambda entry, when: entry.verb == "get pod" and when == "before", *SHORT)
        with world.api.lock:
            del world.cluster.pods["team", "chat-1"]
        world.start(*SHORT, client="two")
        self.until(world, lambda: any(one.client == "two" for one in world.api.entries("update state")))
        first.process.send_signal(signal.SIGCONT)
        self.until(world, lambda: world.wait_rounds(8))
        # Not even asked for: there is nobody any more for whom it would leave.
        self.assertEqual(world.api.entries("evict"), [])


class PageTest(descheduler.TestCase):
    def test_a_page_that_is_too_large_is_asked_for_in_halves(self):
        world = self.world(grace=0)
        world.cluster.node("n", 4)
        world.cluster.add("low", 4, on="n")
        for number in range(10):
            world.cluster.add(f"big{number}", 8, annotations={"note": "x" * (6_900_000)})
        world.cluster.add("chat", 4, "inference")
        # A slow machine takes its time to make 64 MiB.
        code = world.once("--page_size=12", "--request_timeout=25s", "--lease=60s")
        self.assertEqual(code, 0, world.said())
        self.assertEqual(world.cluster.evicted(), ["low-1"])
        limits = [one.query["limit"] for one in world.api.entries("list pods")]
        self.assertEqual(limits, ["12", "6", "6"])


if __name__ == "__main__":
    descheduler.main()
