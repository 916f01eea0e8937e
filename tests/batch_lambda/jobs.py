"""What the recorder knows of Batch: job queues with their rules, jobs and service jobs."""
import re
import time
import uuid

from table import Refused

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}\Z")
SHARE = re.compile(r"[A-Za-z0-9]{1,255}\*?\Z")
TAG = re.compile(r"[\w\s+\-=._:/@]{0,256}\Z")


def _client(condition, message):
    if not condition:
        raise Refused("ClientException", message)


class Batch:
    def __init__(self):
        self.kinds = {"gpu": "fair-share", "plain": "none", "quota": "quota-share"}
        self.definitions = {}
        self.jobs = []  # as submitted, with jobId, createdAt and what kind
        self.tokens = {}
        self.updates = []
        self.snapshots = {}

    def _check(self, body, priority_member):
        queue = body["jobQueue"].rsplit("/", 1)[-1]
        _client(queue in self.kinds, f"JobQueue {queue} not found.")
        kind = self.kinds[queue]
        _client(NAME.match(body["jobName"]), f"jobName {body['jobName']!r}")
        share, quota = body.get("shareIdentifier"), body.get("quotaShareName")
        priority = body.get(priority_member)
        _client(bool(share) == (kind == "fair-share"), "shareIdentifier must be specified or not")
        _client(bool(quota) == (kind == "quota-share"), "quotaShareName must be specified or not")
        _client((priority is None) == (kind == "none"), "schedulingPriority must be given or not")
        _client(priority is None or 0 <= priority <= 9999, f"priority {priority}")
        _client(not share or SHARE.match(share), f"share {share!r}")
        tags = body.get("tags", {})
        _client(len(tags) <= 50, "more than 50 tags")
        _client(all(TAG.match(key) and TAG.match(value) for key, value in tags.items()),
                f"tags {tags}")

    def _add(self, body, kind):
        job = dict(body, jobId=str(uuid.uuid4()), kind=kind, createdAt=int(time.time() * 1000),
                   status="RUNNABLE")
        self.jobs.append(job)
        return {"jobName": job["jobName"], "jobId": job["jobId"],
                "jobArn": f"arn:aws:batch:us-east-1:123456789012:job/{job['jobId']}"}

    def submitjob(self, body):
        self._check(body, "schedulingPriorityOverride")
        _client(body["jobDefinition"] in self.definitions,
                f"JobDefinition {body['jobDefinition']} not found.")
        return self._add(body, "job")

    def submitservicejob(self, body):
        self._check(body, "schedulingPriority")
        if body.get("clientToken") not in self.tokens:
            self.tokens[body["clientToken"]] = self._add(body, "service")
        return self.tokens[body["clientToken"]]

    def _list(self, body, kind):
        names = next((f["values"] for f in body.get("filters", []) if f["name"] == "JOB_NAME"), None)
        found = [job for job in self.jobs if job["kind"] == kind and
                 job["jobQueue"].rsplit("/", 1)[-1] == body["jobQueue"].rsplit("/", 1)[-1] and
                 (job["jobName"].lower() in [n.lower() for n in names] if names
                  else job["status"] == body.get("jobStatus", "RUNNING"))]
        return {"jobSummaryList": [
            {key: job[key] for key in ("jobId", "jobName", "createdAt", "status")} |
            ({"serviceJobType": job["serviceJobType"]} if kind == "service" else {})
            for job in found]}

    def listjobs(self, body):
        return self._list(body, "job")

    def listservicejobs(self, body):
        return self._list(body, "service")

    def describejobdefinitions(self, body):
        names = body.get("jobDefinitions") or [body["jobDefinitionName"]]
        return {"jobDefinitions": [self.definitions[name] for name in names
                                   if name in self.definitions]}

    def describeservicejob(self, body):
        job = next((j for j in self.jobs if j["jobId"] == body["jobId"]), None)
        _client(job is not None, "no such job")
        return {key: value for key, value in job.items() if key not in ("kind", "clientToken")}

    def updateservicejob(self, body):
        job = next(j for j in self.jobs if j["jobId"] == body["jobId"])
        _client(0 <= body["schedulingPriority"] <= 9999, "priority")
        job["schedulingPriority"] = body["schedulingPriority"]
        self.updates.append(body)
        return {"jobId": body["jobId"], "jobName": job["jobName"], "jobArn": "a"}

    def getjobqueuesnapshot(self, body):
        return self.snapshots.get(body["jobQueue"], {})
