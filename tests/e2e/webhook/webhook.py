"""Starts the webhook with files of its own and talks to it."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

WEBHOOK = os.environ["PRECEDENT_WEBHOOK"]
PROGRAM = os.environ["PRECEDENT_PROGRAM"]
SOURCE = pathlib.Path(os.environ["PRECEDENT_SOURCE_DIR"])
SHARED = SOURCE / ".." / "shared"
OPTIONS = SOURCE / "examples" / "kubernetes" / "options.yaml"
JSON = {"Content-Type": "application/json"}

POLICY = """
name: "test"
generation: %d
priority_classes { name: "low" at_least: 0 }
priority_classes { name: "high" at_least: 600 }
fallback { priority: 100 }
stages { name: "base" rules { id: "base" set: %d } }
stages { name: "team" rules { id: "search" when { team { in: "search" } } add: 50 } }
"""


def policy(generation=1, score=500):
    return POLICY % (generation, score)


def review(uid="u", name="pod", padding=0):
    """A pod of the search team with a GPU, of about 700 bytes and `padding`."""
    return json.dumps({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": uid, "operation": "CREATE", "namespace": "search-1",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "userInfo": {"username": "ann", "groups": []},
            "object": {
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "annotations": {"note": "x" * padding}},
                "spec": {"containers": [{
                    "name": "c", "image": "i",
                    "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}).encode()


def have_openssl():
    return shutil.which("openssl") is not None


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class Authority:
    """A certificate authority in a folder, and what it signs."""

    def __init__(self, folder, name="ca"):
        self.folder = pathlib.Path(folder)
        self.name = name
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "30", "-subj", f"/CN={name}",
                cwd=folder)
        self.certificate = self.folder / f"{name}.crt"

    def sign(self, name, days=10, subject="localhost"):
        """The paths of a new certificate and key. days < 0: it has expired."""
        extensions = self.folder / "ext"
        extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={subject}", cwd=self.folder)
        # `openssl x509 -days` takes no negative number everywhere; `ca` takes dates.
        if days >= 0:
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.crt", "-CAkey",
                    f"{self.name}.key", "-CAcreateserial", "-days", str(days), "-extfile", "ext", "-out",
                    f"{name}.crt", cwd=self.folder)
        else:
            (self.folder / "ca.conf").write_text(
                "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
                "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
            (self.folder / "index").write_text("")
            (self.folder / "serial").write_text("77\n")
            openssl("ca", "-batch", "-config", "ca.conf", "-cert", f"{self.name}.crt", "-keyfile",
                    f"{self.name}.key", "-in", f"{name}.csr", "-out", f"{name}.crt", "-startdate",
                    "20200101000000Z", "-enddate", "20200201000000Z", "-notext", cwd=self.folder)
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"


class Webhook:
    """The program, running. Ports are its own choice."""

    def __init__(self, folder, *flags, preexec_fn=None, env=None, policy_file="policy.txtpb"):
        self.folder = pathlib.Path(folder)
        self.log_path = pathlib.Path(tempfile.mkstemp(prefix="log", dir=self.folder)[1])
        self.log_file = open(self.log_path, "wb")
        arguments = [WEBHOOK, f"--policy={self.folder / policy_file}",
                     f"--tls_certificate={self.folder / 'tls.crt'}", f"--tls_key={self.folder / 'tls.key'}",
                     "--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0", "--drain_delay=0s",
                     "--reload_interval=20ms", *flags]
        self.process = subprocess.Popen(arguments, stderr=self.log_file, preexec_fn=preexec_fn,
                                        env={**os.environ, **(env or {})})
        line = self.wait_log("listening")
        self.port, self.metrics_port = line["port"], line["metrics_port"]
        self.context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))

    def lines(self):
        return [json.loads(line) for line in self.log_path.read_bytes().splitlines()]

    def wait_log(self, message, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in self.lines():
                if message in line["message"]:
                    return line
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"no `{message}` in the log:\n{self.log_path.read_text()}")

    def connect(self, timeout=30):
        return http.client.HTTPSConnection("localhost", self.port, context=self.context, timeout=timeout)

    def raw(self, timeout=30):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        return self.context.wrap_socket(plain, server_hostname="localhost")

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Status and body. With a body and no headers: a review."""
        own = connection or self.connect()
        own.request(method, path, body=body, headers=(JSON if headers is None and body else headers or {}))
        answer = own.getresponse()
        content = answer.read()
        if connection is None:
            own.close()
        return answer.status, content

    def mutate(self, body, connection=None):
        status, content = self.ask("POST", "/mutate?timeout=2s", body, connection=connection)
        if status != 200:
            raise AssertionError(f"status {status}: {content}")
        return json.loads(content)

    def priority(self, connection=None):
        """Of the pod of review(), from the audit annotation."""
        answer = self.mutate(review(), connection)["response"]
        return int(re.search(r"priority=(-?\d+)", answer["auditAnnotations"]["decision"])[1])

    def metrics(self):
        """Name with labels to value."""
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
                for line in text.splitlines() if not line.startswith("#")}

    def metric(self, name):
        return self.metrics().get(name, 0)

    def wait_until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.01)
        raise AssertionError(f"did not come true; log:\n{self.log_path.read_text()}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log_file.close()


@unittest.skipUnless(have_openssl(), "openssl is not installed: certificates cannot be made")
class TestCase(unittest.TestCase):
    """Has a folder with an authority, a certificate and a policy."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.authority = Authority(self.folder)
        self.write_certificate("server")
        (self.folder / "policy.txtpb").write_text(policy())

    def write_certificate(self, name, **how):
        certificate, key = self.authority.sign(name, **how)
        for source, target in ((key, "tls.key"), (certificate, "tls.crt")):
            part = self.folder / (target + ".part")
            part.write_bytes(source.read_bytes())
            part.rename(self.folder / target)

    def write_policy(self, content):
        part = self.folder / "policy.part"
        part.write_bytes(content if isinstance(content, bytes) else content.encode())
        part.rename(self.folder / "policy.txtpb")

    def start(self, *flags, **how):
        options = [] if any(flag.startswith("--options") for flag in flags) else [f"--options={OPTIONS}"]
        server = Webhook(self.folder, *options, *flags, **how)
        self.addCleanup(server.stop)
        return server

    def assertServes(self, server):
        """It answers, as if nothing had happened."""
        answer = server.mutate(review("still"))
        self.assertEqual(answer["response"]["uid"], "still")
        self.assertIsNone(server.process.poll())
