"""A small stand-in, on loopback, for SQS, DynamoDB, Batch, EventBridge Scheduler and
Lambda's Runtime API, in Python's standard library.

It records every request, recomputes every signature, checks every body against botocore's
models where botocore is installed, and can misbehave: `fault(n, service, operation, body)`
says for the n-th request what happens to it.
"""
import functools
import http.server
import json
import select
import socket
import struct
import sys
import threading
import time
import uuid

import signature
from jobs import Batch
from queues import Queue, Queues
from table import Refused, Table

try:
    import botocore.session
    import botocore.validate
except ImportError:
    botocore = None

OPERATIONS = {"submitjob": "SubmitJob", "submitservicejob": "SubmitServiceJob",
              "listjobs": "ListJobs", "listservicejobs": "ListServiceJobs",
              "describejobdefinitions": "DescribeJobDefinitions",
              "describeservicejob": "DescribeServiceJob", "updateservicejob": "UpdateServiceJob",
              "getjobqueuesnapshot": "GetJobQueueSnapshot"}
CONTENT_TYPES = {"sqs": "application/x-amz-json-1.0", "dynamodb": "application/x-amz-json-1.0",
                 "ssm": "application/x-amz-json-1.1", "batch": "application/json",
                 "scheduler": "application/json"}
# Members that older botocores do not know.
NEWEST = {"quotaShareName", "ActionAfterCompletion"}
# Applied before or after the request itself is.
BEFORE = {"reset_before", "error_before", "throttle", "conflict", "hang_before", "kill_before"}


class Models:
    """botocore's word on a body."""

    def __init__(self):
        self.session = botocore.session.get_session() if botocore else None
        self.models, self.shapes, self.validator, self.checked = {}, {}, None, 0
        if botocore:
            self.validator = botocore.validate.ParamValidator()

    def problem(self, service, operation, body):
        if not self.session:
            return None
        if service not in self.models:
            self.models[service] = self.session.get_service_model(service)
        model = self.models[service]
        if operation not in model.operation_names:
            return None  # an older botocore
        key = (service, operation)
        if key not in self.shapes:
            self.shapes[key] = model.operation_model(operation).input_shape
        shape = self.shapes[key]
        body = {name: value for name, value in body.items()
                if name in shape.members or name not in NEWEST}
        self.checked += 1
        report = self.validator.validate(body, shape)
        return report.generate_report() if report.has_errors() else None


@functools.lru_cache(maxsize=None)
def models():
    """To load them takes a second."""
    return Models()


