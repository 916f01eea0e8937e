"""A small cluster in memory: pods that stop, controllers that make them again, a scheduler.

All times are those of the cluster's clock, which may differ from the machine's; pods that
"have run" get a start in the past.
Nothing happens by itself: `advance` does what is due, and everybody who looks calls it.
"""
import calendar
import copy
import threading
import time

GPU = "nvidia.com/gpu"
GANG = "scheduling.x-k8s.io/pod-group"
NOBODY_WAITS = "nobody more important waits"
LAST_CHECKPOINT = "precedent.dev/last-checkpoint"
# What the policy `seed` makes of these labels, most important last.
KINDS = {
    "sweep": ("preemptible", 0, {"preemptible": "true", "workload-type": "training"}),
    "training": ("experimental", 500, {"workload-type": "training"}),
    "production": ("production", 1000, {"environment": "production", "workload-type": "training"}),
    "inference": ("critical", 1200, {"environment": "production", "workload-type": "inference"}),
}


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class Controller:
    """Keeps one pod alive, as a Job of one completion does."""

    def __init__(self, kind, gpus, template, ends_after):
        self.kind = kind
        self.gpus = gpus
        self.template = template
        self.ends_after = ends_after  # seconds of running until a pod of it succeeds, or None
        self.made = 0
        self.done = False
        self.ends_at = None


