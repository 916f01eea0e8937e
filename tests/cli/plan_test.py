"""precedent plan: a cluster in, a plan out. Which plan is best, the planner's tests say."""
import json

import program

FOLDER = program.SOURCE / "examples" / "kubernetes"
SEED = f"--policy={program.POLICIES / 'seed.txtpb'}"
OWNER = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True}]

CLUSTER = """
nodes { name: "n1" gpus: 8 }
jobs { id: "low" priority: 1 preemption_priority: 1 preemptible: true
  pods { name: "low-0" gpu_milli: 8000 node: "n1" } started { seconds: 1772400000 } }
jobs { id: "high" priority: 1000 preemption_priority: 1000 pods { name: "high-0" gpu_milli: 8000 } }
"""


def node(name, gpus=8, **spec):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec,
            "status": {"allocatable": {"nvidia.com/gpu": str(gpus)}}}


def pod(name, gpus=8, on=None, labels=None, **spec):
    if on:
        spec["nodeName"] = on
    status = {"phase": "Running", "startTime": "2026-03-02T06:00:00Z"} if on else {"phase": "Pending"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "team", "uid": f"uid-{name}", "labels": labels or {},
                         "creationTimestamp": "2026-03-02T06:00:00Z", "ownerReferences": OWNER},
            "spec": {"preemptionPolicy": "Never",
                     "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": gpus}}}],
                     **spec},
            "status": status}


def listed(*items):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=4)


PRODUCTION = {"environment": "production"}
CONSENT = {"preemptible": "true"}


