"""Events of Batch about jobs whose attempts ended in some way."""
import uuid

HOST = "Host EC2 (instance i-0123456789abcdef0) terminated."
ENDS = {"own": ("Essential container in task exited", 1, "failureCount"),
        "host": (HOST, None, "lossCount"),
        "preempted": ("Job was preempted by a job of higher priority", None, "preemptionCount"),
        "done": ("Essential container in task exited", 0, None)}


def attempt(end, at):
    reason, code, _ = ENDS[end]
    container = {} if code is None else {"exitCode": code}
    return {"container": container, "startedAt": at - 60_000, "stoppedAt": at,
            "statusReason": reason}


def event(job, status, ends, at, job_id=None, **more):
    """A state change after attempts that ended as `ends` says, the last at `at`."""
    detail = {"jobName": job["jobName"], "jobId": job_id or job["jobId"],
              "jobQueue": "arn:aws:batch:us-east-1:123456789012:job-queue/" + job["jobQueue"],
              "status": status, "createdAt": at - 600_000, "dependsOn": [], "parameters": {},
              "jobDefinition": "arn:aws:batch:us-east-1:123456789012:job-definition/train:1",
              "attempts": [attempt(end, at - 1000 * (len(ends) - 1 - i))
                           for i, end in enumerate(ends)],
              "unknownMember": {"of": ["2029"]}, **more}
    if ends:
        detail["stoppedAt"] = at
        detail["statusReason"] = ENDS[ends[-1]][0]
    service = job.get("kind") == "service"
    if service:
        detail.pop("jobDefinition")
        detail["serviceJobType"] = "SAGEMAKER_TRAINING"
    return {"version": "0", "id": str(uuid.uuid4()), "source": "aws.batch",
            "account": "123456789012", "time": "2026-03-02T12:00:00Z", "region": "us-east-1",
            "resources": [], "detail": detail,
            "detail-type": "Batch Service Job State Change" if service else "Batch Job State Change"}
