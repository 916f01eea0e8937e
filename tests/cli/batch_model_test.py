"""What `submit` prints, against AWS's own model of its API, and against the ranges and
patterns that the documentation names and the model does not enforce."""
import itertools
import json
import random
import unittest

import program

try:
    import botocore.session
    import botocore.validate
except ImportError:
    botocore = None
try:
    import boto3
    from moto.server import ThreadedMotoServer
except ImportError:
    ThreadedMotoServer = None

SEEDS = 4
TEAMS = [None, "search", "ml-team_a", "Zürich Ω", "x" * 200]
POLICY = """
stages { mode: FIRST_MATCH
  rules { id: "high" when { workload_type { in: "inference" } } set: 12000 limit_runtime_seconds: 30 }
  rules { id: "low" when { environment { in: "dev" } } set: -50 limit_runtime_seconds: 3600
          annotate { key: "cost centre" value: "a,b" } annotate { key: "ok" value: "v" } }
  rules { id: "shared" when { environment { in: "prod" } } set: 0 share_identifier: "prod/eu" } }
stages { rules { id: "base" add: 1 } }
bounds { min: -20000 max: 20000 }
priority_classes { name: "all" at_least: -20000 }
"""


def requests(seed):
    """Requests of every shape, by a seed that the failing test prints."""
    draw = random.Random(seed)
    for number in range(120):
        body = {"jobName": f"j{number}", "jobQueue": draw.choice(
            ["q", "arn:aws:batch:us-east-1:123456789012:job-queue/gpu"])}
        service = draw.random() < 0.4
        if service:
            body["serviceJobType"] = "SAGEMAKER_TRAINING"
            body["serviceRequestPayload"] = json.dumps({"ResourceConfig": {
                "InstanceType": draw.choice(["ml.g5.12xlarge", "ml.unknown.large"]), "InstanceCount": 2}})
        else:
            body["jobDefinition"] = "d:1"
        tags = {}
        team = draw.choice(TEAMS)
        if team:
            tags["team"] = team
        for key, values in {"environment": ["dev", "prod"], "workload-type": ["inference"],
                            "failure-count": ["3"]}.items():
            if draw.random() < 0.5:
                tags[key] = draw.choice(values)
        for extra in range(draw.choice([0, 0, 44, 50 - len(tags)])):
            tags[f"tag{extra}"] = ""
        if tags:
            body["tags"] = tags
        if draw.random() < 0.3:
            body["schedulingPriority" if service else "schedulingPriorityOverride"] = draw.choice([0, 5, 9999, 100000])
        share = draw.random()
        if share < 0.3:
            body["shareIdentifier"] = draw.choice(["a", "Zone9", "web*"])
        elif share < 0.5 and service:
            body["quotaShareName"] = "nlp-share_1"
        if draw.random() < 0.3:
            body["timeoutConfig" if service else "timeout"] = {"attemptDurationSeconds": draw.choice([60, 900, 7200])}
        if not service and draw.random() < 0.3:
            body["parameters"] = {"parent-job-id": "4c75", "preemption-count": "2"}
        yield body


