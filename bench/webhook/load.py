#!/usr/bin/env python3
"""Load on the webhook next to nginx, in one run.

  bench/webhook/load.py --webhook=build/examples/kubernetes_webhook/precedent-webhook

A TLS client with keep-alive connections (wrk) posts a review of 6 KB to the webhook, with a
policy of 1,000 rules, and to nginx, which answers a body of the same length whatever it is
sent. Each has one thread, and a core of its own where there are two. Rounds alternate; the
table has the median of each, and the processor time that a request costs the server.

  --seconds=N  of one measurement (default 3)    --rounds=N  (default 5)
  --soak=N     instead: N seconds of load while the policy changes every 100 ms and the
               certificate every second; prints the resident memory as it goes
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


def policy(rules, generation=1):
    """Additions for teams, kinds of work and sizes, as the fleets of our other benchmarks."""
    lines = [f"generation: {generation}", 'priority_classes { name: "low" at_least: 0 }',
             'priority_classes { name: "high" at_least: 600 }', 'stages { name: "base"',
             '  rules { id: "base" set: 400 }']
    for i in range(rules - 1):
        lines.append(f'  rules {{ id: "r{i}" when {{ team {{ in: "team-{i % 211}" }} '
                     f'workload_type {{ in: "{("training", "inference", "batch")[i % 3]}" }} '
                     f'gpu_count {{ above: {i % 16} }} }} add: {i % 7 + 1} }}')
    return "\n".join(lines + ["}"]) + "\n"


def review():
    """A pod as a controller makes it: managed fields are most of its 6 KB."""
    labels = {"team": "team-17", "workload-type": "inference", "app": "chat", "tier": "gold"}
    fields = {f"f:part-{i}": {".": {}, "f:name": {}, "f:value": {}} for i in range(90)}
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": "chat-0", "namespace": "prod", "labels": labels,
                        "managedFields": [{"manager": "controller", "operation": "Update",
                                           "apiVersion": "v1", "fieldsV1": {"f:spec": fields}}]},
           "spec": {"containers": [{"name": f"c{i}", "image": "registry/image:tag",
                                    "env": [{"name": f"E{j}", "value": "v" * 12} for j in range(12)],
                                    "resources": {"limits": {"nvidia.com/gpu": "2", "memory": "32Gi"}}}
                                   for i in range(2)]}}
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "request": {"uid": "7d9e2b3c-4b1f-4c58-9a57-6f3f4c1f2a11", "operation": "CREATE",
                        "namespace": "prod", "kind": {"group": "", "version": "v1", "kind": "Pod"},
                        "resource": {"group": "", "version": "v1", "resource": "pods"},
                        "userInfo": {"username": "system:serviceaccount:kube-system:replicaset-controller",
                                     "groups": ["system:serviceaccounts", "system:authenticated"]},
                        "object": pod, "oldObject": None, "dryRun": False}}
    return json.dumps(body, separators=(",", ":")).encode()


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-keyout", "new.key", "-out", "new.crt", "-days", "30", "-subj", "/CN=localhost"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (folder / "new.key").rename(folder / "tls.key")
    (folder / "new.crt").rename(folder / "tls.crt")


def write(path, content):
    part = path.with_suffix(".part")
    part.write_text(content)
    part.rename(path)


def pin(core):
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return None
    return lambda: os.sched_setaffinity(0, {cores[core]})


class Server:
    def __init__(self, name, process, port):
        self.name, self.process, self.port = name, process, port

    def pids(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [self.process.pid, *map(int, children.read_text().split())]

    def cpu(self):
        """Seconds of processor time so far, with children."""
        ticks = 0
        for pid in self.pids():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def start_webhook(program, folder):
    log = open(folder / "log", "wb")
    process = subprocess.Popen(
        [program, f"--policy={folder / 'policy.txtpb'}", f"--tls_certificate={folder / 'tls.crt'}",
         f"--tls_key={folder / 'tls.key'}", "--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0",
         "--threads=1", "--drain_delay=0s", "--reload_interval=50ms"], stderr=log, preexec_fn=pin(0))
    for _ in range(1000):
        found = re.search(rb'"listening","port":(\d+),"metrics_port":(\d+)', (folder / "log").read_bytes())
        if found:
            server = Server("precedent-webhook", process, int(found[1]))
            server.metrics_port = int(found[2])
            return server
        time.sleep(0.01)
    sys.exit((folder / "log").read_text())


def nginx_on(port, folder, answer):
    """A fixed body of the length of `answer`; None where somebody has the port."""
    (folder / "nginx.conf").write_text(f"""
        worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
        events {{ worker_connections 1024; }}
        http {{
          access_log off; keepalive_requests 1000000000; client_body_buffer_size 1m;
          client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
          uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
          server {{
            listen 127.0.0.1:{port} ssl; ssl_certificate tls.crt; ssl_certificate_key tls.key;
            ssl_protocols TLSv1.2 TLSv1.3;
            location / {{ default_type application/json; return 200 "{'x' * len(answer)}"; }}
          }}
        }}""")
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")],
                               preexec_fn=pin(0), stderr=subprocess.DEVNULL)
    server = Server("nginx, fixed body", process, port)
    while process.poll() is None:
        if len(server.pids()) > 1:  # the worker: the port is its
            return server
        time.sleep(0.05)
    return None


def is_free(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0


def start_nginx(folder, answer):
    """On a port below those that outgoing connections get."""
    for port in random.sample(range(12_000, 20_000), 200):
        server = nginx_on(port, folder, answer) if is_free(port) else None
        if server:
            return server
    sys.exit((folder / "nginx.log").read_text())


def load(server, folder, connections, seconds):
    before = server.cpu()
    out = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(HERE / "load.lua"),
         f"https://127.0.0.1:{server.port}/mutate"], stdout=subprocess.PIPE, check=True,
        env={**os.environ, "REVIEW": str(folder / "review.json")}, preexec_fn=pin(1)).stdout.decode()
    found = re.search(r"RESULT (.*)", out)
    result = {key: float(value) for key, value in
              (item.split("=") for item in found[1].split())}
    result["rate"] = result["requests"] / result["seconds"]
    result["cpu"] = (server.cpu() - before) / result["requests"] * 1e6
    return result


def ask(server, folder):
    """The answer to the review, by curl."""
    return subprocess.run(["curl", "-sk", "-H", "Content-Type: application/json", "--data-binary",
                           f"@{folder / 'review.json'}", f"https://127.0.0.1:{server.port}/mutate"],
                          stdout=subprocess.PIPE, check=True).stdout


def compare(webhook, nginx, folder, arguments):
    results = {server.name: [] for server in (webhook, nginx)}
    for _ in range(arguments.rounds):
        for server in (webhook, nginx):
            results[server.name].append(load(server, folder, 32, arguments.seconds))
    if any(result["failed"] for rows in results.values() for result in rows):
        sys.exit("some requests failed")
    print(f"{'':20} {'requests/s':>11} {'p50 us':>8} {'p99 us':>8} {'p99.9 us':>9} {'CPU us/request':>15}")
    median = {}
    for name, rows in results.items():
        median[name] = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        m = median[name]
        print(f"{name:20} {m['rate']:11.0f} {m['p50']:8.0f} {m['p99']:8.0f} {m['p999']:9.0f} {m['cpu']:15.1f}")
    ratios = [a["rate"] / b["rate"] for a, b in zip(*results.values())]
    print(f"rate of the webhook / rate of nginx, round by round: "
          f"{' '.join(f'{ratio:.2f}' for ratio in ratios)}; median {statistics.median(ratios):.2f}")
    print(f"of the webhook's time for a request, {review_microseconds(webhook):.1f} us are the library's answer; the "
          "rest is TLS, HTTP and the kernel, as for nginx")


def review_microseconds(webhook):
    """Of all reviews so far, by the webhook's own clock."""
    with urllib.request.urlopen(f"http://127.0.0.1:{webhook.metrics_port}/metrics") as answer:
        text = answer.read().decode()
    seconds, count = (float(re.search(rf"^precedent_webhook_review_seconds_{what} (\S+)", text, re.M)[1])
                      for what in ("sum", "count"))
    return seconds / count * 1e6


