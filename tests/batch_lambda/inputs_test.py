"""Bad and odd submissions, the forms of requests, credentials, and the runtime's errors."""
import http.server
import json
import os
import pathlib
import subprocess
import threading
import time
import unittest

import signature
import support

CAPTURED = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"], "..", "shared", "data", "batch", "http")
JOB = {"jobName": "n", "jobQueue": "gpu", "jobDefinition": "train:1", "tags": {"team": "nlp"}}


class InputsTest(support.TestCase):
    def jobs(self, *bodies):
        for number, body in enumerate(bodies):
            self.send(body, identity=f"m{number}")
        self.start()
        self.finish()
        return {job["jobName"].rsplit("-", 1)[0]: job for job in self.recorder.batch.jobs}

    def test_what_never_succeeds_is_a_dead_letter_with_its_reason(self):
        deep = "[" * 100 + "]" * 100
        cases = [("Message Body", "JSON"), ("\"text\"", "must be a JSON object"), (deep, "deep"),
                 ("{\"jobName\":\"a\",\"jobName\":\"b\"}", "jobName"),
                 ("x" * (1 << 20), "JSON"), ("é" * (1 << 19), "JSON"),
                 (dict(JOB, tags={"team": "banned"}), "denies"),
                 (dict(JOB, tags=7), "tags"),
                 (dict(JOB, parameters={"p": "p" * (300 << 10)}), "bytes"),
                 (dict(JOB, jobQueue="quota"), "service jobs only"),
                 (dict(JOB, tags={}), "share")]
        self.assertEqual(self.jobs(*[body for body, _ in cases]), {})
        letters = {message.attributes["messageId"]: message for message in self.recorder.dead()}
        self.assertEqual(len(letters), len(cases))
        for number, (body, words) in enumerate(cases):
            letter = letters[f"m{number}"]
            self.assertIn(words, letter.attributes["reason"])
            text = body if isinstance(body, str) else json.dumps(body)
            if len(text.encode()) < 1 << 20:
                self.assertEqual(letter.body, text)
            else:  # no room for the reason beside it
                self.assertEqual(letter.attributes["cutFrom"], str(1 << 20))
                self.assertTrue(text.startswith(letter.body) and len(letter.body) > 1000)

    def test_what_is_odd_goes_out(self):
        self.recorder.batch.definitions["nodes:1"] = {
            "jobDefinitionName": "nodes", "revision": 1, "type": "multinode", "status": "ACTIVE",
            "jobDefinitionArn": "arn:nodes", "schedulingPriority": 77, "nodeProperties": {
                "numNodes": 4, "mainNode": 0, "nodeRangeProperties": [
                    {"targetNodes": "0:", "container": {"image": "i", "resourceRequirements": [
                        {"type": "GPU", "value": "4"}]}}]}}
        environment = [{"name": name, "value": value} for name, value in
                       (("TEAM", "vision"), ("Team", "nlp"), ("failure_count", "9"),
                        ("FAILURE_COUNT", "1"))]
        jobs = self.jobs(
            dict(JOB, jobName="fifty", tags={"team": "nlp", **{f"k{i}": "v" for i in range(49)}}),
            dict(JOB, jobName="odd-case", tags={}, containerOverrides={"environment": environment}),
            dict(JOB, jobName="array", arrayProperties={"size": 100}),
            dict(JOB, jobName="nodes", jobDefinition="nodes:1", nodeOverrides={"numNodes": 2}),
            dict(JOB, jobName="plain", jobQueue="plain", schedulingPriorityOverride=5,
                 shareIdentifier="old"),
            dict(JOB, jobName="unreadable", tags={"team": "nlp", "preemptible": "perhaps"}),
            dict(JOB, jobName="given", schedulingPriorityOverride=9000))
        self.assertEqual(len(jobs["fifty"]["tags"]), 50)
        self.assertEqual((jobs["odd-case"]["shareIdentifier"],
                          jobs["odd-case"]["schedulingPriorityOverride"]), ("vision", 490))
        self.assertEqual(jobs["array"]["arrayProperties"], {"size": 100})
        self.assertEqual(jobs["nodes"]["nodeOverrides"], {"numNodes": 2})
        # Two nodes of four GPUs: a large job. The definition's own priority is overridden.
        self.assertEqual(jobs["nodes"]["schedulingPriorityOverride"], 450)
        self.assertNotIn("schedulingPriorityOverride", jobs["plain"])
        self.assertNotIn("shareIdentifier", jobs["plain"])
        fallback = jobs["unreadable"]
        self.assertEqual(fallback["schedulingPriorityOverride"], 123)  # the policy's own
        self.assertEqual(fallback["tags"]["precedent.dev/reason"], "FALLBACK_INVALID_INPUT")
        self.assertIn("preemptible", fallback["tags"]["precedent.dev/fallback"])
        self.assertEqual(jobs["given"]["schedulingPriorityOverride"], 500)
        self.assertEqual(self.metric("Fallbacks"), 1)

    def test_names_of_128_characters_do_not_meet(self):
        name = "x" * 128
        self.jobs(*[dict(JOB, jobName=name[:length]) for length in (128, 127, 96, 95)])
        names = [job["jobName"] for job in self.recorder.batch.jobs]
        self.assertEqual((len(names), len(set(names))), (4, 4))
        self.assertTrue(all(len(each) == 128 for each in names))

    def test_without_a_policy_all_goes_out_with_the_fallback(self):
        self.policy.write_text("stages { nonsense }")
        jobs = self.jobs(dict(JOB, jobName="a"), dict(JOB, jobName="b"))
        for job in jobs.values():
            self.assertEqual(job["schedulingPriorityOverride"], 500)
            self.assertEqual(job["tags"]["precedent.dev/reason"], "FALLBACK_NO_POLICY")
        self.assertEqual(self.metric("Fallbacks"), 2)
        self.assertGreater(self.metric("PolicyErrors"), 0)
        self.assertIn("no policy is live", self.printed())

    def test_a_policy_out_of_a_parameter(self):
        self.recorder.parameters["/gpu/policy"] = support.POLICY.replace("set: 500", "set: 640")
        self.variables["PRECEDENT_POLICY"] = "ssm:/gpu/policy"
        self.assertEqual(self.jobs(JOB)["n"]["schedulingPriorityOverride"], 640)

    def test_a_policy_out_of_a_bucket(self):
        self.recorder.objects["/bucket/gpu/policy_2.txtpb"] = support.POLICY.replace(
            "set: 500", "set: 650")
        self.variables["PRECEDENT_POLICY"] = "s3://bucket/gpu/policy_2.txtpb"
        self.assertEqual(self.jobs(JOB)["n"]["schedulingPriorityOverride"], 650)

    def test_a_dead_letter_sent_again_has_another_chance(self):
        envelope = {"submissionId": "s", "request": dict(JOB, jobDefinition="late:1")}
        self.jobs(envelope)
        (letter,) = self.recorder.dead()
        self.recorder.batch.definitions["late:1"] = support.definition("late", 1)
        self.restart()
        self.send(letter.body)
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 1)

    @unittest.skipIf(not CAPTURED.is_dir(), "no captured requests to compare with")
    def test_requests_have_the_form_of_captured_ones(self):
        def form(method, path, headers, body):
            signed = signature.HEADER.match(headers["authorization"]).group(5)
            return (method, path, headers["content-type"], headers.get("x-amz-target"),
                    headers.get("x-amzn-query-mode"), signed)

        self.variables["PRECEDENT_CLAIM_SECONDS"] = "20"
        self.send(JOB)
        self.send("poison")
        self.assertEqual(subprocess.run([support.WORKER, "--once"], env=self.environment(),
                                        stdout=self.output, stderr=self.output).returncode, 0)
        ours = {operation: (headers, body)
                for _, operation, body, headers in self.recorder.requests}
        for name, operation in (("submit-job-share-priority", "SubmitJob"),
                                ("sqs-json-send-message", "SendMessage"),
                                ("sqs-json-receive-message", "ReceiveMessage"),
                                ("sqs-json-delete-message-batch", "DeleteMessageBatch")):
            captured = json.loads((CAPTURED / f"{name}.json").read_text())
            theirs = {key.lower(): value for key, value in captured["headers"].items()}
            self.assertIsNone(signature.problem(captured["method"], captured["path"], theirs,
                                                captured["body_raw"].encode()))
            headers, body = ours[operation]
            self.assertEqual(form("POST", captured["path"], headers, body),
                             form(captured["method"], captured["path"], theirs, None))
            types = {key: type(value) for key, value in captured["body"].items()}
            for key in set(types) & set(body):
                self.assertIs(type(body[key]), types[key])
            self.assertTrue({"QueueUrl", "jobName"} & set(types) & set(body))


