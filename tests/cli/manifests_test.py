"""The manifests of the webhook: what they say of each other, of the programs and of the policy."""
import base64
import json
import re
import shutil
import subprocess
import unittest

import program

try:
    import yaml
except ImportError:
    print("manifests_test: skipped: no python3-yaml")
    raise SystemExit(0)

FOLDER = program.SOURCE / "examples" / "kubernetes_webhook"
MANIFESTS = FOLDER / "manifests"
BASE = MANIFESTS / "base"
OVERLAYS = ["base", "overlays/production", "overlays/dry-run"]
NAMESPACE = "precedent-system"
CLUSTER_KINDS = {"Namespace", "PriorityClass", "ClusterRole", "ClusterRoleBinding",
                 "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy",
                 "ValidatingAdmissionPolicyBinding"}


def documents(path):
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def base_objects():
    names = documents(BASE / "kustomization.yaml")[0]["resources"]
    return [one for name in names for one in documents(BASE / name)]


def find(objects, kind, name):
    found = [one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name]
    assert len(found) == 1, (kind, name, len(found))
    return found[0]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def flags_of(source):
    return set(re.findall(r"ABSL_FLAG\([\w:]+, (\w+),", (FOLDER / source).read_text()))


def metrics_of(source):
    return set(re.findall(r'"(precedent_[a-z_]+)"', (FOLDER / source).read_text()))


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


class PolicyTest(program.TestCase):
    def test_classes_are_those_of_the_policy(self):
        result = program.run("classes", f"--policy={BASE / 'policy.txtpb'}")
        self.assertRan(result, 0)
        self.assertEqual((BASE / "priority-classes.yaml").read_text(), result.out)

    def test_check_finds_what_the_policy_says(self):
        result = program.run("check", BASE / "policy.txtpb")
        self.assertRan(result, 0)
        self.assertIn("0 errors, 0 warnings, 0 notes", result.out)
        result = program.run("check", "--strict", f"--options={BASE / 'options.yaml'}",
                             BASE / "policy.txtpb")
        self.assertRan(result, 1)
        self.assertIn("0 errors, 1 warning, 0 notes", result.out)
        self.assertIn("`inference` can raise a priority on a claimed value: workload_type", result.out)

    def test_a_policy_for_the_first_day_refuses_and_stops_nothing(self):
        text = program.run("format", BASE / "policy.txtpb").out
        for word in ("deny:", "limit_runtime_seconds:", "hour_of_day", "day_of_week", "wait_seconds",
                     "WAIT_SECONDS", "active_"):
            self.assertNotIn(word, text)
        self.assertIn('id: "no-team"', text)

    def test_the_dry_run_has_other_targets_and_nothing_else(self):
        base = documents(BASE / "options.yaml")[0]
        dry = documents(MANIFESTS / "overlays" / "dry-run" / "options.yaml")[0]
        self.assertEqual(base.pop("targets"), ["PRIORITY_CLASS"])
        self.assertEqual(dry.pop("targets"), ["ANNOTATION"])
        base.pop("tierLabel")
        self.assertEqual(base, dry)

    def patch(self, options):
        review = program.SOURCE / "examples" / "kubernetes" / "review.json"
        result = program.run("admit", f"--policy={BASE / 'policy.txtpb'}", f"--options={options}",
                             program.NOW, review)
        self.assertRan(result, 0)
        return json.loads(base64.b64decode(result.objects()[0]["response"]["patch"]))

    def test_what_they_do_to_a_pod(self):
        classes = {one["metadata"]["name"] for one in documents(BASE / "priority-classes.yaml")}
        values = {one["path"]: one.get("value") for one in self.patch(BASE / "options.yaml")}
        self.assertIn(values["/spec/priorityClassName"], classes)
        dry = self.patch(MANIFESTS / "overlays" / "dry-run" / "options.yaml")
        self.assertEqual([one["path"].split("/")[1:3] for one in dry], [["metadata", "annotations"]])

    def test_only_a_namespace_makes_a_job_production(self):
        pods = [{"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"name": f"pod-{namespace}", "namespace": namespace,
                              "labels": {"environment": "production", "workload": "inference"}},
                 "spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}
                for namespace in ("prod-search", "search-prod", "staging-search", "research")]
        result = program.run("derive", f"--policy={BASE / 'policy.txtpb'}",
                             f"--options={BASE / 'options.yaml'}", program.NOW, "-",
                             stdin="\n".join(map(json.dumps, pods)))
        self.assertRan(result, 0)
        self.assertEqual([one["priorityClass"] for one in result.objects()],
                         ["critical", "critical", "experimental", "experimental"])

    def test_the_fallback_has_a_class_that_exists(self):
        options = documents(BASE / "options.yaml")[0]
        find(documents(BASE / "priority-classes.yaml"), "PriorityClass",
             options["fallback"]["priorityClass"])


