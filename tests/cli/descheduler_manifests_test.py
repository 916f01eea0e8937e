"""The manifests and README of the descheduler: what they say of each other and of the program."""
import re
import shutil
import subprocess
import unittest

import program

try:
    import yaml
except ImportError:
    print("descheduler_manifests_test: skipped: no python3-yaml")
    raise SystemExit(0)

FOLDER = program.SOURCE / "examples" / "descheduler"
BASE = FOLDER / "manifests" / "base"
EVICTING = FOLDER / "manifests" / "overlays" / "evicting"
WEBHOOK = program.SOURCE / "examples" / "kubernetes_webhook" / "manifests" / "base"
NAME = "precedent-descheduler"
NAMESPACE = "precedent-system"


def documents(path):
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def objects(folder):
    names = [one for one in documents(folder / "kustomization.yaml")[0]["resources"]
             if one.endswith(".yaml")]
    return [one for name in names for one in documents(folder / name)]


def find(among, kind, name):
    found = [one for one in among if one["kind"] == kind and one["metadata"]["name"] == name]
    assert len(found) == 1, (kind, name, len(found))
    return found[0]


def flags():
    return set(re.findall(r"ABSL_FLAG\([\w:]+, (\w+),", (FOLDER / "main.cc").read_text()))


def rights(among):
    """{(kind of role, group, resource, its name or *, verb)}."""
    return {(role["kind"], group, resource, name, verb)
            for role in among if role["kind"].endswith("Role") for rule in role["rules"]
            for group in rule["apiGroups"] for resource in rule["resources"]
            for name in rule.get("resourceNames", ["*"]) for verb in rule["verbs"]}


class RightsTest(program.TestCase):
    def test_a_dry_run_has_no_right_to_act(self):
        lists = [("", "pods"), ("", "nodes"), ("policy", "poddisruptionbudgets"),
                 ("scheduling.k8s.io", "priorityclasses"), ("resource.k8s.io", "resourceclaims"),
                 ("batch", "jobs")]
        self.assertEqual(rights(objects(BASE)),
                         {("ClusterRole", group, resource, "*", "list") for group, resource in lists}
                         | {("Role", "", "configmaps", NAME, "get")})

    def test_an_evicting_one_has_the_least_beside(self):
        self.assertEqual(rights(objects(EVICTING)),
                         {("ClusterRole", "", "pods/eviction", "*", "create"),
                          ("ClusterRole", "", "pods", "*", "get"),
                          ("ClusterRole", "", "events", "*", "create"),
                          ("Role", "", "configmaps", NAME, "update"),
                          ("Role", "", "configmaps", "*", "create")})

    def test_what_is_listed_may_be(self):
        paths = re.findall(r'\{"/(api/v1|apis/[^"]*)/(\w+)", "',
                           (FOLDER / "cluster_source.cc").read_text())
        listed = {(path.split("/")[1] if path.startswith("apis") else "", resource)
                  for path, resource in paths}
        self.assertEqual(listed, {(group, resource)
                                  for _, group, resource, _, verb in rights(objects(BASE))
                                  if verb == "list"})

    def test_all_roles_are_bound_to_it_and_nobody_else(self):
        every = objects(BASE) + objects(EVICTING)
        roles = {(one["kind"], one["metadata"]["name"]) for one in every
                 if one["kind"].endswith("Role")}
        bindings = [one for one in every if one["kind"].endswith("RoleBinding")]
        self.assertEqual({(one["roleRef"]["kind"], one["roleRef"]["name"]) for one in bindings}, roles)
        for one in bindings:
            self.assertEqual(one["subjects"], [{"kind": "ServiceAccount", "name": NAME,
                                                "namespace": NAMESPACE}])
            self.assertEqual(one["kind"], one["roleRef"]["kind"] + "Binding")

    def test_a_checkpoint_needs_one(self):
        self.assertEqual(rights(documents(FOLDER / "checkpoint" / "rbac.yaml")),
                         {("Role", "", "pods", "*", "patch")})
        self.assertLessEqual(len((FOLDER / "checkpoint" / "checkpoint.py").read_text().splitlines()), 30)