class RuntimeTest(support.TestCase):
    def test_what_keeps_it_from_starting_is_an_init_error(self):
        self.variables["PRECEDENT_TABLE"] = ""
        self.start()
        self.assertEqual(self.processes[0].wait(20), 1)
        (error,) = self.recorder.init_errors
        self.assertIn("PRECEDENT_TABLE", error["errorMessage"])

    def test_what_does_not_fit_before_the_deadline_comes_again(self):
        self.recorder.deadline = 2.0
        self.recorder.fault = lambda n, s, operation, body: (
            time.sleep(0.2) if operation == "SubmitJob" else None)
        for number in range(10):
            self.send(JOB, identity=f"m{number}")
        self.start()
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 10)
        first = self.recorder.answers[0][1]["batchItemFailures"]
        self.assertTrue(0 < len(first) < 10, first)

    def test_an_event_that_is_none_is_an_error_and_the_next_one_is_handled(self):
        self.recorder.direct += [{"neither": 1}, {"Records": [{"messageId": "a", "body": 7}]}]
        self.send(JOB)
        self.start()
        self.finish()
        self.assertEqual([answer for _, answer in self.recorder.answers[:2]], [None, None])
        self.assertEqual(len(self.recorder.batch.jobs), 1)


class Metadata(http.server.BaseHTTPRequestHandler):
    """Of an instance (IMDSv2 only) and of a container."""

    def log_message(self, *_):
        pass

    def reply(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        good = self.path == "/latest/api/token" and self.headers["X-aws-ec2-metadata-token-ttl-seconds"]
        self.reply(200 if good else 400, "token")

    def do_GET(self):
        prefix = "/latest/meta-data/iam/security-credentials/"
        keys = {"AccessKeyId": signature.ACCESS_KEY, "SecretAccessKey": signature.SECRET_KEY,
                "Token": "session+token/==", "Expiration": self.server.expiration}
        self.server.asked.append(self.path)
        if self.path == "/container":
            good = self.headers["Authorization"] == "secret"
            return self.reply(200 if good else 403, json.dumps(keys))
        if self.headers["X-aws-ec2-metadata-token"] != "token":
            return self.reply(401)
        self.reply(200, "role\n" if self.path == prefix else json.dumps(keys))


class CredentialsTest(support.TestCase):
    def setUp(self):
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metadata)
        server.daemon_threads, server.asked = True, []
        server.expiration = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.metadata = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.variables.update(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")

    def check(self, asked):
        self.send(JOB)
        self.start()
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 1)
        self.assertEqual(len(self.metadata.asked), asked)
        for *_, headers in self.recorder.requests:  # and the signature holds it: see recorder
            self.assertEqual(headers["x-amz-security-token"], "session+token/==")

    def test_of_the_instance(self):
        self.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = self.url + "/"
        self.check(asked=2)

    def test_of_the_container(self):
        self.variables.update(AWS_CONTAINER_CREDENTIALS_FULL_URI=self.url + "/container",
                              AWS_CONTAINER_AUTHORIZATION_TOKEN="secret")
        self.check(asked=1)

    def test_those_that_end_soon_are_asked_for_again(self):
        self.metadata.expiration = "2026-01-01T00:00:00Z"
        self.variables.update(AWS_CONTAINER_CREDENTIALS_FULL_URI=self.url + "/container",
                              AWS_CONTAINER_AUTHORIZATION_TOKEN="secret")
        self.check(asked=4)


if __name__ == "__main__":
    unittest.main()