def soak(webhook, folder, seconds):
    client = subprocess.Popen(
        ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", str(HERE / "load.lua"),
         f"https://127.0.0.1:{webhook.port}/mutate"], stdout=subprocess.PIPE,
        env={**os.environ, "REVIEW": str(folder / "review.json")}, preexec_fn=pin(1))
    sizes = []
    swaps = 0
    begin = time.monotonic()
    while client.poll() is None:
        swaps += 1
        write(folder / "policy.txtpb", policy(1000, swaps + 1))
        if swaps % 10 == 0:
            certificate(folder)
        if swaps % 50 == 0:
            sizes.append(webhook.resident_kib())
            print(f"{time.monotonic() - begin:5.0f} s  {sizes[-1]} KiB", flush=True)
        time.sleep(0.1)
    out = client.stdout.read().decode()
    print(re.search(r"RESULT .*", out)[0], f"policy writes={swaps}")
    half = len(sizes) // 2
    print(f"largest: first half {max(sizes[:half])} KiB, second half {max(sizes[half:])} KiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webhook", required=True)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--soak", type=int, default=0)
    arguments = parser.parse_args()
    missing = [tool for tool in ("wrk", "nginx", "openssl", "curl") if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        certificate(folder)
        write(folder / "policy.txtpb", policy(1000))
        body = review()
        (folder / "review.json").write_bytes(body)
        servers = [start_webhook(arguments.webhook, folder)]
        try:
            answer = ask(servers[0], folder)
            if b"priority=" not in answer or b"FALLBACK" in answer:
                sys.exit(f"not what it should answer: {answer}")
            if arguments.soak:
                return soak(servers[0], folder, arguments.soak)
            servers.append(start_nginx(folder, answer))
            print(f"review of {len(body)} bytes, answer of {len(answer)}, 32 connections, TLS")
            compare(*servers, folder, arguments)
        finally:
            for server in servers:
                server.process.terminate()
                server.process.wait()


if __name__ == "__main__":
    main()
