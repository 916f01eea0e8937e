"""precedent admit: an answer to every admission review."""
import base64
import copy
import json
import unittest

import program

try:
    import jsonpatch
except ImportError:
    jsonpatch = None

REVIEWS = program.SHARED / "data" / "kubernetes"
POLICY = f"--policy={program.POLICIES / 'seed.txtpb'}"


def review(uid="u1", **request):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "priority": 0, "preemptionPolicy": "PreemptLowerPriority",
        "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": uid, "operation": "CREATE", "namespace": "n", "object": pod, **request}}


class AdmitTest(program.TestCase):
    def admit(self, *arguments, code=0, **more):
        result = program.run("admit", *arguments, program.NOW, **more)
        self.assertRan(result, code)
        return result

    def test_one_answer_per_review_in_order(self):
        lines = "\n".join(json.dumps(review(uid)) for uid in ("a", "b", "c"))
        pretty = self.file("pretty.json", json.dumps(review("d"), indent=2))
        result = self.admit(POLICY, "-", pretty, stdin=lines)
        self.assertEqual([answer["response"]["uid"] for answer in result.objects()], ["a", "b", "c", "d"])
        patch = json.loads(base64.b64decode(result.objects()[0]["response"]["patch"]))
        self.assertEqual([(op["op"], op["path"]) for op in patch],
                         [("add", "/spec/priorityClassName"), ("remove", "/spec/priority"),
                          ("remove", "/spec/preemptionPolicy"), ("add", "/metadata/annotations")])

    def test_always_answers(self):
        bad = review("b", object={"apiVersion": "v1", "kind": "Pod", "spec": 7})
        result = self.admit(POLICY, "-", "/no/such/file", code=1,
                            stdin=json.dumps(bad) + "\n{\n" + json.dumps(review("c")))
        answers = result.objects()
        self.assertEqual([a["response"]["uid"] for a in answers], ["b", "", "c", ""])
        self.assertTrue(all(a["response"]["allowed"] for a in answers))
        self.assertIn("spec", result.err)
        self.assertIn("/no/such/file", result.err)

    def test_without_a_usable_policy_the_fallback_of_the_options(self):
        policy = self.file("bad.txtpb", "stages { rules { } }")
        options = self.file("options.yaml", "fallback: {priority: 7, priorityClass: spare}")
        result = self.admit(f"--policy={policy}", f"--options={options}", "-", code=2,
                            stdin=json.dumps(review()))
        self.assertIn(b"spare", base64.b64decode(result.objects()[0]["response"]["patch"]))
        self.assertIn("error", result.err)

    def test_options(self):
        options = self.file("options.yaml", "targets: [ANNOTATION]\ndenyUndecodable: true\n")
        result = self.admit(POLICY, f"--options={options}", "-", code=1,
                            stdin=json.dumps(review("a")) + "\n" + json.dumps(review("b", object=7)))
        first, second = [answer["response"] for answer in result.objects()]
        self.assertEqual(json.loads(base64.b64decode(first["patch"])),
                         [{"op": "add", "path": "/metadata/annotations",
                           "value": {"precedent.dev/priority": "500"}}])
        self.assertFalse(second["allowed"])
        both = self.file("both.yaml", "targets: [KUEUE_PRIORITY_CLASS, HYPERPOD]\n")
        result = program.run("admit", POLICY, f"--options={both}", "-", stdin="{}")
        self.assertRan(result, 2)
        self.assertIn("same label", result.err)

    @unittest.skipUnless(jsonpatch, "python3 has no jsonpatch: no second opinion on patches")
    @unittest.skipUnless(REVIEWS.is_dir(), "the shared data is not beside this checkout")
    def test_another_patcher_agrees(self):
        files = sorted([*REVIEWS.glob("r0*.json"), *REVIEWS.glob("admission/*.json")])
        self.assertEqual(len(files), 25)
        patched = 0
        for answer, file in zip(self.admit(POLICY, *files).objects(), files):
            response = answer["response"]
            request = json.loads(file.read_text())["request"]
            self.assertEqual(response["uid"], request["uid"])
            if "patch" not in response:
                continue
            patch = jsonpatch.JsonPatch(json.loads(base64.b64decode(response["patch"])))
            before = request["object"]
            after = patch.apply(copy.deepcopy(before))
            patched += 1
            if request["kind"]["kind"] == "Pod":  # the built-in plugin runs again
                never = after["spec"]["priorityClassName"].endswith("-nonpreempting")
                after["spec"]["preemptionPolicy"] = "Never" if never else "PreemptLowerPriority"
            again = {"apiVersion": answer["apiVersion"], "kind": "AdmissionReview",
                     "request": {**request, "object": after}}
            second, = self.admit(POLICY, "-", stdin=json.dumps(again)).objects()
            self.assertNotIn("patch", second["response"], file)
            for tree in (before, after):
                self.strip(tree)
                self.strip(tree["spec"].get("template", {}))
            self.assertEqual(before, after, file)
        self.assertGreater(patched, 10)

    @staticmethod
    def strip(tree):
        """Takes away what the webhook may change."""
        for key in ("priorityClassName", "priority", "preemptionPolicy"):
            tree.get("spec", {}).pop(key, None)
        metadata = tree.setdefault("metadata", {})
        annotations = metadata.setdefault("annotations", {})
        for key in [key for key in annotations if key.startswith("precedent.dev/")]:
            del annotations[key]


if __name__ == "__main__":
    program.main()