class Recorder:
    def __init__(self, visibility=1.0):
        self.lock = threading.RLock()
        self.table, self.queues, self.batch = Table(), Queues(), Batch()
        for name in ("submissions", "events", "dead"):
            self.queues.all[name] = Queue(visibility)
        self.models = models()
        self.schedules = {}
        self.parameters, self.objects = {}, {}
        self.requests = []  # service, operation, body, headers
        self.problems = []
        self.fault = lambda n, service, operation, body: None
        self.kill = lambda: None
        self.feeds = ["submissions", "events"]  # queues whose messages the Runtime API hands out
        self.direct = []                        # events it hands out before these
        self.invocations, self.answers, self.init_errors = {}, [], []
        self.hang = 1.0
        self.deadline = 30.0  # seconds that an invocation has
        self.stopped = False
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.recorder = self
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()

    def stop(self):
        self.stopped = True
        self.server.shutdown()
        self.server.server_close()

    def environment(self, **more):
        return {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": signature.ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY": signature.SECRET_KEY, "AWS_ENDPOINT_URL": self.url,
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.port}",
                "PRECEDENT_TABLE": "precedent",
                "PRECEDENT_QUEUE_URL": f"{self.url}/123456789012/submissions",
                "PRECEDENT_EVENTS_URL": f"{self.url}/123456789012/events",
                "PRECEDENT_DEAD_LETTER_URL": f"{self.url}/123456789012/dead", **more}

    # What became of the messages.

    def dead(self):
        return list(self.queues.all["dead"].messages.values())

    def items(self, kind):
        return {key.split("/", 1)[1]: value for key, value in self.table.items.items()
                if key.startswith(kind + "/")}

    def idle(self):
        """Whether no message waits to be handled."""
        with self.lock:
            return not self.direct and not self.invocations and not any(
                self.queues.all[name].messages for name in self.feeds)

    # The services.

    def carry_out(self, service, operation, path, body):
        if service == "dynamodb":
            return getattr(self.table, operation)(body)
        if service == "sqs":
            return getattr(self.queues, operation)(body)
        if service == "batch":
            return getattr(self.batch, path.rsplit("/", 1)[1])(body)
        if service == "ssm":
            return {"Parameter": {"Name": body["Name"], "Value": self.parameters[body["Name"]]}}
        name = path.rsplit("/", 1)[1]
        if name in self.schedules:
            raise Refused("ConflictException", "schedule exists")
        self.schedules[name] = body
        return {"ScheduleArn": "arn:aws:scheduler:::schedule/" + name}

    def check(self, service, operation, method, path, headers, raw, body):
        must = ["content-type", "host", "x-amz-date"]
        if service in ("sqs", "dynamodb", "ssm"):
            must.append("x-amz-target")
        found = signature.problem(method, path, headers, raw, must=must)
        if found:
            self.problems.append(f"{service} {operation}: {found}")
        if headers.get("content-type") != CONTENT_TYPES.get(service):
            self.problems.append(f"{service}: content type {headers.get('content-type')}")
        model = body if service != "scheduler" else dict(body, Name=path.rsplit("/", 1)[1])
        found = self.models.problem(service, operation, model)
        if found:
            self.problems.append(f"{service} {operation}: {found}: {raw[:500]!r}")

    # Lambda's Runtime API, which hands out messages as the event source mapping does.

    def next_event(self):
        if self.direct:
            return {"event": self.direct.pop(0), "queue": None}
        for name in self.feeds:
            messages = self.queues.all[name].receive()
            if messages:
                records = [{"messageId": message.id, "receiptHandle": message.receipt,
                            "body": message.body,
                            "attributes": {"ApproximateReceiveCount": str(message.received)},
                            "messageAttributes": {}, "eventSource": "aws:sqs",
                            "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{name}",
                            "awsRegion": "us-east-1"} for message in messages]
                return {"event": {"Records": records}, "queue": name}
        return None

    def answered(self, invocation, answer):
        self.answers.append((invocation["event"], answer))
        if time.time() > invocation["deadline"]:
            self.problems.append("answered after its deadline")
        if invocation["queue"] is None or answer is None:
            return
        known = {record["messageId"] for record in invocation["event"]["Records"]}
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        if not failed <= known:
            self.problems.append(f"unknown ids in {answer}")
            return
        for record in invocation["event"]["Records"]:
            if record["messageId"] not in failed:
                self.queues.all[invocation["queue"]].delete(record["receiptHandle"])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """A program that is killed breaks its connections."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, ValueError)):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def do_GET(self):
        recorder = self.server.recorder
        if not self.path.endswith("/runtime/invocation/next"):
            return self.object()
        while not recorder.stopped:
            if select.select([self.connection], [], [], 0)[0]:
                return self.reset()  # whoever asked has gone
            with recorder.lock:
                event = recorder.next_event()
                if event:
                    identity = str(uuid.uuid4())
                    event["deadline"] = time.time() + recorder.deadline
                    recorder.invocations[identity] = event
                    break
            time.sleep(0.01)
        else:
            return self.reset()
        self.answer(200, json.dumps(event["event"]).encode(),
                    Lambda_Runtime_Aws_Request_Id=identity,
                    Lambda_Runtime_Deadline_Ms=str(int(event["deadline"] * 1000)))

    def object(self):
        """Of S3, by bucket and key."""
        recorder = self.server.recorder
        headers = {name.lower(): value for name, value in self.headers.items()}
        found = signature.problem("GET", self.path, headers, b"",
                                  must=("host", "x-amz-content-sha256", "x-amz-date"))
        if found or signature.service_of(headers) != "s3":
            recorder.problems.append(f"s3: {found}")
        text = recorder.objects.get(self.path)
        self.answer(404 if text is None else 200, (text or "").encode())

    def do_POST(self):
        try:
            self.serve()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def serve(self):
        recorder = self.server.recorder
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.startswith("/2018-06-01/runtime/"):
            return self.runtime(raw)
        headers = {name.lower(): value for name, value in self.headers.items()}
        service = signature.service_of(headers)
        target = headers.get("x-amz-target", "")
        operation = (target.split(".")[-1] if target else
                     OPERATIONS.get(self.path.rsplit("/", 1)[1], "CreateSchedule"))
        body = json.loads(raw)
        with recorder.lock:
            recorder.requests.append((service, operation, body, headers))
            recorder.check(service, operation, self.command, self.path, headers, raw, body)
            fault = recorder.fault(len(recorder.requests), service, operation, body)
            status, reply = 200, None
            if fault not in BEFORE:
                try:
                    reply = recorder.carry_out(service, operation, self.path, body)
                except Refused as refused:
                    status = 400
                    reply = {"__type": refused.code, "message": str(refused), **refused.more}
                except Exception as error:
                    recorder.problems.append(f"{service} {operation}: {error!r}: {raw[:500]!r}")
                    status, reply = 500, {"message": "recorder"}
        if fault == "slow":
            time.sleep(0.4)
        if fault in ("kill_before", "kill_after"):
            recorder.kill()
            return self.reset()
        if fault in ("reset_before", "reset_after"):
            return self.reset()
        if fault in ("hang_before", "hang_after"):
            time.sleep(recorder.hang)
            return self.reset()
        if fault in ("error_before", "error_after"):
            return self.answer(500, b'{"message":"internal"}', x_amzn_ErrorType="InternalServerError")
        if fault == "conflict":
            return self.answer(400, json.dumps({
                "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
                "Message": "Transaction cancelled",
                "CancellationReasons": [{"Code": "TransactionConflict"}, {"Code": "None"}],
            }).encode())
        if fault == "throttle":
            code = "TooManyRequestsException" if service == "batch" else "ThrottlingException"
            return self.answer(429 if service == "batch" else 400,
                               json.dumps({"__type": code, "message": "Rate exceeded"}).encode())
        if operation == "ReceiveMessage":
            until = reply.pop("until")
            while not reply["Messages"] and time.time() < until and not recorder.stopped:
                time.sleep(0.02)
                with recorder.lock:
                    reply = recorder.queues.ReceiveMessage(body)
                    reply.pop("until")
        self.answer(status, json.dumps(reply).encode())

    def runtime(self, raw):
        recorder = self.server.recorder
        with recorder.lock:
            if self.path.endswith("/init/error"):
                recorder.init_errors.append(json.loads(raw))
            else:
                identity, kind = self.path.split("/")[-2:]
                invocation = recorder.invocations.pop(identity, None)
                if invocation:
                    recorder.answered(invocation, json.loads(raw) if kind == "response" else None)
        self.answer(202)