class PlanTest(program.TestCase):
    def plan(self, *arguments, code=0, **keywords):
        result = program.run("plan", SEED, program.NOW, *arguments, **keywords)
        self.assertRan(result, code)
        return result

    def victims(self, result):
        [plan] = result.objects()
        return {place["job"]: [victim["job"] for victim in place["victims"]]
                for place in plan["placements"]}

    def reasons(self, result):
        [plan] = result.objects()
        return {one["job"]: one["reason"] for one in plan["unplaced"]}

    def test_the_example(self):
        arguments = [f"--pods={FOLDER / 'cluster.json'}",
                     f"--preemption={FOLDER / 'preemption.yaml'}"]
        result = self.plan(*arguments)
        # Of those that may leave, the one that made a checkpoint a moment ago. `paper` made
        # a later one, and has a PodDisruptionBudget.
        self.assertEqual(self.victims(result), {"uid-chat-x1": ["uid-sweep-a-x1"]})
        self.assertEqual(list(self.reasons(result)), ["uid-notebook-x1"])
        table = self.plan(*arguments, "--output=table").out
        for text in ("PLAN", "search/chat-x1", "evicts", "research/sweep-a-x1", "gpu-1"):
            self.assertIn(text, table)
        [eviction] = self.plan(*arguments, "--output=evictions").objects()
        self.assertEqual(eviction, {
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": "sweep-a-x1", "namespace": "research"},
            "deleteOptions": {"preconditions": {"uid": "uid-sweep-a-x1"}}})

    def test_free_room_costs_nothing(self):
        text = listed(node("n1"), node("n2"), pod("low", on="n1", labels=CONSENT),
                      pod("high", labels=PRODUCTION))
        self.assertEqual(self.victims(self.plan("--pods=-", stdin=text)), {"uid-high": []})
        self.assertEqual(self.plan("--pods=-", "--output=evictions", stdin=text).out, "")

    def test_pods_and_nodes_in_two_files_of_one_object_a_line(self):
        pods = self.file("pods.json", "\n".join(json.dumps(one) for one in [
            pod("low", on="n1", labels=CONSENT), pod("high", labels=PRODUCTION)]))
        nodes = self.file("nodes.json", json.dumps(
            {"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [node("n1")]}))
        self.assertEqual(self.victims(self.plan(f"--pods={pods}", f"--nodes={nodes}")),
                         {"uid-high": ["uid-low"]})

    def test_a_taint_that_is_not_tolerated(self):
        tainted = node("n1", taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
        low, high = pod("low", on="n1", labels=CONSENT), pod("high", labels=PRODUCTION)
        result = self.plan("--pods=-", stdin=listed(tainted, low, high))
        self.assertEqual(self.victims(result), {})
        high["spec"]["tolerations"] = [{"key": "team", "operator": "Exists"}]
        result = self.plan("--pods=-", stdin=listed(tainted, low, high))
        self.assertEqual(self.victims(result), {"uid-high": ["uid-low"]})

    def test_our_own_messages(self):
        text = self.file("cluster.txtpb", CLUSTER)
        in_json = self.file("cluster.json", json.dumps(
            {"nodes": [{"name": "n1", "gpus": 8}],
             "jobs": [{"id": "low", "priority": 1, "preemptionPriority": 1, "preemptible": True,
                       "pods": [{"name": "low-0", "gpuMilli": "8000", "node": "n1"}],
                       "started": "2026-03-01T21:20:00Z"},
                      {"id": "high", "priority": 1000, "preemptionPriority": 1000,
                       "pods": [{"name": "high-0", "gpuMilli": 8000}]}]}))
        for file in (text, in_json):
            self.assertEqual(self.victims(self.plan(f"--pods={file}")), {"high": ["low"]})
        # No object of Kubernetes, no Eviction.
        result = self.plan(f"--pods={text}", "--output=evictions")
        self.assertEqual(result.out, "")
        self.assertIn("`low`", result.err)

    def test_invalid_objects_are_named_and_the_rest_is_planned(self):
        bad = pod("bad", labels=PRODUCTION)
        bad["metadata"]["annotations"] = {"precedent.dev/last-checkpoint": "soon"}
        text = listed(node("n1"), bad, 7, pod("high", labels=PRODUCTION))
        result = self.plan("--pods=-", stdin=text, code=1)
        self.assertEqual(self.victims(result), {"uid-high": []})
        self.assertIn("items[1]: `team/bad`", result.err)
        self.assertIn("items[2]", result.err)
        result = self.plan("--pods=-", stdin=text[:-40], code=1)
        self.assertIn("middle of an object", result.err)

    def test_a_node_of_negative_capacity_is_left_out(self):
        for gpus in (-8, "nonsense", "1e99"):
            low, high = pod("low", on="n1", labels=CONSENT), pod("high", labels=PRODUCTION)
            text = listed(node("n1", gpus), node("n2"), low, high)
            result = self.plan("--pods=-", stdin=text, code=1)
            self.assertIn('items[0]: `n1`: status.allocatable["nvidia.com/gpu"]', result.err)
            self.assertEqual(self.victims(result), {"uid-high": []})
            [plan] = result.objects()
            self.assertEqual(plan["placements"][0]["pods"][0]["node"], "n2")

    def test_pods_on_a_node_that_is_not_known_free_no_room(self):
        text = listed(node("n1", 4), pod("lost", on="gone", labels=CONSENT),
                      pod("high", labels=PRODUCTION))
        result = self.plan("--pods=-", stdin=text)
        self.assertEqual(self.victims(result), {})
        self.assertEqual(self.reasons(result), {"uid-high": "TOO_LARGE"})
        self.assertIn("gone", str(result.objects()[0]["remarks"]))

    def test_a_gang_that_runs_in_part(self):
        gang = {"scheduling.x-k8s.io/pod-group": "g"}
        text = listed(node("n1", 4), node("n2", 4),
                      pod("g-0", 4, on="n1", labels={**gang, **CONSENT}),
                      pod("g-1", 4, labels={**gang, **CONSENT}),
                      pod("low", 4, on="n2", labels=CONSENT), pod("high", 4, labels=PRODUCTION))
        result = self.plan("--pods=-", stdin=text)
        # The half that waits gets nothing by itself, and the others go on.
        self.assertEqual(self.reasons(result), {"team/g": "GANG_HALF"})
        self.assertEqual(list(self.victims(result)), ["uid-high"])

    def test_clocks_that_disagree(self):
        ahead = "2026-03-02T13:00:00Z"  # of program.NOW by an hour
        saved = pod("saved", 4, on="n1")
        saved["metadata"]["annotations"] = {"precedent.dev/checkpoint-interval": "10m",
                                            "precedent.dev/last-checkpoint": ahead}
        usual = pod("usual", 4, on="n1")
        usual["metadata"]["annotations"] = {"precedent.dev/checkpoint-interval": "10m",
                                            "precedent.dev/last-checkpoint": "2026-03-02T11:59:00Z"}
        born = pod("born", 4, on="n2", labels=CONSENT)
        born["status"]["startTime"] = born["metadata"]["creationTimestamp"] = ahead
        high = pod("high", 4, labels=PRODUCTION)
        high["metadata"]["creationTimestamp"] = ahead
        result = self.plan("--pods=-", stdin=listed(node("n1"), node("n2", 4), saved, usual, born,
                                                    high))
        # Saved now; begun now, and too fresh.
        self.assertEqual(self.victims(result), {"uid-high": ["uid-saved"]})
        [plan] = result.objects()
        self.assertEqual(plan["placements"][0]["victims"][0].get("lostGpuSeconds", 0), 0)

    def test_every_mistake_in_the_preemption_policy(self):
        file = self.file("p.yaml", "gapp: 1\nminRuntimeSeconds: soon\nbudgets: [{nam: x}]\n")
        cluster = self.file("c.txtpb", CLUSTER)
        result = self.plan(f"--pods={cluster}", f"--preemption={file}", code=2)
        for text in ("gapp", "min_runtime_seconds", "budgets[0].nam"):
            self.assertIn(text, result.err)
        empty = self.file("empty.yaml", "")
        result = self.plan(f"--pods={cluster}", f"--preemption={empty}", code=2)
        self.assertIn("empty", result.err)
        negative = self.file("n.txtpb", "gap: -1")
        result = self.plan(f"--pods={cluster}", f"--preemption={negative}", code=2)
        self.assertIn("gap", result.err)

    def test_no_cluster(self):
        self.assertIn("--pods", self.plan(code=2).err)
        self.assertIn("no-such", self.plan("--pods=no-such.json", code=1).err)

    def test_a_long_list_needs_no_more_memory_than_a_short_one(self):
        # Most pods of a large cluster hold no GPU.
        other = json.dumps(pod("other", on="n1"), indent=4).replace("nvidia.com/gpu", "cpu")
        one = "\n" + other.replace('"c"', '"' + "c" * 4000 + '"') + ","
        first = listed(node("n1"), pod("high", labels=PRODUCTION))
        head, tail = first.split("[", 1)
        text = head + "[" + one * 20_000 + tail
        self.assertGreater(len(text), 80 << 20)
        result = self.plan("--pods=-", stdin=text, memory_mib=80)
        self.assertEqual(self.victims(result), {"uid-high": []})


if __name__ == "__main__":
    program.main()