class DocumentedTest(program.TestCase):
    """Every request that leaves keeps what the API reference says."""

    requests = []  # seed, queue policy, body as it leaves: made once for all tests

    def prepared(self):
        if not self.requests:
            self.requests.extend(self.prepare())
        return self.requests

    def prepare(self):
        policy = self.file("policy.txtpb", POLICY)
        options = self.file("options.txtpb", 'default_share: "rest"')
        seen = 0
        for seed, queue in itertools.product(range(SEEDS), ["none", "fair-share", "quota-share", None]):
            bodies = [b for b in requests(seed) if queue != "quota-share" or "serviceJobType" in b]
            flags = [f"--queue-policy={queue}"] if queue else []
            text = "\n".join(map(json.dumps, bodies))
            result = program.run("submit", f"--policy={policy}", program.NOW, f"--options={options}",
                                 *flags, "-", stdin=text)
            # The longest team has no share of its own: its bytes are all written out.
            self.assertIn(result.code, (0, 1), result.err)
            for body in result.objects():
                seen += 1
                yield seed, queue, body
        self.assertGreater(seen, 1000)

    def test_ranges_and_patterns(self):
        for seed, queue, body in self.prepared():
            service = "serviceJobType" in body
            priority = body.get("schedulingPriority" if service else "schedulingPriorityOverride")
            with self.subTest(seed=seed, queue=queue, body=body):
                self.assertNotIn("schedulingPriorityOverride" if service else "schedulingPriority", body)
                share, quota = body.get("shareIdentifier"), body.get("quotaShareName")
                self.assertFalse(share and quota)
                self.assertEqual(priority is None, share is None and quota is None)
                if queue:
                    self.assertEqual({"none": (False, False), "fair-share": (True, False),
                                      "quota-share": (False, True)}[queue], (bool(share), bool(quota)))
                if priority is not None:
                    self.assertIsInstance(priority, int)
                    self.assertTrue(0 <= priority <= 9999)
                self.assertRegex(share or "a", r"\A[A-Za-z0-9]{1,255}\*?\Z")
                self.assertRegex(quota or "a", r"\A[A-Za-z0-9_-]{1,128}\Z")
                self.assertTrue(1 <= len(body["tags"]) <= 50)
                for key, value in body["tags"].items():
                    self.assertRegex(key, r"\A(?!aws:)[\w\s+\-=._:/@]{1,128}\Z")
                    self.assertRegex(value, r"\A[\w\s+\-=._:/@]{0,256}\Z")
                timeout = body.get("timeoutConfig" if service else "timeout")
                if timeout is not None:
                    self.assertGreaterEqual(timeout["attemptDurationSeconds"], 60)

    @unittest.skipIf(botocore is None, "no botocore: the API's own model is not looked at")
    def test_against_the_service_model(self):
        model = botocore.session.get_session().get_service_model("batch")
        validator = botocore.validate.ParamValidator()
        shapes = {name: model.operation_model(name).input_shape
                  for name in ("SubmitJob", "SubmitServiceJob", "UpdateServiceJob")
                  if name in model.operation_names}
        if "SubmitServiceJob" not in shapes:
            print("this botocore has no SubmitServiceJob: service jobs are not looked at")
        checked = 0
        for seed, queue, body in self.prepared():
            shape = shapes.get("SubmitServiceJob" if "serviceJobType" in body else "SubmitJob")
            if shape is None or ("quotaShareName" in body and "quotaShareName" not in shape.members):
                continue
            report = validator.validate(body, shape)
            self.assertFalse(report.has_errors(), f"seed {seed}, {queue}: {report.generate_report()} {body}")
            checked += 1
        self.assertGreater(checked, 500)
        # The validator does refuse what it can.
        bad = {"jobName": "j", "jobQueue": "q", "jobDefinition": "d", "quotaShareName": "x"}
        self.assertTrue(validator.validate(bad, shapes["SubmitJob"]).has_errors())
        if "UpdateServiceJob" in shapes:
            update = {"jobId": "x", "schedulingPriority": 0}  # as UpdateServiceJobBody writes it
            self.assertFalse(validator.validate(update, shapes["UpdateServiceJob"]).has_errors())

    @unittest.skipIf(ThreadedMotoServer is None, "no moto: no request is sent to its server")
    def test_against_moto(self):
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        self.addCleanup(server.stop)
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        import urllib.request
        urllib.request.urlopen(urllib.request.Request(
            f"{url}/moto-api/config", data=b'{"batch": {"use_docker": false}}', method="POST")).read()
        keys = dict(region_name="us-east-1", endpoint_url=url, aws_access_key_id="k",
                    aws_secret_access_key="s")
        batch = boto3.client("batch", **keys)
        role = boto3.client("iam", **keys).create_role(RoleName="r", AssumeRolePolicyDocument="x")
        environment = batch.create_compute_environment(
            computeEnvironmentName="env", type="UNMANAGED", serviceRole=role["Role"]["Arn"])
        batch.create_job_queue(jobQueueName="q", state="ENABLED", priority=1, computeEnvironmentOrder=[
            {"order": 1, "computeEnvironment": environment["computeEnvironmentArn"]}])
        batch.register_job_definition(jobDefinitionName="d", type="container", containerProperties={
            "image": "i", "vcpus": 1, "memory": 128, "command": ["true"]})
        sent = 0
        for _, _, body in self.prepared():
            if "jobDefinition" not in body or body["jobQueue"] != "q" or sent == 5:
                continue
            body = {name: value for name, value in body.items() if name != "parameters"}
            answer = batch.submit_job(**body)
            self.assertEqual(answer["jobName"], body["jobName"])
            sent += 1
        self.assertEqual(sent, 5)


if __name__ == "__main__":
    program.main()