class HooksTest(program.TestCase):
    def setUp(self):
        super().setUp()
        self.objects = base_objects()
        self.hooks = find(self.objects, "MutatingWebhookConfiguration", "precedent-webhook")["webhooks"]
        self.net = find(self.objects, "ValidatingAdmissionPolicy", "precedent-class")["spec"]

    def test_every_kind_of_the_adapter_is_asked_for_and_no_other(self):
        unknown = self.file("unknown.yaml", "apiVersion: example.com/v1\nkind: Unknown\n"
                                            "metadata: {name: a}\n")
        known = re.search(r"\(known: ([^)]*)\)", program.run("describe", unknown).err)[1].split(", ")
        expected = set()
        for name in known:
            kind, _, group = name.partition(".")
            expected.add((group, kind.lower() + "s"))
        self.assertGreater(len(expected), 15)
        asked = {(group, resource) for hook in self.hooks for rule in hook["rules"]
                 for group in rule["apiGroups"] for resource in rule["resources"]}
        self.assertEqual(asked, expected)

    def test_what_all_hooks_have_in_common(self):
        service = find(self.objects, "Service", "precedent-webhook")
        for hook in self.hooks:
            self.assertRegex(hook["name"], r"^[a-z]+\.precedent\.dev$")
            self.assertEqual(hook["admissionReviewVersions"], ["v1"])
            self.assertEqual(hook["sideEffects"], "None")
            self.assertEqual(hook["reinvocationPolicy"], "IfNeeded")
            self.assertEqual(hook["timeoutSeconds"], 2)
            self.assertEqual(hook["failurePolicy"], "Ignore")
            self.assertEqual(hook["clientConfig"]["service"],
                             {"name": service["metadata"]["name"], "namespace": NAMESPACE,
                              "path": "/mutate", "port": service["spec"]["ports"][0]["port"]})
            self.assertEqual({one["key"]: set(one["values"])
                              for one in hook["namespaceSelector"]["matchExpressions"]},
                             {"kubernetes.io/metadata.name": {"kube-system", NAMESPACE},
                              "precedent.dev/admission": {"off"}})
            for one in hook["namespaceSelector"]["matchExpressions"]:
                self.assertEqual(one["operator"], "NotIn")
            for rule in hook["rules"]:
                self.assertEqual(rule["operations"], ["CREATE"])
                self.assertEqual(rule["apiVersions"], ["*"])
                self.assertEqual(rule["scope"], "Namespaced")
        self.assertEqual(self.net["matchConstraints"]["namespaceSelector"],
                         self.hooks[0]["namespaceSelector"])

    def test_one_condition_in_three_places(self):
        def condition(conditions):
            return squeezed({one["name"]: one["expression"] for one in conditions}["may-have-a-device"])

        pods = condition(self.hooks[0]["matchConditions"])
        templates = condition(self.hooks[1]["matchConditions"])
        self.assertEqual(condition(self.net["matchConditions"]), pods)
        self.assertTrue(templates.endswith(".exists(spec," + pods.replace("object.spec", "spec") + ")"))
        for path in ("object.spec.jobTemplate.spec.template.spec", "object.spec.template.spec"):
            self.assertIn(path, templates)
        self.assertEqual(self.hooks[0]["matchConditions"][0], self.net["matchConditions"][0])

    def test_the_condition_lets_pass_whatever_can_be_a_device(self):
        condition = squeezed(self.hooks[0]["matchConditions"][1]["expression"])
        for part in ("has(object.spec.resourceClaims)", "object.spec.containers",
                     "object.spec.initContainers", "c.resources.limits.exists",
                     "c.resources.requests.exists", "r.contains('/')",
                     "!r.contains('kubernetes.io/')"):
            self.assertIn(part, condition)
        # No vendor's name, no `gpu`: MIG slices and other accelerators are devices, too.
        self.assertNotRegex(condition, "nvidia|amd|gpu|aws|intel")
        self.assertNotIn("matchConditions", self.hooks[2])
        for hook in self.hooks:
            for one in hook.get("matchConditions", []):
                self.assertEqual(one["expression"].count("("), one["expression"].count(")"))

    def test_the_net_knows_the_label_that_the_webhook_writes(self):
        tier = documents(BASE / "options.yaml")[0]["tierLabel"]
        variables = {one["name"]: one["expression"] for one in self.net["variables"]}
        self.assertEqual(variables["tier"].count(f"'{tier}'"), 2)
        validation, = self.net["validations"]
        for name in variables:
            self.assertIn(f"variables.{name}", validation["expression"])
        self.assertIn("'-nonpreempting'", validation["expression"])
        binding = find(self.objects, "ValidatingAdmissionPolicyBinding", "precedent-class")
        self.assertEqual(binding["spec"], {"policyName": "precedent-class",
                                           "validationActions": ["Warn", "Audit"]})


