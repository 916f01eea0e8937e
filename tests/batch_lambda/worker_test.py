"""The poller: at a desk, from cron, and with moto's servers in place of the recorder."""
import json
import os
import signal
import subprocess
import time
import unittest
import urllib.request

import support

try:
    import boto3
    from moto.server import ThreadedMotoServer
except ImportError:
    ThreadedMotoServer = None

JOB = {"jobName": "n", "jobQueue": "gpu", "jobDefinition": "train:1", "tags": {"team": "nlp"}}


class WorkerTest(support.TestCase):
    visibility = 2.0

    def setUp(self):
        super().setUp()
        self.variables["PRECEDENT_CLAIM_SECONDS"] = "20"

    def worker(self, *arguments, **more):
        return subprocess.Popen([support.WORKER, *arguments], env=self.environment(**more),
                                stdout=self.output, stderr=self.output)

    def test_once_empties_the_queues_and_ends(self):
        for number in range(35):
            self.send(JOB, identity=f"m{number}")
        self.send("poison")
        self.assertEqual(self.worker("--once").wait(60), 0, self.printed())
        self.assertTrue(self.recorder.idle())
        self.assertEqual(self.recorder.problems, [])
        self.assertEqual(len(self.recorder.batch.jobs), 35)
        self.assertEqual(len(self.recorder.dead()), 1)
        # Nothing is left to a queue that does not answer, and cron hears of it.
        self.recorder.fault = lambda *_: "error_before"
        self.assertEqual(self.worker("--once").wait(60), 1)
        self.assertEqual(self.worker("--twice").wait(60), 2)
        self.assertEqual(self.worker("--once", PRECEDENT_TABLE="").wait(60), 2)
        self.assertIn("PRECEDENT_TABLE: is not set", self.printed())

    def test_hides_what_it_has_taken_for_as_long_as_it_works_at_it(self):
        self.variables["PRECEDENT_HIDE_SECONDS"] = "2"  # again after 0.7 s
        self.recorder.queues.all["submissions"].visibility = 1.5
        self.recorder.fault = lambda n, s, operation, body: (
            "slow" if operation == "SubmitJob" else None)
        for number in range(10):
            self.send(JOB, identity=f"m{number}")
        received = []
        receive = self.recorder.queues.all["submissions"].receive
        self.recorder.queues.all["submissions"].receive = lambda most: received.extend(
            taken := receive(most)) or taken
        self.processes += [self.worker(), self.worker()]
        self.finish()
        self.assertEqual(len(self.recorder.batch.jobs), 10)
        self.assertEqual(len(received), 10)  # to nobody else, though it took three seconds
        self.assertIn("ChangeMessageVisibility", {request[1] for request in self.recorder.requests})

    def test_finishes_what_it_has_taken_when_it_is_told_to_stop(self):
        begun = []
        self.recorder.fault = lambda n, s, operation, body: (
            begun.append(1) or time.sleep(0.3) if operation == "SubmitJob" else None)
        worker = self.worker()
        self.processes.append(worker)
        for number in range(3):
            self.send(JOB, identity=f"m{number}")
        until = time.time() + 20
        while not begun and time.time() < until:
            time.sleep(0.01)
        taken = sum(m.received > 0 for m in self.recorder.queues.all["submissions"].messages.values())
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(30), 0)
        self.assertGreater(taken, 0)
        self.assertGreaterEqual(len(self.recorder.batch.jobs), taken)
        self.assertLessEqual(len(self.recorder.queues.all["submissions"].messages), 3 - taken)

    @unittest.skipIf(ThreadedMotoServer is None, "no moto: its SQS, DynamoDB and Batch are not asked")
    def test_against_moto(self):
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        self.addCleanup(server.stop)
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        urllib.request.urlopen(urllib.request.Request(
            f"{url}/moto-api/config", data=b'{"batch": {"use_docker": false}}', method="POST")).read()
        keys = dict(region_name="us-east-1", endpoint_url=url, aws_access_key_id="AKIDEXAMPLE",
                    aws_secret_access_key="example-not-a-secret")
        sqs, batch = boto3.client("sqs", **keys), boto3.client("batch", **keys)
        dynamodb = boto3.client("dynamodb", **keys)
        urls = {name: sqs.create_queue(QueueName=name)["QueueUrl"]
                for name in ("submissions", "events", "dead")}
        dynamodb.create_table(
            TableName="precedent", BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "itemKey", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "itemKey", "AttributeType": "S"}])
        role = boto3.client("iam", **keys).create_role(RoleName="r", AssumeRolePolicyDocument="x")
        environment = batch.create_compute_environment(
            computeEnvironmentName="env", type="UNMANAGED", serviceRole=role["Role"]["Arn"])
        batch.create_job_queue(jobQueueName="gpu", state="ENABLED", priority=1, computeEnvironmentOrder=[
            {"order": 1, "computeEnvironment": environment["computeEnvironmentArn"]}])
        batch.register_job_definition(jobDefinitionName="train", type="container", containerProperties={
            "image": "i", "vcpus": 1, "memory": 128, "command": ["true"]})
        for number in range(12):
            message = json.dumps({"submissionId": f"s{number}", "request": dict(JOB, jobName=f"j{number}")})
            for _ in range(1 + number % 2):
                sqs.send_message(QueueUrl=urls["submissions"], MessageBody=message)
        sqs.send_message(QueueUrl=urls["submissions"], MessageBody="poison")
        variables = {"AWS_ENDPOINT_URL": url, "PRECEDENT_QUEUE_URL": urls["submissions"],
                     "PRECEDENT_EVENTS_URL": urls["events"], "PRECEDENT_DEAD_LETTER_URL": urls["dead"]}
        self.assertEqual(self.worker("--once", **variables).wait(60), 0, self.printed())

        def jobs():
            found = [batch.list_jobs(jobQueue="gpu", jobStatus=status)["jobSummaryList"] for status in
                     ("SUBMITTED", "PENDING", "RUNNABLE", "STARTING", "RUNNING", "SUCCEEDED", "FAILED")]
            return [job for some in found for job in some]

        self.assertEqual(sorted(job["jobName"].split("-")[0] for job in jobs()),
                         sorted(f"j{number}" for number in range(12)), self.printed())
        dead = sqs.receive_message(QueueUrl=urls["dead"], MessageAttributeNames=["All"])["Messages"]
        self.assertEqual([message["Body"] for message in dead], ["poison"])
        self.assertIn("JSON", dead[0]["MessageAttributes"]["reason"]["StringValue"])
        # And back: one lost its host, so that its chain counts it and goes on.
        job = jobs()[0]
        at = int(time.time() * 1000)
        sqs.send_message(QueueUrl=urls["events"], MessageBody=json.dumps({
            "source": "aws.batch", "detail-type": "Batch Job State Change", "id": "e", "detail": {
                "jobName": job["jobName"], "jobId": job["jobId"], "status": "FAILED",
                "jobQueue": "arn:aws:batch:us-east-1:123456789012:job-queue/gpu", "stoppedAt": at,
                "statusReason": "Host EC2 (instance i-0) terminated.",
                "attempts": [{"startedAt": at - 9, "stoppedAt": at, "container": {},
                              "statusReason": "Host EC2 (instance i-0) terminated."}]}}))
        self.assertEqual(self.worker("--once", PRECEDENT_BACKOFF="initial=1,max=1", **variables).wait(60),
                         0, self.printed())
        items = {item["itemKey"]["S"]: item
                 for item in dynamodb.scan(TableName="precedent")["Items"]}
        chain = items["submission/" + job["jobName"]]["chainId"]["S"]
        self.assertEqual(items["chain/" + chain]["lossCount"]["N"], "1")
        until = time.time() + 20
        while len(jobs()) < 13 and time.time() < until:
            time.sleep(0.3)
            self.worker("--once", **variables).wait(60)
        self.assertEqual(len(jobs()), 13, self.printed())


if __name__ == "__main__":
    unittest.main()
