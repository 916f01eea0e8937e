"""Forty jobs: how sbatch is told of each, and the same facts as a JobDescriptor, written
here by hand and not by the module."""
import random

POLICY = """
name: "cluster"
require_verified: LABELS
stages { name: "base"
  rules { id: "base" set: %(base)d }
  rules { id: "search" when { team { in: "search" } } add: 120 }
  rules { id: "robotics" when { team { prefix: "robo" } } add: -35 }
  rules { id: "nobody" when { user { in: "nobody" } } add: 3 } }
stages { name: "kind"
  rules { id: "production" when { environment { in: "production" } } add: 300 }
  rules { id: "staging" when { environment { in: "staging" } } add: 40 }
  rules { id: "inference" when { workload_type { in: "inference" } } add: 60 }
  rules { id: "gold" when { labels { key: "tier" value { in: "gold" } } } add: 5000 }
  rules { id: "low" when { queue { in: "low" } } add: -200 }
  rules { id: "high" when { queue { in: "high" } } add: 210 }
  rules { id: "banned" when { team { in: "banned" } } deny: "banned is out of budget: ask the desk" }
  rules { id: "queue high is for search" when { queue { in: "high" } team { not_in: "search" } }
          deny: "partition high is for the search team" } }
stages { name: "size"
  rules { id: "gpus" add_scaled { of: GPU_COUNT points: -7 } }
  rules { id: "a100" when { accelerator { in: "a100" } } add: 11 }
  rules { id: "nodes" when { pod_count { above: 1 } } add: -23 }
  rules { id: "one node" when { pod_count { at_most: 1 } } add: 2 }
  rules { id: "short" when { max_runtime_seconds { at_most: 1800 } } add: 17 }
  rules { id: "evictable" when { preemptible: true } add: 29 }
  rules { id: "data" add_scaled { of: DATASET_BYTES points: 1 per: 1000000000 max: 13 } } }
stages { name: "history"
  rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 min: -200 } }
  rules { id: "preempted" add_scaled { of: PREEMPTION_COUNT points: 25 max: 100 } }
  rules { id: "waiting" order_only: true
          add_scaled { of: WAIT_SECONDS points: 1 per: %(per)d max: 500 } } }
bounds { min: 0 max: 9999 }
"""


def policy(base=500, per=3600):
    """A job that nothing special is said of gets `base`."""
    return POLICY % {"base": base - 2, "per": per}


# Arguments of sbatch; GPUs of the whole job, their kind, nodes.
GPUS = [
    ([], 0, "", 1),
    (["--gpus=3"], 3, "", 1),
    (["--gpus=a100:2"], 2, "a100", 1),
    (["--gres=gpu"], 1, "", 1),
    (["--gres=gpu:4"], 4, "", 1),
    (["--gres=gpu:a100:5"], 5, "a100", 1),
    (["--gpus-per-node=3", "--nodes=2"], 6, "", 2),
    (["--gpus-per-node=a100:2", "--nodes=2"], 4, "a100", 2),
    (["--gpus-per-task=2", "--ntasks=3"], 6, "", 1),
    (["--gres=gpu:a100:1", "--nodes=2", "--ntasks=2"], 2, "a100", 2),
    (["--gpus=12"], 12, "", 1),  # it takes two nodes, which nobody has asked for
]
LIMITS = {"low": 20, "high": 600, "high,low": 600}  # minutes, of who names none; of the first


class Job:
    def __init__(self, arguments, facts, user, held):
        self.arguments, self.facts, self.user, self.held = arguments, facts, user, held


def make_job(draw, number):
    spelling, gpus, accelerator, nodes = GPUS[number % len(GPUS)]
    team = draw.choice(("vision", "nlp", "search", "robotics"))
    user = draw.choice(("root", "nobody"))
    queue = draw.choice(("main", "low", "high", "high", "high,low") if team == "search" else
                        ("main", "main", "main", "low"))
    arguments = [*spelling, f"--account={team}"]
    facts = {"kind": "SlurmJob", "team": team, "user": user, "queue": queue, "gpuCount": gpus,
             "podCount": nodes, "claimed": []}
    if accelerator:
        facts["accelerator"] = accelerator
    if queue != "main":
        arguments.append(f"--partition={queue}")
    minutes = draw.choice((None, 10, 30, 31, 600))
    if minutes:
        arguments.append(f"--time={minutes}")
    words = []

    def claim(attribute, member, value, key):
        words.append(f"{draw.choice(('', 'precedent.dev/'))}{key}={value}")
        facts[member] = value
        facts["claimed"].append(attribute)

    if draw.random() < 0.5:
        claim("ENVIRONMENT", "environment", draw.choice(("production", "staging", "test")), "environment")
    if draw.random() < 0.5:
        claim("WORKLOAD_TYPE", "workloadType", draw.choice(("training", "inference")), "workload-type")
    if draw.random() < 0.3:
        claim("DATASET_BYTES", "datasetBytes", draw.choice((5e9, 7.5e10)), "dataset-bytes")
    if draw.random() < 0.2:  # the policy takes no label on a user's word
        words.append("tier=gold")
        facts["labels"] = {"tier": "gold"}
        facts["claimed"].append("LABELS")
    if draw.random() < 0.4:
        words.append("preemptible=true")
        again = draw.choice(([], ["--requeue"], ["--no-requeue"]))
        arguments += again
        facts["preemptible"] = again != ["--no-requeue"]
        facts["claimed"].append("PREEMPTIBLE")
        if queue == "main" and facts["preemptible"]:  # it named none: the script's setting
            facts["queue"] = "low"
    minutes = minutes or LIMITS.get(facts["queue"])
    if minutes:
        facts["maxRuntimeSeconds"] = minutes * 60
    draw.shuffle(words)
    name = f"job-{number}"
    if words and draw.random() < 0.3:  # what a name can carry
        name += ";" + words.pop()
    arguments.append(f"--job-name={name}")
    if words:
        arguments.append("--comment=" + draw.choice((" ", ", ", ";")).join(words))
    held = number % 13 == 7
    if held:
        arguments.append("--hold")
    if number % 11 == 5:
        arguments.append("--array=1-3")
    if number % 9 == 4:  # not heard
        arguments += ["--priority=9999", "--nice=1000"]
    return Job(arguments, facts, user, held)


def jobs(count=40, seed=9):
    draw = random.Random(seed)
    return [make_job(draw, number) for number in range(count)]