class ServerTest(program.TestCase):
    def setUp(self):
        super().setUp()
        self.objects = base_objects()

    def deployment(self, name):
        spec = find(self.objects, "Deployment", name)["spec"]
        pod = spec["template"]["spec"]
        container, = pod["containers"]
        arguments = dict(one[2:].split("=", 1) for one in container["args"])
        return spec, pod, container, arguments

    def assertCareful(self, pod, container):
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertGreater(pod["securityContext"]["runAsUser"], 0)
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertEqual(container["securityContext"],
                         {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                          "capabilities": {"drop": ["ALL"]}})
        self.assertIn("memory", container["resources"]["limits"])
        self.assertEqual(set(container["resources"]["requests"]), {"cpu", "memory"})

    def test_webhook(self):
        spec, pod, container, arguments = self.deployment("precedent-webhook")
        self.assertCareful(pod, container)
        self.assertEqual(spec["replicas"], 2)
        self.assertEqual(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0)
        self.assertEqual(set(arguments) - flags_of("main.cc"), set())
        self.assertLessEqual(
            2 * (seconds(arguments["drain_delay"]) + seconds(arguments["drain_timeout"])),
            pod["terminationGracePeriodSeconds"])
        ports = {one["name"]: one["containerPort"] for one in container["ports"]}
        self.assertEqual(arguments["listen"], f":{ports['https']}")
        self.assertEqual(arguments["metrics_listen"], f":{ports['metrics']}")
        for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
            self.assertEqual(container[probe]["httpGet"],
                             {"path": path, "port": "https", "scheme": "HTTPS"})
        labels = spec["template"]["metadata"]["labels"]
        for one in pod["topologySpreadConstraints"]:
            self.assertEqual(one["labelSelector"]["matchLabels"], labels)
        for kind in ("PodDisruptionBudget", "Service"):
            selector = find(self.objects, kind, "precedent-webhook")["spec"]["selector"]
            self.assertEqual(selector.get("matchLabels", selector), labels)
        # It asks the API server for nothing.
        self.assertIs(pod["automountServiceAccountToken"], False)

    def test_files_of_the_webhook_are_where_it_looks(self):
        _, pod, container, arguments = self.deployment("precedent-webhook")
        mounts = {one["name"]: one for one in container["volumeMounts"]}
        self.assertFalse(any("subPath" in one for one in mounts.values()))
        generator, = documents(BASE / "kustomization.yaml")[0]["configMapGenerator"]
        self.assertTrue(generator["options"]["disableNameSuffixHash"])
        certificate = find(self.objects, "Certificate", "precedent-webhook")["spec"]
        volumes = {one["name"]: one for one in pod["volumes"]}
        self.assertEqual(volumes["policy"]["configMap"]["name"], generator["name"])
        self.assertEqual(volumes["tls"]["secret"]["secretName"], certificate["secretName"])
        policy, tls = mounts["policy"]["mountPath"], mounts["tls"]["mountPath"]
        self.assertEqual([arguments["policy"], arguments["options"]],
                         [f"{policy}/{file}" for file in generator["files"]])
        self.assertEqual([arguments["tls_certificate"], arguments["tls_key"]],
                         [f"{tls}/tls.crt", f"{tls}/tls.key"])

    def test_certificate_is_the_one_that_the_api_server_is_told_of(self):
        configuration = find(self.objects, "MutatingWebhookConfiguration", "precedent-webhook")
        namespace, name = configuration["metadata"]["annotations"][
            "cert-manager.io/inject-ca-from"].split("/")
        self.assertEqual(namespace, NAMESPACE)
        certificate = find(self.objects, "Certificate", name)["spec"]
        self.assertIn(f"precedent-webhook.{NAMESPACE}.svc", certificate["dnsNames"])
        issuer = find(self.objects, "Issuer", certificate["issuerRef"]["name"])["spec"]
        authority = find(self.objects, "Certificate", "precedent-ca")["spec"]
        self.assertEqual(issuer["ca"]["secretName"], authority["secretName"])
        self.assertIs(authority["isCA"], True)

    def test_pods(self):
        spec, pod, container, arguments = self.deployment("precedent-webhook-pods")
        self.assertCareful(pod, container)
        self.assertEqual(spec["replicas"], 1)
        self.assertEqual(set(arguments) - flags_of("pods/main.cc"), set())
        self.assertEqual(arguments["metrics_listen"], f":{container['ports'][0]['containerPort']}")
        self.assertEqual(pod["serviceAccountName"], "precedent-webhook-pods")

    def test_roles_are_the_least(self):
        roles = [one for one in self.objects if one["kind"].endswith("Role")]
        self.assertEqual([(one["metadata"]["name"], one["rules"]) for one in roles],
                         [("precedent-webhook-pods",
                           [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}])])
        bindings = [one for one in self.objects if one["kind"].endswith("RoleBinding")]
        self.assertEqual([one["subjects"] for one in bindings],
                         [[{"kind": "ServiceAccount", "name": "precedent-webhook-pods",
                            "namespace": NAMESPACE}]])


