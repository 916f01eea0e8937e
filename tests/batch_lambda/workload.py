"""Submissions of every kind, by a seed, each with what has to become of it."""
import random

TEAMS = ["vision", "nlp", "speech"]


def submissions(count, seed):
    """Yields (id, body, expected): expected is (priority, share), or words of the reason."""
    draw = random.Random(seed)
    for number in range(count):
        identity = f"id-{seed}-{number}"
        team = draw.choice(TEAMS)
        production = draw.random() < 0.4
        big = draw.random() < 0.3
        failures = draw.choice([0, 0, 1, 5])
        priority = (1000 if production else 500) - (50 if big else 0) - 10 * failures
        body = {"jobName": f"job-{number % 40}", "jobQueue": "gpu",
                "jobDefinition": "big:1" if big else "train:1"}
        metadata = {"team": team, "environment": "production" if production else "dev"}
        if failures:
            metadata["failure-count"] = str(failures)
        kind = draw.random()
        if kind < 0.7:
            body["tags"] = metadata
        elif kind < 0.85:  # a team's own shape
            body.update({key.replace("-", "_"): value for key, value in metadata.items()})
        else:
            body["containerOverrides"] = {"environment": [
                {"name": key.upper().replace("-", "_"), "value": value}
                for key, value in metadata.items()]}
        expected = (priority, team)
        bad = draw.random()
        if bad < 0.02:
            body, expected = "Message Body", "JSON"
        elif bad < 0.04:
            body.pop("jobName")
            expected = "jobName"
        elif bad < 0.06:
            body.pop("containerOverrides", None)
            body["tags"] = {"team": "banned"}
            body.pop("team", None)
            expected = "the policy denies this job: team banned has no GPUs"
        elif bad < 0.08:
            body["jobQueue"] = "nowhere"
            expected = "JobQueue nowhere not found"
        elif bad < 0.10:
            body["jobDefinition"] = "gone:7"
            expected = "JobDefinition gone:7 not found"
        yield identity, body, expected
