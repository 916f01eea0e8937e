"""The template: what moto makes of it, and that it allows what the program asks for."""
import io
import os
import pathlib
import re
import unittest
import zipfile

try:
    import boto3
    from moto.server import ThreadedMotoServer
except ImportError:
    ThreadedMotoServer = None

EXAMPLE = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"], "examples", "batch_lambda")
TEMPLATE = (EXAMPLE / "template.yaml").read_text()


class TemplateTest(unittest.TestCase):
    def test_allows_every_call_of_the_program_and_no_other(self):
        """DynamoDB's transactions need the rights of their writes; the event source mapping
        takes and deletes messages."""
        called = set()
        for file in EXAMPLE.glob("*.cc"):
            text = file.read_text()
            for service, operation in re.findall(r'Send\((?:aws|\*aws_), "([A-Z]\w+)"()', text):
                called.add({"sqs.cc": "sqs", "table.cc": "dynamodb"}[file.name] + ":" + service)
            called |= {"batch:" + name for name in re.findall(r'"/v1/([a-z]+)"', text)}
        called |= {"scheduler:CreateSchedule"}
        allowed = set(re.findall(r"\b(?:sqs|dynamodb|batch|scheduler):[A-Z]\w+", TEMPLATE))
        lower = {name.lower() for name in allowed}
        for name in called - {"dynamodb:TransactWriteItems"}:
            name = name.replace("MessageBatch", "Message")
            self.assertIn(name.lower(), lower)
        known = {name.replace("MessageBatch", "Message").lower() for name in called}
        self.assertEqual(lower - known, {"sqs:getqueueattributes", "batch:tagresource"})

    def test_sets_only_variables_that_the_program_reads(self):
        read = set(re.findall(r'"(PRECEDENT_[A-Z_]+)"', (EXAMPLE / "settings.cc").read_text()))
        self.assertLessEqual(set(re.findall(r"\b(PRECEDENT_[A-Z_]+):", TEMPLATE)), read)
        readme = (EXAMPLE / "README.md").read_text()
        self.assertEqual({name for name in read if name not in readme}, set())

    @unittest.skipIf(ThreadedMotoServer is None, "no moto: nothing is made of the template")
    def test_moto_makes_it(self):
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        self.addCleanup(server.stop)
        host, port = server.get_host_and_port()
        keys = dict(region_name="us-east-1", endpoint_url=f"http://{host}:{port}",
                    aws_access_key_id="k", aws_secret_access_key="s")
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("bootstrap", "#!/bin/sh\n")
        s3 = boto3.client("s3", **keys)
        s3.create_bucket(Bucket="code")
        s3.put_object(Bucket="code", Key="f.zip", Body=code.getvalue())
        formation = boto3.client("cloudformation", **keys)
        formation.create_stack(
            StackName="p", TemplateBody=TEMPLATE, Capabilities=["CAPABILITY_IAM"],
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in
                        (("CodeBucket", "code"), ("CodeKey", "f.zip"), ("JobQueue", "gpu"))])
        (stack,) = formation.describe_stacks(StackName="p")["Stacks"]
        self.assertEqual(stack["StackStatus"], "CREATE_COMPLETE")
        outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
        sqs = boto3.client("sqs", **keys)
        attributes = sqs.get_queue_attributes(
            QueueUrl=outputs["QueueUrl"], AttributeNames=["All"])["Attributes"]
        self.assertEqual(attributes["VisibilityTimeout"], "360")
        self.assertIn("maxReceiveCount", attributes["RedrivePolicy"])
        mappings = boto3.client("lambda", **keys).list_event_source_mappings()["EventSourceMappings"]
        self.assertEqual([mapping["FunctionResponseTypes"] for mapping in mappings],
                         [["ReportBatchItemFailures"]] * 2)
        table = boto3.client("dynamodb", **keys).describe_table(TableName=outputs["TableName"])
        self.assertEqual(table["Table"]["KeySchema"],
                         [{"AttributeName": "itemKey", "KeyType": "HASH"}])


if __name__ == "__main__":
    unittest.main()