class AlertsTest(program.TestCase):
    def setUp(self):
        super().setUp()
        component = MANIFESTS / "components" / "prometheus"
        self.objects = [one for name in documents(component / "kustomization.yaml")[0]["resources"]
                        for one in documents(component / name)]
        rule = find(self.objects, "PrometheusRule", "precedent-webhook")
        self.rules = [one for group in rule["spec"]["groups"] for one in group["rules"]]

    def test_metrics_exist(self):
        known = metrics_of("metrics.cc") | metrics_of("pods/pod_metrics.cc")
        self.assertGreater(len(known), 20)
        used = set()
        for rule in self.rules:
            text = re.sub(r'"[^"]*"', "", rule["expr"])
            self.assertEqual(text.count("("), text.count(")"), rule["alert"])
            names = {re.sub("_bucket$", "", name) for name in re.findall(r"precedent_\w+", text)}
            self.assertTrue(names or "apiserver_admission_webhook" in text, rule["alert"])
            used |= names
        self.assertEqual(used - known, set())
        # What says that something is wrong is looked at.
        wrong = {name for name in known
                 if re.search("failing|errors|overload|undecodable|oversize|dropped|untracked", name)}
        self.assertEqual(wrong - used, set())

    def test_each_says_what_to_do(self):
        self.assertEqual(len({one["alert"] for one in self.rules}), len(self.rules))
        for rule in self.rules:
            self.assertIn(rule["labels"]["severity"], ("page", "ticket"), rule["alert"])
            self.assertEqual(set(rule["annotations"]), {"summary", "action"}, rule["alert"])
        for word in re.findall(r"--(\w+)", json.dumps([one["annotations"] for one in self.rules])):
            self.assertIn(word, flags_of("main.cc") | flags_of("pods/main.cc") | {"options"})

    def test_classes_exist(self):
        policy = program.run("format", BASE / "policy.txtpb").out
        named = {word for rule in self.rules
                 for text in re.findall(r'class=~"([^"]*)"', rule["expr"])
                 for word in re.findall(r"[a-z]+", text.replace("nonpreempting", ""))}
        self.assertTrue(named)
        for name in named:
            self.assertIn(f'name: "{name}"', policy)

    def test_monitors_find_the_pods(self):
        deployments = [one for one in base_objects() if one["kind"] == "Deployment"]
        for one in deployments:
            monitor = find(self.objects, "PodMonitor", one["metadata"]["name"])["spec"]
            template = one["spec"]["template"]
            self.assertEqual(monitor["selector"]["matchLabels"], template["metadata"]["labels"])
            ports = [port["name"] for port in template["spec"]["containers"][0]["ports"]]
            self.assertIn(monitor["podMetricsEndpoints"][0]["port"], ports)


