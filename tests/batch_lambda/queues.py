"""What the recorder knows of SQS: standard queues with visibility and delays."""
import hashlib
import itertools
import random
import time
import uuid

MAX_BYTES = 1 << 20


class Message:
    def __init__(self, body, attributes, visible_at, identity=None):
        self.id = identity or str(uuid.uuid4())
        self.body, self.attributes, self.visible_at = body, attributes, visible_at
        self.received, self.receipt = 0, None


class Queue:
    def __init__(self, visibility=1.0, seed=1):
        self.messages = {}
        self.visibility = visibility
        self.random = random.Random(seed)
        self.receipts = itertools.count()

    def send(self, body, delay=0, attributes=None, identity=None):
        message = Message(body, attributes or {}, time.time() + delay, identity)
        # A message that is delivered twice has one id and is two messages here.
        self.messages[message.id + "/" + str(next(self.receipts))] = message
        return message

    def receive(self, most=10):
        """In no order."""
        now = time.time()
        visible = [message for message in self.messages.values() if message.visible_at <= now]
        self.random.shuffle(visible)
        for message in visible[:most]:
            message.visible_at = now + self.visibility
            message.received += 1
            message.receipt = f"receipt-{next(self.receipts)}"
        return visible[:most]

    def delete(self, receipt):
        for key, message in list(self.messages.items()):
            if message.receipt == receipt:
                del self.messages[key]

    def hide(self, receipt, seconds):
        for message in self.messages.values():
            if message.receipt == receipt:
                message.visible_at = time.time() + seconds


class Queues:
    def __init__(self):
        self.all = {}

    def of(self, body):
        return self.all[body["QueueUrl"].rsplit("/", 1)[1]]

    def SendMessage(self, body):
        attributes = {name: value["StringValue"]
                      for name, value in body.get("MessageAttributes", {}).items()}
        size = len(body["MessageBody"].encode()) + sum(
            len(name.encode()) + len(value.encode()) + len("String")
            for name, value in attributes.items())
        assert 0 < size <= MAX_BYTES, f"a message of {size} bytes"
        assert 0 <= body.get("DelaySeconds", 0) <= 900, body
        message = self.of(body).send(body["MessageBody"], body.get("DelaySeconds", 0), attributes)
        return {"MessageId": message.id,
                "MD5OfMessageBody": hashlib.md5(message.body.encode()).hexdigest()}

    def ReceiveMessage(self, body):
        until = time.time() + body.get("WaitTimeSeconds", 0)
        messages = self.of(body).receive(body.get("MaxNumberOfMessages", 1))
        return {"until": until, "Messages": [
            {"MessageId": message.id, "ReceiptHandle": message.receipt, "Body": message.body,
             "Attributes": {"ApproximateReceiveCount": str(message.received)}}
            for message in messages]}

    def DeleteMessageBatch(self, body):
        for entry in body["Entries"]:
            self.of(body).delete(entry["ReceiptHandle"])
        return {"Successful": [{"Id": entry["Id"]} for entry in body["Entries"]], "Failed": []}

    def ChangeMessageVisibility(self, body):
        assert 0 <= body["VisibilityTimeout"] <= 43200, body
        self.of(body).hide(body["ReceiptHandle"], body["VisibilityTimeout"])
        return {}
