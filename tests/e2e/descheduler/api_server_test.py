"""The API server of the descheduler's tests: as strict as a real one."""
import http.client
import json
import pathlib
import ssl
import tempfile
import time
import unittest

import descheduler
from api_server import Faults, refusal
from cluster import Cluster

PODS = "/api/v1/namespaces/team/pods/"
MAPS = "/api/v1/namespaces/precedent-system/configmaps"


class ApiServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.certificate = descheduler.certificates.make(pathlib.Path(folder.name), "server")

    def setUp(self):
        self.cluster = Cluster(grace=0)
        self.api = descheduler.ApiServer(self.cluster, self.certificate, {"secret": "one"})
        self.addCleanup(self.api.close)
        self.context = ssl.create_default_context(cafile=self.certificate[0])

    def ask(self, method, path, body=None, token="secret"):
        connection = http.client.HTTPSConnection(self.api.address, context=self.context, timeout=30)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None,
                               {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            self.headers = answer.headers
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def evict(self, name, uid=None, **more):
        body = {"apiVersion": "policy/v1", "kind": "Eviction",
                "metadata": {"name": name, "namespace": "team"}, **more}
        if uid != "":
            body["deleteOptions"] = {"preconditions": {"uid": uid or f"uid-{name}"}}
        return self.ask("POST", f"{PODS}{name}/eviction", body)[0]

    def test_nobody_without_a_token(self):
        self.assertEqual(self.ask("GET", "/api/v1/pods?limit=5", token="other")[0], 401)
        self.assertEqual(self.api.log[-1].client, "")

    def test_pages(self):
        self.cluster.node("n", 8)
        for number in range(5):
            self.cluster.add(f"p{number}", 1, on="n")
        names, path, versions = [], "/api/v1/pods?limit=2", set()
        while path:
            code, page = self.ask("GET", path)
            self.assertEqual(code, 200)
            names += [one["metadata"]["name"] for one in page["items"]]
            versions.add(page["metadata"]["resourceVersion"])
            token = page["metadata"].get("continue")
            path = f"/api/v1/pods?limit=2&continue={token}" if token else None
            # What happens meanwhile is not in this list.
            self.cluster.add(f"late{len(names)}", 1)
        self.assertEqual(names, [f"p{number}-1" for number in range(5)])
        self.assertEqual(len(versions), 1)
        self.assertEqual(self.api.unexpected, [])
        self.api.expired = True
        self.assertEqual(self.ask("GET", f"/api/v1/pods?limit=2&continue={'page0-0'}")[0], 410)
        self.ask("GET", "/api/v1/pods")
        self.assertEqual(len(self.api.unexpected), 1)

    def test_what_is_not_agreed_is_noted(self):
        for method, path in (("DELETE", PODS + "a"), ("PATCH", PODS + "a"), ("GET", "/api/v1/secrets"),
                             ("POST", PODS + "a/binding"), ("DELETE", MAPS + "/x")):
            self.assertEqual(self.ask(method, path)[0], 404)
        self.assertEqual(len(self.api.unexpected), 5)

    def test_eviction(self):
        self.cluster.node("n", 8)
        self.cluster.add("a", 4, on="n")
        self.assertEqual(self.evict("b-1"), 404)
        self.assertEqual(self.evict("a-1", uid="uid-of-another"), 409)
        self.assertEqual(self.cluster.evicted(), [])
        self.cluster.grace = 30
        self.assertEqual(self.evict("a-1"), 201)
        self.assertEqual(self.cluster.evicted(), ["a-1"])
        pod = self.ask("GET", PODS + "a-1")[1]
        self.assertIn("deletionTimestamp", pod["metadata"])
        self.assertEqual(pod["status"]["conditions"][0]["reason"], "EvictionByEvictionAPI")
        self.assertEqual(self.api.double_evictions(), [])
        self.assertEqual(self.evict("a-1"), 201)
        self.assertEqual(len(self.api.double_evictions()), 1)
        self.assertEqual(self.cluster.evicted(), ["a-1"])
        # Nobody had written it down.
        self.assertFalse(any(one.ordered for one in self.api.log))
        self.assertEqual(self.api.unexpected, [])
        self.evict("a-1", uid="")
        self.evict("a-1", extra=1)
        self.assertEqual(len(self.api.unexpected), 2)

    def test_a_pod_is_made_again_and_waits_for_room(self):
        self.cluster.node("n", 8)
        self.cluster.add("a", 8, on="n")
        self.cluster.add("chat", 8, "inference")
        self.assertFalse(self.cluster.runs("chat"))
        self.assertEqual(self.evict("a-1"), 201)
        self.assertTrue(self.cluster.runs("chat"))
        self.assertFalse(self.cluster.runs("a"))
        self.assertIn(("team", "a-2"), self.cluster.pods)

    def test_gangs_are_bound_whole_and_strict_ones_are_not_passed(self):
        self.cluster.node("n", 8)
        for name in ("g0", "g1"):
            self.cluster.add(name, 8, "inference", gang="g")
        self.cluster.add("small", 1)
        self.cluster.strict = True
        self.assertFalse(self.cluster.runs("small"))
        self.cluster.strict = False
        self.assertTrue(self.cluster.runs("small"))
        self.cluster.node("m", 8)
        self.cluster.node("k", 8)
        self.assertTrue(self.cluster.runs("g0") and self.cluster.runs("g1"))

    def test_budgets(self):
        self.cluster.grace = 30
        self.cluster.node("n", 8)
        for name in "abc":
            self.cluster.add(name, 1, on="n", labels={"app": "x"})
        self.cluster.budget("x", {"app": "x"}, maxUnavailable=1)
        [budget] = self.ask("GET", "/apis/policy/v1/poddisruptionbudgets?limit=9")[1]["items"]
        self.assertEqual(budget["status"]["disruptionsAllowed"], 1)
        self.assertEqual([self.evict("a-1"), self.evict("b-1")], [201, 429])
        self.cluster.budget("x", {"app": "x"}, minAvailable=1)
        self.cluster.budget("y", {"app": "x"}, minAvailable=0)
        self.assertEqual(self.evict("b-1"), 500)
        del self.cluster.budgets["team", "y"]
        self.api.refuse = lambda entry: refusal("x", [("Retry-After", "7")])
        self.assertEqual(self.evict("b-1"), 429)
        self.assertEqual(self.headers["Retry-After"], "7")
        self.assertEqual(self.cluster.evicted(), ["a-1"])

    def test_what_is_illegal(self):
        self.cluster.node("n", 8)
        young = self.cluster.add("young", 1, on="n", ran=5)
        old = self.cluster.add("old", 1, on="n")
        bare = self.cluster.add("bare", 1, on="n", owned=False)
        stubborn = self.cluster.add("stubborn", 1, on="n", interval=None)
        reasons = lambda: [self.cluster.why_not(self.cluster.pod(one), 60)
                           for one in (young, old, bare, stubborn)]
        self.assertEqual(reasons()[1], descheduler.NOBODY_WAITS)
        self.cluster.add("chat", 8, "inference")
        self.assertEqual(reasons()[1], "")
        for reason, word in zip(reasons()[:1] + reasons()[2:], ("has run", "again", "consented")):
            self.assertIn(word, reason)

    def test_state_is_written_by_who_read_it_last(self):
        state = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}, "data": {"a": "1"}}
        self.assertEqual(self.ask("GET", MAPS + "/s")[0], 404)
        self.assertEqual(self.ask("PUT", MAPS + "/s", state)[0], 404)
        self.assertEqual(self.ask("POST", MAPS, state)[0], 201)
        self.assertEqual(self.ask("POST", MAPS, state)[0], 409)
        read = self.ask("GET", MAPS + "/s")[1]
        self.assertEqual(self.ask("PUT", MAPS + "/s", read)[0], 200)
        self.assertEqual(self.ask("PUT", MAPS + "/s", read)[0], 409)
        self.assertEqual(self.api.unexpected, [])
        self.ask("PUT", MAPS + "/s", state)
        self.assertEqual(len(self.api.unexpected), 1)
        self.assertEqual(self.ask("POST", MAPS, {**state, "data": {"a": "x" * (2 << 20)}})[0], 422)

    def test_events(self):
        event = {"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "R", "message": "m",
                 "metadata": {"generateName": "e-"}, "involvedObject": {"namespace": "team"}}
        path = "/api/v1/namespaces/team/events"
        self.assertEqual(self.ask("POST", path, event)[0], 201)
        self.assertEqual(self.ask("POST", path, {**event, "metadata": {}})[0], 422)
        self.assertEqual(self.ask("POST", path, {**event, "type": "Bad"})[0], 422)
        self.assertEqual(len(self.api.events), 1)

    def test_faults(self):
        self.cluster.node("n", 8)
        self.cluster.grace = 30
        for number in range(60):
            self.cluster.add(f"p{number}", 0, on="n")
        self.api.faults = Faults(7, 0.7)
        failed, answered = 0, 0
        for number in range(60):
            try:
                code = self.evict(f"p{number}-1")
                answered += code == 201
                failed += code != 201
            except (OSError, http.client.HTTPException, ValueError):
                failed += 1
        self.assertGreater(failed, 20)
        self.assertGreater(answered, 10)
        # Some that were not answered have happened.
        self.assertGreater(len(self.cluster.evicted()), answered)
        kinds = {kind for kind, count in self.api.faults.counts.items() if count}
        self.assertEqual(kinds, set(Faults.KINDS) - {"409", "410"})
        self.api.faults.quiet = True
        self.assertEqual(self.ask("GET", "/api/v1/nodes?limit=3")[0], 200)

    def test_no_answer(self):
        self.cluster.node("n", 8)
        self.cluster.add("a", 4, on="n")
        for when, evicted in (("before", []), ("after", ["a-1"])):
            self.api.hook = lambda entry, at, when=when: at == when
            with self.assertRaises((OSError, http.client.HTTPException)):
                self.evict("a-1")
            self.assertEqual(self.cluster.evicted(), evicted)

    def test_pods_end(self):
        self.cluster.node("n", 8)
        self.cluster.add("a", 8, on="n", ends_after=0.05)
        self.cluster.add("b", 8)
        time.sleep(0.1)
        self.assertTrue(self.cluster.runs("b"))


if __name__ == "__main__":
    descheduler.main()
