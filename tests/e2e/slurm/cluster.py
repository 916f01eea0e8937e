"""A Slurm of its own: munged, slurmctld and slurmd with GPUs that are none, on loopback."""
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
GPUS = 8  # of a node
CLIENT_SECONDS = 30  # without a controller clients retry for minutes

# No backfill: the order is the priorities'.
CONF = """
ClusterName=precedent
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmctldPort={port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,default_queue_depth=10000
PriorityType=priority/multifactor
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MinJobAge=86400
MaxJobCount=100000
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{submit}
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=64 RealMemory=4000 Gres=gpu:a100:{gpus} State=UNKNOWN
PartitionName=main Nodes=ALL PriorityTier=10 PreemptMode=OFF Default=YES State=UP
PartitionName=low Nodes=ALL PriorityTier=1 DefaultTime=20 PreemptMode=REQUEUE State=UP
PartitionName=high Nodes=ALL PriorityTier=100 MaxTime=600 PreemptMode=OFF State=UP
"""


def why_not():
    """What is missing here, or None."""
    missing = [program for program in PROGRAMS if not find(program)]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm munge)"
    if os.geteuid() != 0:
        return "needs root: makes device files, and runs jobs as other users"
    try:
        if socket.gethostbyname(short_host()) != "127.0.0.1":
            return f"the name {short_host()} is not 127.0.0.1 here: slurmctld would listen elsewhere"
    except OSError:
        return f"the name {short_host()} has no address"
    return None


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def short_host():
    return socket.gethostname().split(".")[0]


def free_ports(count):
    """`count` ports in a row that nobody listens on."""
    for first in random.sample(range(20_000, 32_000), 200):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()
    raise RuntimeError("no free ports")


class Cluster:
    """Runs from the constructor to `stop`. `script`: a job_submit.lua; none: no plugin."""

    def __init__(self, folder, script=None, nodes=2):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)  # other users' clients read the configuration
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "etc/slurm.conf")}
        for name in ("etc", "state", "dev", "munge", "key", *(f"spool-n{i + 1}" for i in range(nodes))):
            (self.folder / name).mkdir(mode=0o755)
        (self.folder / "key").chmod(0o700)
        self.out = self.folder / "out"
        self.out.mkdir()
        self.out.chmod(0o777)
        for i in range(GPUS):  # slurmd wants devices
            os.mknod(self.folder / f"dev/gpu{i}", 0o666 | 0o020000, os.makedev(1, 3))
        port = free_ports(nodes + 1)
        (self.folder / "etc/slurm.conf").write_text(CONF.format(
            host=short_host(), folder=self.folder, port=port, first=port + 1, last=port + nodes,
            nodes=nodes, gpus=GPUS, submit="JobSubmitPlugins=lua" if script else ""))
        (self.folder / "etc/gres.conf").write_text(
            f"Name=gpu Type=a100 File={self.folder}/dev/gpu[0-{GPUS - 1}]\n")
        if script:
            self.write_script(script)
        key = self.folder / "key/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        try:
            self.start_all(key, nodes)
        except BaseException:
            self.stop()
            raise

    def start_all(self, key, nodes):
        self.start("munged", "--foreground", f"--key-file={key}", f"--seed-file={self.folder}/key/seed",
                   f"--socket={self.folder}/munge/socket", f"--pid-file={self.folder}/munge/pid",
                   f"--log-file={self.folder}/key/log")
        self.wait(lambda: (self.folder / "munge/socket").exists(), "munged")
        self.start("slurmctld", "-D")
        for i in range(nodes):
            self.start("slurmd", "-D", "-N", f"n{i + 1}", log=f"slurmd-n{i + 1}")
        self.wait(lambda: self.run("sinfo", "-h", "-o", "%T", check=False).split() == ["idle"], "nodes")

    def start(self, program, *arguments, log=None):
        # A group of its own: a key pressed at a terminal is for the test, which ends these.
        with open(self.folder / f"{log or program}.log", "ab") as output:
            self.processes.append(subprocess.Popen(
                [find(program), *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                cwd=self.folder, env=self.environment, start_new_session=True))

    def stop(self):
        """Jobs first: what slurmstepd started would go on without slurmd."""
        if len(self.processes) > 1:
            self.run("scancel", "--state=RUNNING", "--full", "--signal=KILL", "--user=root", check=False)
            self.run("scancel", "--state=RUNNING", "--full", "--signal=KILL", "--user=nobody", check=False)
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
        for step in self.steps():
            os.kill(step, signal.SIGKILL)

    def steps(self):
        """Processes of jobs that are still there: their environment names this configuration."""
        mark = f"SLURM_CONF={self.folder}/".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if mark in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def write_script(self, text):
        """job_submit.lua; slurmctld reads it again when its time changes, in whole seconds."""
        path = self.folder / "etc/job_submit.lua"
        before = path.stat().st_mtime if path.exists() else 0
        part = path.with_suffix(".part")
        part.write_text(text)
        later = max(before + 2, time.time())
        os.utime(part, (later, later))
        part.rename(path)

    def run(self, *command, user=None, check=True, stdin=None):
        """What the client prints. With a user, as that user, and without this one's groups."""
        completed = self.attempt(*command, user=user, stdin=stdin)
        if check and completed.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {completed.stderr}{self.log_tail()}")
        return completed.stdout

    def attempt(self, *command, user=None, stdin=None):
        if user:
            command = ("setpriv", f"--reuid={user}", f"--regid={os_group(user)}", "--clear-groups",
                       "--", *command)
        try:
            return subprocess.run(command, env=self.environment, cwd=self.out, input=stdin, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                  timeout=CLIENT_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"{' '.join(command)}: no answer{self.log_tail()}") from late

    def sbatch(self, *arguments, script="true", user=None):
        """The job's id."""
        out = self.run("sbatch", "--parsable", "--output=/dev/null", *arguments, user=user,
                       stdin=f"#!/bin/sh\n{script}\n")
        return int(out.split(";")[0])

    def jobs(self):
        """By id, as squeue's JSON has them, those that have ended too."""
        return {job["job_id"]: job for job in json.loads(self.run("squeue", "--json"))["jobs"]}

    def job(self, number):
        return self.jobs()[number]

    def update(self, number, *changes, user=None):
        return self.attempt("scontrol", "update", f"jobid={number}", *changes, user=user)

    def log(self):
        return (self.folder / "slurmctld.log").read_text(errors="replace")

    def log_tail(self):
        return "\nslurmctld:\n" + "\n".join(self.log().splitlines()[-20:]) if self.processes else ""

    def wait(self, condition, what, seconds=60):
        """For `condition` to return something true, which is returned."""
        end = time.monotonic() + seconds
        while True:
            result = condition()
            if result:
                return result
            ended = [p.args[0] for p in self.processes if p.poll() is not None]
            if ended or time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}; ended: {ended}{self.log_tail()}")
            time.sleep(0.05)

    def wait_state(self, number, *states, seconds=60):
        return self.wait(lambda: self.job(number)["job_state"] in states, f"job {number} {states}",
                         seconds)


def os_group(user):
    import pwd
    return pwd.getpwnam(user).pw_gid
