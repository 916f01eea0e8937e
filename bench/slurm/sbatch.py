#!/usr/bin/env python3
"""What a submission costs slurmctld, on a Slurm of this machine's own.

  bench/slurm/sbatch.py    # as root, once `build` has the Lua module

Three clusters: no plugin; a job_submit.lua that is a chain of ifs, as people write them;
precedent with 1,000 rules. Each takes jobs from sbatch one after the other, in short
rounds that alternate. For a submission, medians of the rounds:
  cpu us   processor time of slurmctld, all of it
  rpc us   by the clock until slurmctld has answered, the plugin included, as sdiag tells it
           (the times in slurmctld's log leave the plugin out)
  jobs/s   by the clock, most of which is sbatch itself
and the median of the rounds' ratios to the if chain. The queue grows as it goes, which
costs either plugin: Slurm tells Lua of every job in it.

  --jobs=N     of a round (default 10)        --rounds=N  (default 60)
  --queue=N    jobs that wait before the first round (default 500)
  --module=F   precedent.so (default build/lua/precedent.so)
"""
import argparse
import pathlib
import re
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e/slurm"))
import cluster  # noqa: E402

IFS = """
local base = {vision = 500, nlp = 480, search = 620, robotics = 440, ads = 560, maps = 530}
function slurm_job_submit(d, parts, uid)
  local priority = base[d.account] or 500
  local gpus = 0
  for _, field in ipairs({"tres_per_job", "tres_per_node", "tres_per_socket", "tres_per_task"}) do
    local text = d[field]
    if text then gpus = math.max(gpus, tonumber(text:match("gpu[^,]*[:=](%d+)")) or 1) end
  end
  if gpus >= 64 then priority = priority - 100
  elseif gpus >= 16 then priority = priority - 50
  elseif gpus >= 4 then priority = priority - 20 end
  local comment = d.comment or ""
  if comment:find("environment=production", 1, true) then priority = priority + 300
  elseif comment:find("environment=staging", 1, true) then priority = priority + 40 end
  if comment:find("workload-type=inference", 1, true) then priority = priority + 60
  elseif comment:find("workload-type=training", 1, true) then priority = priority + 10 end
  if d.partition == "high" then priority = priority + 200
  elseif d.partition == "low" then priority = priority - 200 end
  if d.time_limit and d.time_limit <= 30 then priority = priority + 15 end
  if d.priority ~= 0 then d.priority = priority end
  d.admin_comment = "priority=" .. priority
  return slurm.SUCCESS
end
function slurm_job_modify(d, job, parts, uid) return slurm.SUCCESS end
return slurm.SUCCESS
"""


def policy(rules):
    """Additions for teams, kinds of work and sizes, as the fleets of our other benchmarks."""
    lines = ['stages { name: "base"', '  rules { id: "base" set: 400 }']
    for i in range(rules - 2):
        lines.append(f'  rules {{ id: "r{i}" when {{ team {{ in: "team-{i % 211}" }} '
                     f'workload_type {{ in: "{("training", "inference", "batch")[i % 3]}" }} '
                     f'gpu_count {{ above: {i % 16} }} }} add: {i % 7 + 1} }}')
    lines.append('  rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }')
    return "\n".join(lines + ["}", "bounds { min: 0 max: 9999 }"]) + "\n"


def arguments(number):
    kind = ("training", "inference", "batch")[number % 3]
    return [f"--account=team-{number % 50}", f"--job-name=job-{number % 37}", f"--gpus={number % 8 + 1}",
            f"--comment=environment=production workload-type={kind}", "--begin=now+1day"]


class Subject:
    def __init__(self, name, folder, script):
        folder.mkdir()
        self.name, self.number = name, 0
        self.slurm = cluster.Cluster(folder, script, nodes=1)
        (process,) = [p for p in self.slurm.processes if p.args[0].endswith("/slurmctld")]
        self.clock = (~process.pid << 3) | 2  # as clock_getcpuclockid makes it
        self.rounds = []

    def submit(self, jobs):
        for _ in range(jobs):
            self.slurm.sbatch(*arguments(self.number))
            self.number += 1

    def measure(self, jobs):
        self.slurm.run("sdiag", "--reset")
        begin, cpu = time.monotonic(), time.clock_gettime(self.clock)
        self.submit(jobs)
        cpu, seconds = time.clock_gettime(self.clock) - cpu, time.monotonic() - begin
        found = re.search(r"REQUEST_SUBMIT_BATCH_JOB .*count:(\d+) +ave_time:(\d+)", self.slurm.run("sdiag"))
        if not found or int(found[1]) != jobs:
            sys.exit(f"{self.name}: sdiag does not tell of {jobs} submissions")
        self.rounds.append((cpu / jobs * 1e6, int(found[2]), jobs / seconds))

    def column(self, i):
        return [numbers[i] for numbers in self.rounds]


def measure(options, folder):
    lua = (ROOT / "examples/slurm/job_submit.lua").read_text()
    (folder / "policy.txtpb").write_text(policy(1000))
    precedent = lua.replace("@LUA_DIR@", str(options.module.parent)).replace(
        "@POLICY@", str(folder / "policy.txtpb"))
    subjects = []
    try:
        for name, script in (("no plugin", None), ("if chain", IFS), ("precedent, 1,000 rules", precedent)):
            subjects.append(Subject(name, folder / str(len(subjects)), script))
        for subject in subjects:
            subject.submit(options.queue)
        for i in range(options.rounds):
            for k in range(len(subjects)):  # another one first each time
                subjects[(i + k) % len(subjects)].measure(options.jobs)
        comment = subjects[-1].slurm.job(1)["admin_comment"]
        if "rules=base" not in comment:
            sys.exit(f"precedent did not derive: {comment}")
    finally:
        for subject in subjects:
            subject.slurm.stop()
    return subjects


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--queue", type=int, default=500)
    parser.add_argument("--module", type=pathlib.Path, default=ROOT / "build/lua/precedent.so")
    options = parser.parse_args()
    missing = cluster.why_not()
    if missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    if not options.module.exists():
        sys.exit(f"{options.module}: not there; build the target precedent_slurm_lua")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o755)
        subjects = measure(options, pathlib.Path(folder))
    print(f"{'':24} {'cpu us':>8} {'of if chain':>12} {'rpc us':>8} {'of if chain':>12} {'jobs/s':>8}")
    for subject in subjects:
        cells = []
        for i in range(2):
            ratios = [a / b for a, b in zip(subject.column(i), subjects[1].column(i))]
            cells.append(f"{statistics.median(subject.column(i)):8.0f} {statistics.median(ratios):12.2f}")
        print(f"{subject.name:24} {' '.join(cells)} {statistics.median(subject.column(2)):8.1f}")
    print(f"queue: {options.queue} jobs at first, {options.queue + options.jobs * options.rounds} at the end")


if __name__ == "__main__":
    main()