class DeploymentTest(program.TestCase):
    def setUp(self):
        super().setUp()
        self.spec = find(objects(BASE), "Deployment", NAME)["spec"]
        self.pod = self.spec["template"]["spec"]
        self.container, = self.pod["containers"]
        self.arguments = dict(one[2:].split("=", 1) for one in self.container["args"])

    def test_one_that_is_careful(self):
        self.assertEqual((self.spec["replicas"], self.spec["strategy"]), (1, {"type": "Recreate"}))
        self.assertTrue(self.pod["securityContext"]["runAsNonRoot"])
        self.assertGreater(self.pod["securityContext"]["runAsUser"], 0)
        self.assertEqual(self.container["securityContext"],
                         {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                          "capabilities": {"drop": ["ALL"]}})
        self.assertIn("memory", self.container["resources"]["limits"])
        self.assertEqual(self.pod["serviceAccountName"], NAME)

    def test_flags_and_ports(self):
        self.assertEqual(set(self.arguments) - flags(), set())
        self.assertNotIn("evict", self.arguments)
        port, = self.container["ports"]
        self.assertEqual(self.arguments["metrics_port"], str(port["containerPort"]))
        for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
            self.assertEqual(self.container[probe]["httpGet"], {"path": path, "port": port["name"]})

    def test_files_are_where_it_looks(self):
        mounts = {one["name"]: one for one in self.container["volumeMounts"]}
        self.assertFalse(any("subPath" in one for one in mounts.values()))
        volumes = {one["name"]: one["configMap"]["name"] for one in self.pod["volumes"]}
        own, = documents(BASE / "kustomization.yaml")[0]["configMapGenerator"]
        webhook, = documents(WEBHOOK / "kustomization.yaml")[0]["configMapGenerator"]
        self.assertEqual(volumes, {"policy": webhook["name"], "preemption": own["name"]})
        self.assertEqual([self.arguments["policy"], self.arguments["options"]],
                         [f"{mounts['policy']['mountPath']}/{file}" for file in webhook["files"]])
        self.assertEqual([self.arguments["preemption"]],
                         [f"{mounts['preemption']['mountPath']}/{file}" for file in own["files"]])

    def test_the_overlay_evicts_and_changes_nothing_else(self):
        patch, = documents(EVICTING / "kustomization.yaml")[0]["patches"]
        self.assertEqual(patch["target"], {"kind": "Deployment", "name": NAME})
        change, = yaml.safe_load(patch["patch"])
        self.assertEqual(change, {"op": "add", "value": "--evict",
                                  "path": "/spec/template/spec/containers/0/args/-"})

    @unittest.skipUnless(shutil.which("kubectl"), "no kubectl: overlays are not built")
    def test_they_are_built(self):
        for folder, evicts in ((BASE, False), (EVICTING, True)):
            done = subprocess.run(["kubectl", "kustomize", str(folder)], check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            built = list(yaml.safe_load_all(done.stdout))
            container, = find(built, "Deployment", NAME)["spec"]["template"]["spec"]["containers"]
            self.assertEqual("--evict" in container["args"], evicts)
            self.assertRegex(container["image"], r"^precedent-webhook:\d")


class PolicyTest(program.TestCase):
    def test_the_preemption_policy_is_one(self):
        cluster = program.SOURCE / "examples" / "kubernetes" / "cluster.json"
        result = program.run("plan", f"--policy={WEBHOOK / 'policy.txtpb'}", f"--pods={cluster}",
                             f"--preemption={BASE / 'preemption.yaml'}", program.NOW)
        self.assertRan(result, 0)
        policy, = documents(BASE / "preemption.yaml")
        names = {one["metadata"]["name"] for one in documents(EVICTING / "priority-classes.yaml")}
        for name in policy["neverEvictClasses"] + [one["priorityClass"] for one in policy["budgets"]]:
            self.assertIn(name, names)

    def test_classes_are_those_of_the_webhook_and_preempt_nobody(self):
        theirs = (WEBHOOK / "priority-classes.yaml").read_text()
        self.assertIn("PreemptLowerPriority", theirs)
        self.assertEqual((EVICTING / "priority-classes.yaml").read_text(),
                         theirs.replace("PreemptLowerPriority", "Never"))


class ReadmeTest(program.TestCase):
    def setUp(self):
        super().setUp()
        self.text = (FOLDER / "README.md").read_text()

    def test_flags_and_metrics(self):
        for flag in flags():
            self.assertIn(f"`--{flag}`", self.text)
        metrics = set(re.findall(r'"(precedent_descheduler_[a-z_]+)"',
                                 (FOLDER / "desched_metrics.cc").read_text()))
        self.assertGreater(len(metrics), 15)
        self.assertEqual(set(re.findall(r"`(precedent_descheduler_[a-z_]+)`", self.text)), metrics)

    def test_numbers(self):
        for file, number in (("history.h", "kMaxRecords = 1000"), ("state.h", "900 << 10"),
                             ("descheduler.cc", "kMaxOrderBytes = 300 << 10"),
                             ("cluster_source.cc", "kMaxPageBytes = 64 << 20"),
                             ("evictor.cc", "kTries = 4"), ("main.cc", "page_size, 500"),
                             ("main.cc", "request_timeout, absl::Seconds(10)"),
                             ("main.cc", "lease, absl::Seconds(30)"),
                             ("main.cc", "interval, absl::Minutes(1)")):
            self.assertIn(number, (FOLDER / file).read_text())
        for words in ("newest 1,000", "over 900 KiB", "300 KiB of orders", "over 64 MiB", "four times",
                      "| 500 |", "| 10s |", "| 30s |", "| 60s, 1s |"):
            self.assertIn(words, self.text.replace("\n", " ").replace("  ", " "))


if __name__ == "__main__":
    program.main()