class ReadmeTest(program.TestCase):
    """examples/kubernetes_webhook/README.md."""

    def test_flags_and_metrics(self):
        text = (FOLDER / "README.md").read_text()
        for flag in flags_of("main.cc") | flags_of("pods/main.cc"):
            self.assertIn(f"`--{flag}`", text)
        metrics = metrics_of("metrics.cc") | metrics_of("pods/pod_metrics.cc")
        self.assertEqual(set(re.findall(r"`(precedent_[a-z_]+)`", text)), metrics)

    def test_defaults(self):
        """Those that a table can have as they are in the source."""
        text = (FOLDER / "README.md").read_text()
        for source, title in (("main.cc", "precedent-webhook"), ("pods/main.cc", "precedent-webhook-pods")):
            table = text.partition(f"## Flags of {title}\n")[2].partition("## ")[0]
            for flag, value in re.findall(r'ABSL_FLAG\((?:std::string|int), (\w+), "?([^",]*)"?,',
                                          (FOLDER / source).read_text()):
                row = re.search(rf"^\|[^|]*`--{flag}`[^|]*\|([^|]*)\|", table, re.MULTILINE)
                self.assertIsNotNone(row, flag)
                if value and "serviceaccount" not in value:
                    self.assertIn(value.replace("'", "").rpartition("/")[2], row[1], flag)

    def test_alerts_are_counted(self):
        rules = (MANIFESTS / "components" / "prometheus" / "alerts.yaml").read_text().count("- alert:")
        self.assertIn(f"{rules} alerts", (FOLDER / "README.md").read_text())


@unittest.skipUnless(shutil.which("kubectl"), "no kubectl: overlays are not built")
class OverlaysTest(program.TestCase):
    built = {}

    def build(self, overlay):
        if overlay not in self.built:
            done = subprocess.run(
                ["kubectl", "kustomize", str(MANIFESTS / overlay)], check=False,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.built[overlay] = list(yaml.safe_load_all(done.stdout))
        return self.built[overlay]

    def test_each_is_built(self):
        for overlay in OVERLAYS:
            objects = self.build(overlay)
            for one in objects:
                place = one["metadata"].get("namespace")
                self.assertEqual(place, None if one["kind"] in CLUSTER_KINDS else NAMESPACE,
                                 (overlay, one["kind"], one["metadata"]["name"]))
                if one["kind"] == "Deployment":
                    self.assertRegex(one["spec"]["template"]["spec"]["containers"][0]["image"],
                                     r"^precedent-webhook:\d")

    def policies(self, objects):
        hooks = find(objects, "MutatingWebhookConfiguration", "precedent-webhook")["webhooks"]
        return [hook["failurePolicy"] for hook in hooks]

    def test_production(self):
        objects = self.build("overlays/production")
        self.assertEqual(self.policies(objects), ["Fail"] * 3)
        binding = find(objects, "ValidatingAdmissionPolicyBinding", "precedent-class")
        self.assertEqual(binding["spec"]["validationActions"], ["Deny", "Audit"])
        find(objects, "PrometheusRule", "precedent-webhook")
        spread = find(objects, "Deployment", "precedent-webhook")["spec"]["template"]["spec"][
            "topologySpreadConstraints"]
        self.assertEqual([(one["topologyKey"], one["whenUnsatisfiable"]) for one in spread],
                         [("kubernetes.io/hostname", "DoNotSchedule"),
                          ("topology.kubernetes.io/zone", "ScheduleAnyway")])

    def test_dry_run(self):
        objects = self.build("overlays/dry-run")
        self.assertEqual(self.policies(objects), ["Ignore"] * 3)
        self.assertFalse([one for one in objects if one["kind"] == "ValidatingAdmissionPolicyBinding"])
        data = find(objects, "ConfigMap", "precedent-policy")["data"]
        self.assertEqual(yaml.safe_load(data["options.yaml"])["targets"], ["ANNOTATION"])
        self.assertEqual(data["policy.txtpb"], (BASE / "policy.txtpb").read_text())


if __name__ == "__main__":
    program.main()
