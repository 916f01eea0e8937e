"""precedent describe: job descriptors, and that they lead to the same decisions."""
import json

import program

FLEET = f"--policy={program.POLICIES / 'fleet.txtpb'}"


class DescribeTest(program.TestCase):
    def test_fields_of_a_pod(self):
        result = program.run("describe", program.JOBS / "08-nameless-production.yaml")
        self.assertRan(result, 0)
        [job] = result.objects()
        self.assertEqual(job["kind"], "Pod")
        self.assertEqual(job["namespace"], "reports")
        self.assertEqual(job["environment"], "production")
        self.assertEqual(job["team"], "")  # default values are printed
        self.assertEqual(job["metrics"], {})
        self.assertEqual(job["devices"], {"nvidia.com/gpu": "2"})
        self.assertEqual(job["gpuCount"], 2)
        self.assertIn("ENVIRONMENT", job["claimed"])
        self.assertNotIn("datasetBytes", job)  # absent is not 0
        self.assertNotIn("submitted", job)

    def test_no_devices_are_an_empty_map(self):
        pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
        result = program.run("describe", "-", stdin=pod)
        self.assertRan(result, 0)
        self.assertEqual(result.objects()[0]["devices"], {})

    def test_descriptor_round_trip(self):
        full = {"name": "n", "id": "i", "parents": [{"id": "p", "relation": "RETRY_OF"}],
                "lineageKey": "l", "kind": "k", "team": "t", "workloadType": "w", "environment": "e",
                "namespace": "ns", "queue": "q", "user": "u", "image": "im", "accelerator": "a",
                "requestedClass": "rc", "gpuCount": 0.25, "podCount": 0, "datasetBytes": 1e15,
                "maxRuntimeSeconds": 1.5, "checkpointIntervalSeconds": 300,
                "submitted": "2026-03-01T23:59:59.999999Z", "preemptible": False,
                "lineage": {"failureCount": "1", "preemptionCount": "2",
                            "infrastructureFailureCount": "3", "attempt": "4", "depth": "5",
                            "step": "6", "predecessorRuntimeSeconds": 7, "progress": 0.8,
                            "reportedPriority": -9, "retryOfPreempted": True},
                "labels": {"a": "", "b": "ü"}, "metrics": {"m": -1.5},
                "devices": {"nvidia.com/gpu": "9223372036854775807"},
                "claimed": ["TEAM", "METRICS"]}
        result = program.run("describe", "-", stdin=json.dumps(full))
        self.assertRan(result, 0)
        self.assertEqual(result.objects(), [full])
        again = program.run("describe", "-", stdin=result.out)
        self.assertEqual(again.out, result.out)

    def test_descriptions_decide_as_the_objects_do(self):
        jobs = sorted(program.JOBS.glob("*"))
        described = program.run("describe", *jobs)
        self.assertRan(described, 0)
        direct = program.run("derive", FLEET, program.NOW, *jobs)
        again = program.run("derive", FLEET, program.NOW, "-", stdin=described.out)
        self.assertRan(direct, 0)
        self.assertRan(again, 0)
        self.assertEqual(len(direct.objects()), len(again.objects()))
        for one, other in zip(direct.objects(), again.objects()):
            one.pop("remarks")  # of the adapter
            other.pop("remarks")
            self.assertEqual(one, other)

    def test_remarks_are_notes(self):
        pod = ("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c}]\n"
               "  resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]\n")
        path = self.file("pod.yaml", pod)
        result = program.run("describe", path)
        self.assertRan(result, 0)
        self.assertIn(f"{path}:1: note: ", result.err)

    def test_what_a_descriptor_may_not_say(self):
        cases = {
            '{"gpuCount": -1}': "gpu_count: is negative",
            '{"gpuCount": "NaN"}': "gpu_count",
            '{"gpuCount": "Infinity"}': "gpu_count",
            '{"gpuCount": 1e999}': "gpu_count",
            '{"metrics": {"m": "-Infinity"}}': "metrics",
            '{"lineage": {"failureCount": -1}}': "lineage.failure_count: is negative",
            '{"lineage": {"progress": -0.5}}': "lineage.progress: is negative",
            '{"devices": {"d": -3}}': 'devices["d"]: is negative',
            '{"submitted": "yesterday"}': "submitted",
            '{"submitted": "0000-01-01T00:00:00Z"}': "submitted",
            '{"claimed": ["FAME"]}': "claimed[0]",
            '{"claimed": [77]}': "claimed[0]",
            '{"claimed": ["ATTRIBUTE_UNSPECIFIED"]}': "claimed[0]",
            '{"parents": [{"relation": 9}]}': "parents[0].relation",
            '{"team": "a", "gpus": 1}': "gpus",
            '{"team": "a", "team": "b"}': "team",
            '{"labels": {"a": null}}': "labels",
        }
        for text, words in cases.items():
            result = program.run("describe", "-", stdin=text)
            self.assertRan(result, 1)
            self.assertEqual(result.out, "", text)
            self.assertRegex(result.err, r"^<stdin>:1(:\d+)?: error: ", text)
            self.assertIn(words, result.err)
        text_format = {
            "gpu_count: -1": "gpu_count: is negative",
            "gpu_count: inf": "gpu_count",
            "gpu_count: nan": "gpu_count",
            "submitted { seconds: 253402300800 }": "submitted",
            "submitted { nanos: 1000000000 }": "submitted",
            "claimed: 99": "claimed",
            "gpus: 1": "gpus",
        }
        for text, words in text_format.items():
            path = self.file("job.txtpb", text + "\n")
            result = program.run("describe", path)
            self.assertRan(result, 1)
            self.assertIn(f"{path}:1", result.err, text)
            self.assertIn(words, result.err)

    def test_negative_numbers_that_may_be(self):
        result = program.run("describe", "-", stdin='{"metrics": {"m": -1}, "lineage": {"reportedPriority": -2}}')
        self.assertRan(result, 0)

    def test_claims_may_come_before_or_after_what_names_them(self):
        template = ("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n"
                    "metadata: {name: t}\nspec: {spec: {devices: {requests: [{exactly: "
                    "{deviceClassName: g, count: 2}}]}}}\n")
        pod = ("apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {resourceClaims: "
               "[{name: c, resourceClaimTemplateName: %s}]}\n")
        other = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\n"
        for documents in ([template, pod % ("a", "t"), other], [pod % ("a", "t"), template, other]):
            result = program.run("describe", self.file("in.yaml", "---\n".join(documents)))
            self.assertRan(result, 0)
            self.assertEqual([(job["name"], job["gpuCount"]) for job in result.objects()],
                             [("a", 2), ("plain", 0)])
            self.assertEqual(result.err, "")
        # Without it: the count is absent, and the order stands, problems included.
        documents = [pod % ("a", "no"), other, "apiVersion: v1\nkind: Service\n", pod % ("b", "t"), template]
        result = program.run("describe", self.file("in.yaml", "---\n".join(documents)))
        self.assertRan(result, 1)
        self.assertEqual([job["name"] for job in result.objects()], ["a", "plain", "b"])
        self.assertEqual([job.get("gpuCount") for job in result.objects()], [None, 0, 2])
        self.assertRegex(result.err, r"in.yaml:1: note: .*not at hand(?s:.)*in.yaml:\d+:\d+: error: .*Service")

    def test_reviews_are_described_by_their_object(self):
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "operation": "CREATE", "namespace": "n", "userInfo": {"username": "ann"},
            "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}}}
        job, = program.run("describe", "-", stdin=json.dumps(review)).objects()
        self.assertEqual((job["name"], job["user"], job["kind"]), ("n/p", "ann", "Pod"))


if __name__ == "__main__":
    program.main()
