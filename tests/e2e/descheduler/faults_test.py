"""An API server that fails in every way, for a while: nobody is evicted twice, and all ends well."""
import concurrent.futures
import random
import time

import descheduler
from api_server import Faults

SEEDS = 30
AT_ONCE = 5
BAD_SECONDS = 1.0


class FaultsTest(descheduler.TestCase):
    def build(self, rng):
        world = descheduler.World(self.folder, grace=rng.choice((0, 0.05, 0.3)))
        cluster = world.cluster
        # Room that is freed bit by bit would go to whoever fits into the first bit.
        cluster.strict = True
        for node in ("n0", "n1", "n2"):
            cluster.node(node, 8)
            room, number = 8, 0
            while room > 0:
                gpus = min(rng.choice((1, 2, 4)), room)
                room -= gpus
                number += 1
                cluster.add(f"{node}-{number}", gpus, rng.choice(("training", "sweep")), on=node,
                            checkpoint=rng.randrange(1, 500), labels={"app": rng.choice("xyz")},
                            gang=f"g{node}" if rng.random() < 0.3 else None,
                            ends_after=0.8 if rng.random() < 0.1 else None)
        for app in "xy":
            cluster.budget(app, {"app": app}, maxUnavailable=rng.randrange(1, 4))
        return world

    def run_seed(self, seed):
        """What went wrong, and how often the server failed by kind of failure."""
        rng = random.Random(seed)
        world, wanted = self.build(rng), []
        try:
            faults = world.api.faults = Faults(seed, rng.choice((0.1, 0.3, 0.5)),
                                               slow=rng.choice((0.01, 0.7)))
            program = world.start("--request_timeout=500ms", f"--page_size={rng.choice((2, 5, 500))}")
            for number in range(4):
                wanted.append(f"chat{number}")
                world.cluster.add(wanted[-1], rng.choice((1, 2, 4)), "inference")
                time.sleep(BAD_SECONDS / 4)
                if rng.random() < 0.2:
                    program.kill()
                    program = world.start("--request_timeout=500ms", "--page_size=3")
            faults.quiet = True
            # Who left comes back only where there is room: budgets might stay used up for ever.
            with world.api.lock:
                world.cluster.budgets.clear()
            wrong = []
            if not descheduler.wait_until(lambda: all(map(world.cluster.runs, wanted))):
                wrong.append("those that wait do not get to run")
            if program.process.poll() is not None:
                wrong.append(f"the program ended with {program.process.returncode}")
            wrong += world.complaints(calm=False)
            if wrong:
                wrong.append(world.said())
            return wrong, faults.counts, len(world.cluster.evictions)
        finally:
            world.close()

    def test_many_seeds(self):
        counts, evictions = dict.fromkeys(Faults.KINDS, 0), 0
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for seed, done in enumerate(pool.map(self.run_seed, range(SEEDS))):
                wrong, failures, evicted = done
                with self.subTest(seed=seed):
                    self.assertEqual(wrong, [], "\n".join(wrong))
                evictions += evicted
                for kind, count in failures.items():
                    counts[kind] += count
        print(f"{SEEDS} seeds, {evictions} evictions, failures: {counts}")
        # All of it has been tried.
        self.assertGreater(min(counts.values()), 0, counts)
        self.assertGreater(evictions, SEEDS)


if __name__ == "__main__":
    descheduler.main()