class Cluster:
    def __init__(self, grace=0.1, skew=0):
        self.lock = threading.RLock()
        self.grace = grace  # seconds from an eviction until the pod is gone
        self.skew = skew    # seconds by which the cluster's clock is ahead
        self.version = 100
        self.pods = {}     # (namespace, name): object
        self.nodes = {}
        self.budgets = {}  # (namespace, name): object
        self.classes = {name: {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                               "metadata": {"name": name, "resourceVersion": "1"}, "value": value,
                               "preemptionPolicy": "Never"}
                        for name, value, _ in KINDS.values()}
        self.jobs = {}
        self.controllers = {}  # (namespace, name)
        self.gone_at = {}      # uid: when a pod that stops is gone
        self.evictions = []    # (uid, name, time) in the order in which they were accepted
        self.bound = []        # names in the order in which they got a node
        self.gone = []         # names of pods that were evicted and are gone
        self.scheduling = True
        self.strict = False    # nobody passes a more important pod that waits

    def now(self):
        return time.time() + self.skew

    # To build with.

    def node(self, name, gpus=8, labels=None, **spec):
        with self.lock:
            self.nodes[name] = self._new({
                "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}},
                "spec": spec,
                "status": {"allocatable": {GPU: str(gpus), "cpu": "96"},
                           "conditions": [{"type": "Ready", "status": "True"}]}})

    def add(self, name, gpus, kind="training", on=None, ran=7200, checkpoint=None,
            interval="10m", labels=None, annotations=None, gang=None, namespace="team",
            owned=True, ends_after=None, **spec):
        """A controller and its first pod; with `on`, one that has run there for `ran` seconds.

        `checkpoint`: seconds since the last one. Returns the pod's name.
        """
        klass, priority, kind_labels = KINDS[kind]
        notes = dict(annotations or {})
        if interval:
            notes["precedent.dev/checkpoint-interval"] = interval
        controller = Controller(kind, gpus, None, ends_after)
        spec = {"priorityClassName": klass, "priority": priority, "preemptionPolicy": "Never",
                "containers": [{"name": "main", "image": "registry.example.com/main:1",
                                "resources": {"limits": {GPU: str(gpus)}}}], **spec}
        metadata = {"namespace": namespace,
                    "labels": {**kind_labels, **({GANG: gang} if gang else {}), **(labels or {})},
                    "annotations": notes}
        if owned:
            metadata["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": name,
                                            "uid": f"job-{name}", "controller": True}]
        controller.template = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        with self.lock:
            self.controllers[namespace, name] = controller
            if owned:
                self.jobs[namespace, name] = self._new({
                    "apiVersion": "batch/v1", "kind": "Job",
                    "metadata": {"namespace": namespace, "name": name, "uid": f"job-{name}"},
                    "spec": {"completions": 1}, "status": {"active": 1}})
            pod = self._make(namespace, name, controller, self.now() - (ran if on else 0))
            if on:
                self._bind(pod, on, self.now() - ran, controller)
            if checkpoint is not None:
                pod["metadata"]["annotations"][LAST_CHECKPOINT] = stamp(self.now() - checkpoint)
            return pod["metadata"]["name"]

    def budget(self, name, match, namespace="team", **limit):
        """A PodDisruptionBudget; `limit` is minAvailable=N or maxUnavailable=N."""
        with self.lock:
            self.budgets[namespace, name] = self._new({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"namespace": namespace, "name": name, "generation": 1},
                "spec": {"selector": {"matchLabels": match}, **limit}})
            self._count_budgets()

    def _new(self, one):
        self.version += 1
        one["metadata"]["resourceVersion"] = str(self.version)
        one["metadata"].setdefault("creationTimestamp", stamp(self.now()))
        return one

    def touch(self, one):
        with self.lock:
            self.version += 1
            one["metadata"]["resourceVersion"] = str(self.version)

    def _make(self, namespace, name, controller, created):
        controller.made += 1
        pod = copy.deepcopy(controller.template)
        full = f"{name}-{controller.made}"
        pod["metadata"].update(name=full, uid=f"uid-{full}", creationTimestamp=stamp(created))
        pod["status"] = {"phase": "Pending"}
        controller.ends_at = None
        self.pods[namespace, full] = self._new(pod)
        return pod

    def replace(self, name, namespace="team"):
        """The pod is made anew under its name, as a StatefulSet does it; on its node at once."""
        with self.lock:
            pod = copy.deepcopy(self.pods[namespace, name])
            pod["metadata"]["uid"] += "-again"
            pod["metadata"].pop("deletionTimestamp", None)
            pod["status"]["startTime"] = stamp(self.now())
            self.pods[namespace, name] = self._new(pod)

    # What happens.

    def evict(self, pod):
        """What the eviction API does to a pod that no budget keeps."""
        now = self.now()
        metadata = pod["metadata"]
        metadata["deletionTimestamp"] = stamp(now + self.grace)
        metadata["deletionGracePeriodSeconds"] = 30
        pod["status"].setdefault("conditions", []).append(
            {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
             "message": "Eviction API: evicting", "lastTransitionTime": stamp(now)})
        self.touch(pod)
        self.gone_at[metadata["uid"]] = now + self.grace
        self.evictions.append((metadata["uid"], metadata["name"], now))
        self._count_budgets()

    def advance(self):
        with self.lock:
            now = self.now()
            for key, pod in list(self.pods.items()):
                uid = pod["metadata"]["uid"]
                if self.gone_at.get(uid, now + 1) <= now:
                    del self.gone_at[uid]
                    del self.pods[key]
                    self.gone.append(key[1])
                    owner = (key[0], key[1].rpartition("-")[0])
                    controller = self.controllers[owner]
                    if "ownerReferences" in controller.template["metadata"]:
                        self._make(*owner, controller, now)
            for (namespace, name), controller in self.controllers.items():
                if controller.ends_at and controller.ends_at <= now and not controller.done:
                    controller.done = True
                    pod = self.pods[namespace, f"{name}-{controller.made}"]
                    pod["status"]["phase"] = "Succeeded"
                    self.touch(pod)
            if self.scheduling:
                self._schedule(now)
            self._count_budgets()

    def free(self, node):
        if self.nodes[node]["spec"].get("unschedulable"):
            return 0
        taken = sum(self.gpus(pod) for pod in self.pods.values()
                    if pod["spec"].get("nodeName") == node
                    and pod["status"]["phase"] not in ("Succeeded", "Failed"))
        return int(self.nodes[node]["status"]["allocatable"][GPU]) - taken

    @staticmethod
    def gpus(pod):
        return int(pod["spec"]["containers"][0]["resources"]["limits"].get(GPU, 0))

    def _schedule(self, now):
        waiting = {}
        for pod in self.pods.values():
            if pod["status"]["phase"] == "Pending" and not pod["spec"].get("nodeName"):
                gang = pod["metadata"]["labels"].get(GANG)
                waiting.setdefault(gang or pod["metadata"]["uid"], []).append(pod)
        for gang in sorted(waiting.values(),
                           key=lambda pods: (-pods[0]["spec"]["priority"],
                                             pods[0]["metadata"]["creationTimestamp"],
                                             pods[0]["metadata"]["name"])):
            free = {node: self.free(node) for node in self.nodes}
            places = []
            for pod in sorted(gang, key=self.gpus, reverse=True):
                fitting = [node for node in sorted(free) if free[node] >= self.gpus(pod)]
                if fitting:
                    # The fullest that has room, so that large pods find room later.
                    node = min(fitting, key=lambda one: (free[one], one))
                    free[node] -= self.gpus(pod)
                    places.append((pod, node))
            if len(places) == len(gang):
                for pod, node in places:
                    name = pod["metadata"]["name"].rpartition("-")[0]
                    self._bind(pod, node, now, self.controllers[pod["metadata"]["namespace"], name])
                    self.bound.append(pod["metadata"]["name"])
            elif self.strict:
                return

    def _bind(self, pod, node, at, controller):
        pod["spec"]["nodeName"] = node
        pod["status"] = {"phase": "Running", "startTime": stamp(at)}
        if controller.ends_after is not None:
            controller.ends_at = self.now() + controller.ends_after
        self.touch(pod)

    # Questions.

    def pod(self, name, namespace="team"):
        return self.pods.get((namespace, name))

    def runs(self, name):
        """Whether the newest pod of a controller runs and does not stop."""
        with self.lock:
            self.advance()
            pod = self.pod(f"{name}-{self.controllers['team', name].made}")
            return bool(pod) and pod["status"]["phase"] in ("Running", "Succeeded") \
                and not stops(pod)

    def evicted(self):
        """Names of the pods whose eviction was accepted, in order."""
        with self.lock:
            return [name for _, name, _ in self.evictions]

    def why_not(self, pod, min_runtime):
        """Why it is wrong to evict a pod now; empty: it may be right."""
        metadata, spec = pod["metadata"], pod["spec"]
        if pod["status"]["phase"] != "Running":
            return "it does not run"
        if spec["priorityClassName"].startswith("system-"):
            return "it belongs to the system"
        if metadata["annotations"].get("karpenter.sh/do-not-disrupt") == "true":
            return "it has asked not to be disturbed"
        consents = metadata["labels"].get("preemptible") == "true"
        if not consents and "ownerReferences" not in metadata:
            return "nobody makes it again"
        if not consents and not metadata["annotations"].get("precedent.dev/checkpoint-interval"):
            return "it makes no checkpoints and has not consented"
        started = calendar.timegm(time.strptime(pod["status"]["startTime"], "%Y-%m-%dT%H:%M:%SZ"))
        if self.now() - started < min_runtime:
            return f"it has run for {self.now() - started:.1f} s"
        if not any(one["spec"]["priority"] > spec["priority"] and not one["spec"].get("nodeName")
                   for one in self.pods.values()):
            return NOBODY_WAITS
        return ""

    def budgets_of(self, pod):
        return [budget for (namespace, _), budget in self.budgets.items()
                if namespace == pod["metadata"]["namespace"] and selects(budget, pod)]

    def _count_budgets(self):
        for (namespace, _), budget in self.budgets.items():
            mine = [pod for (at, _), pod in self.pods.items()
                    if at == namespace and selects(budget, pod)]
            healthy = sum(pod["status"]["phase"] == "Running" and not stops(pod) for pod in mine)
            expected = sum(not controller.done and selects(budget, controller.template)
                           for (at, _), controller in self.controllers.items() if at == namespace)
            spec = budget["spec"]
            desired = spec["minAvailable"] if "minAvailable" in spec \
                else max(expected - spec["maxUnavailable"], 0)
            status = {"observedGeneration": 1, "currentHealthy": healthy, "desiredHealthy": desired,
                      "expectedPods": expected, "disruptionsAllowed": max(healthy - desired, 0)}
            if budget.get("status") != status:
                budget["status"] = status
                self.touch(budget)


def selects(budget, pod):
    labels = pod["metadata"]["labels"]
    return all(labels.get(key) == value
               for key, value in budget["spec"]["selector"]["matchLabels"].items())


def stops(pod):
    return "deletionTimestamp" in pod["metadata"]
