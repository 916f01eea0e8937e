"""What changes between a list and an eviction is not evicted, nor evicted for."""
import descheduler
from cluster import stops


class ChangeTest(descheduler.TestCase):
    def setUp(self):
        self.one = self.world()
        self.cluster = self.one.cluster
        self.cluster.node("n", 8)
        self.cluster.add("a", 4, on="n", checkpoint=30)
        self.cluster.add("b", 4, on="n", checkpoint=300)
        self.cluster.add("chat", 4, "inference")

    def before_the_first(self, verb, what, when="before", answer=True):
        """`what` happens once, around the first request of this kind."""
        done = []

        def hook(entry, at):
            if entry.verb != verb or at != when or done:
                return False
            done.append(entry)
            with self.one.api.lock:
                what(entry)
            return not answer

        self.one.api.hook = hook
        return done

    def evictions(self):
        return [(one.path.split("/")[-2], one.code) for one in self.one.api.entries("evict")]

    def converges(self):
        self.one.start()
        self.until(self.one, lambda: self.cluster.runs("chat"))
        self.until(self.one, lambda: self.one.wait_rounds(3))

    def test_another_pod_of_the_same_name(self):
        self.before_the_first("evict", lambda _: self.cluster.replace("a-1"))
        self.converges()
        self.assertEqual(self.evictions()[0], ("a-1", 409))
        # It began anew, and is nobody's victim for the time being.
        self.assertEqual(self.cluster.evicted(), ["b-1"])
        self.assertFalse(stops(self.cluster.pod("a-1")))

    def test_the_pod_has_ended(self):
        def end(_):
            del self.cluster.pods["team", "a-1"]

        self.before_the_first("evict", end)
        self.converges()
        self.assertEqual(self.evictions(), [("a-1", 404)])

    def test_somebody_else_evicts_it(self):
        self.before_the_first("evict", lambda _: self.cluster.evict(self.cluster.pod("a-1")))
        self.converges()
        # It had changed since it was looked at; when looked at again, it was leaving.
        self.assertEqual(self.evictions(), [("a-1", 409)])
        self.assertEqual(self.cluster.evicted(), ["a-1"])

    def test_it_ends_after_it_was_listed(self):
        def end(_):
            pod = self.cluster.pod("a-1")
            pod["status"]["phase"] = "Succeeded"
            self.cluster.touch(pod)

        for verb in ("get pod", "evict"):
            with self.subTest(verb):
                self.setUp()
                self.before_the_first(verb, end)
                self.converges()
                self.assertEqual(self.cluster.evicted(), [])

    def test_it_must_not_leave_any_more_after_it_was_listed(self):
        def guard(_):
            pod = self.cluster.pod("a-1")
            pod["metadata"]["annotations"]["karpenter.sh/do-not-disrupt"] = "true"
            self.cluster.touch(pod)

        for verb in ("get pod", "evict"):
            with self.subTest(verb):
                self.setUp()
                self.before_the_first(verb, guard)
                self.converges()
                self.assertEqual(self.cluster.evicted(), ["b-1"])

    def test_one_that_changes_all_the_time_is_evicted_all_the_same(self):
        def hook(entry, at):
            if entry.verb == "evict" and at == "before":
                with self.one.api.lock:
                    self.cluster.touch(self.cluster.pod("a-1"))
            return False

        self.one.api.hook = hook
        self.converges()
        self.assertEqual(self.evictions(), [("a-1", 409)] * 3 + [("a-1", 201)])

    def test_no_answer_and_it_did_happen(self):
        self.cluster.grace = 0.5
        self.before_the_first("evict", lambda _: None, "after", answer=False)
        self.converges()
        self.assertEqual(self.evictions(), [("a-1", 201)])
        self.assertEqual(len(self.one.api.entries("get pod")), 2)

    def test_no_answer_and_it_did_not_happen(self):
        self.before_the_first("evict", lambda _: None, answer=False)
        self.converges()
        self.assertEqual(self.evictions(), [("a-1", 0), ("a-1", 201)])
        # It looks before it asks again.
        verbs = [one.verb for one in self.one.api.entries("evict", "get pod")]
        self.assertEqual(verbs, ["get pod", "evict"] * 2)

    def test_no_answer_and_another_pod_of_the_same_name(self):
        self.before_the_first("evict", lambda _: self.cluster.replace("a-1"), answer=False)
        self.converges()
        self.assertEqual(self.cluster.evicted(), ["b-1"])

    def crash_before_the_first_eviction(self):
        self.before_the_first("evict", lambda _: self.one.program().kill(), answer=False)
        self.one.start().wait()
        self.assertEqual(self.cluster.evicted(), [])

    def test_after_a_crash_a_victim_that_must_not_leave_any_more(self):
        self.crash_before_the_first_eviction()
        self.cluster.pod("a-1")["metadata"]["annotations"]["karpenter.sh/do-not-disrupt"] = "true"
        self.converges()
        self.assertEqual(self.cluster.evicted(), ["b-1"])

    def test_after_a_crash_nobody_waits_any_more(self):
        self.crash_before_the_first_eviction()
        del self.cluster.pods["team", "chat-1"]
        self.one.start()
        self.until(self.one, lambda: self.one.wait_rounds(5))
        self.assertEqual(self.evictions(), [("a-1", 0)])

    def test_after_a_crash_there_is_free_room(self):
        self.crash_before_the_first_eviction()
        self.cluster.node("m", 8)
        self.converges()
        self.assertEqual(self.cluster.evicted(), [])

    def test_after_a_crash_the_order_is_carried_out(self):
        self.crash_before_the_first_eviction()
        self.converges()
        self.assertEqual(self.cluster.evicted(), ["a-1"])

    def test_a_page_that_never_comes_whole_decides_nothing(self):
        class LastPage:
            """Every second page of the pods fails."""
            slow = 0

            def __init__(self, kind):
                self.kind = kind

            def next(self, entry):
                return self.kind if entry.verb == "list pods" and "continue" in entry.query else ""

        # Without the last pod there would be free room for a half of it.
        self.cluster.node("n", 12)
        self.cluster.add("z", 4, on="n", checkpoint=1)
        del self.cluster.pods["team", "chat-1"]
        self.cluster.add("large", 8, "inference")
        self.one.start("--page_size=3", "--request_timeout=500ms")
        for kind in ("short", "cut", "500", "429", "410", "reset after"):
            with self.subTest(kind):
                self.one.api.faults = LastPage(kind)
                self.until(self.one, lambda: self.one.wait_rounds(3))
                self.assertEqual(self.evictions(), [])
        self.one.api.faults = None
        self.cluster.strict = True
        self.until(self.one, lambda: self.cluster.runs("large"))
        self.assertEqual(sorted(self.cluster.evicted()), ["a-1", "z-1"])

    def test_a_list_that_is_cut_short_decides_nothing(self):
        # The first page of each list is fine; the pods' second never comes.
        for number in range(6):
            self.cluster.add(f"z{number}", 1)
        self.one.api.expired = True
        self.one.start("--page_size=4")
        self.until(self.one, lambda: self.one.wait_rounds(4))
        self.assertEqual(self.evictions(), [])
        self.one.api.expired = False
        self.until(self.one, lambda: self.cluster.runs("chat"))


if __name__ == "__main__":
    descheduler.main()
