"""precedent-webhook-pods against an API server that also misbehaves."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
import certificates
import api_server
from api_server import pod

PROGRAM = os.environ["PRECEDENT_WEBHOOK_PODS"]
PATIENCE = 30  # seconds until what never happens is called so


class Program:
    """The running program."""

    def __init__(self, *flags, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM, "--metrics_listen=127.0.0.1:0", "--backoff=10ms", "--max_backoff=80ms", *flags],
            stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(environment or {})))
        self.early = []  # lines of the log from before it said where it listens
        for line in self.process.stderr:
            event = json.loads(line)
            if event["message"] == "listening":
                self.url = f"http://127.0.0.1:{event['metrics_port']}"
                return
            self.early.append(line)
        raise AssertionError("the program does not listen")

    def get(self, path, method="GET"):
        request = urllib.request.Request(self.url + path, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def metrics(self):
        found = re.findall(r"^(precedent_\w+(?:\{[^}]*\})?) (\S+)$", self.get("/metrics")[1], re.MULTILINE)
        return {name: float(value) for name, value in found}

    def counts(self):
        """{class: (pending, starting, running)} where there are any."""
        metrics = self.metrics()
        counts = {}
        for name, value in metrics.items():
            match = re.fullmatch(r'precedent_pods\{class="(.*)",state="(.*)"\}', name)
            if match and value:
                place = ["pending", "starting", "running"].index(match[2])
                counts.setdefault(match[1], [0, 0, 0])[place] = int(value)
        return {name: tuple(value) for name, value in counts.items()}

    def errors(self, during):
        return self.metrics()[f'precedent_pods_watch_errors_total{{during="{during}"}}']

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()


class TestCase(unittest.TestCase):
    folder = None

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.folder = pathlib.Path(cls._folder.name)
        for name in ("server", "stranger"):
            certificates.make(cls.folder, name)

    def setUp(self):
        self.token = self.folder / "token"
        self.token.write_text("first\n")
        self.api = api_server.ApiServer((self.folder / "server.crt", self.folder / "server.key"),
                                        token="first")
        self.addCleanup(self.api.close)

    def start(self, *flags, server=None, **more):
        if server is None:
            server = f"https://{self.api.address}"
        program = Program(*([f"--api_server={server}"] if server else []),
                          f"--ca_file={self.folder / 'server.crt'}", f"--token_file={self.token}",
                          *flags, **more)
        self.addCleanup(program.stop)
        return program

    def eventually(self, read, expected):
        end = time.monotonic() + PATIENCE
        value = read()
        while value != expected and time.monotonic() < end:
            time.sleep(0.01)
            value = read()
        self.assertEqual(value, expected)

    def fill(self, *pods):
        for one in pods:
            self.api.put(one)


class ListTest(TestCase):
    def test_page_by_page(self):
        self.fill(pod("a", "critical"), pod("b", "critical", node="n1"),
                  pod("c", "critical", "Running", "n1"), pod("d"), pod("e", "experimental"),
                  pod("f", "experimental"), pod("g", "experimental", "Succeeded", "n1"))
        program = self.start("--page_size=3")
        self.eventually(program.counts, {"critical": (1, 1, 1), "none": (1, 0, 0),
                                         "experimental": (2, 0, 0)})
        self.eventually(lambda: self.api.count("watch"), 1)
        pages, watch = self.api.requests[:3], self.api.requests[3]
        self.assertEqual([one.query.get("continue") for one in pages], [None, "3&107", "6&107"])
        for one in pages:
            self.assertEqual(one.path, "/api/v1/pods")
            self.assertEqual(one.query["limit"], "3")
            self.assertEqual(one.query["fieldSelector"],
                             "status.phase!=Succeeded,status.phase!=Failed")
        self.assertEqual(watch.query["resourceVersion"], "107")
        self.assertEqual(watch.query["allowWatchBookmarks"], "true")
        self.assertEqual(watch.query["fieldSelector"], pages[0].query["fieldSelector"])

    def test_none(self):
        program = self.start()
        self.eventually(lambda: program.get("/readyz")[0], 200)
        self.assertEqual(program.counts(), {})

    def test_pages_that_are_too_old_are_asked_for_again(self):
        self.fill(*(pod(f"p{i}") for i in range(5)))

        def forget_then_answer(handler):
            self.api.list(handler, 2, "")
            self.api.forget(["p0"])

        self.api.fault("list", forget_then_answer)
        program = self.start("--page_size=2")
        self.eventually(program.counts, {"none": (4, 0, 0)})
        self.assertEqual(program.errors("gone"), 1)
        self.assertEqual(program.metrics()["precedent_pods_lists_total"], 1)

    def test_errors_are_tried_again(self):
        self.fill(pod("a"))
        for fault in (api_server.status(500), api_server.reset, api_server.status(429),
                      lambda handler: api_server.reply(handler, 200, b'{"kind":"PodList"'),
                      lambda handler: api_server.reply(handler, 200, b'{"kind":"Status"}')):
            self.api.fault("list", fault)
        program = self.start()
        self.eventually(program.counts, {"none": (1, 0, 0)})
        self.assertEqual([program.errors(one) for one in ("list", "unreadable", "watch", "gone")],
                         [3, 2, 0, 0])

    def test_a_page_without_end_is_given_up(self):
        def endless(handler):
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            piece = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
            for _ in range(40):
                handler.wfile.write(piece)

        self.api.fault("list", endless)
        self.fill(pod("a"))
        program = self.start()
        self.eventually(program.counts, {"none": (1, 0, 0)})
        self.assertEqual(program.errors("list"), 1)
        self.assertIn("lower --page_size", "".join(program.early) + program.process.stderr.readline())
        peak = re.search(r"VmHWM:\s+(\d+) kB",
                         pathlib.Path(f"/proc/{program.process.pid}/status").read_text())
        self.assertLess(int(peak[1]), 128 << 10)

    def test_errors_without_end_do_not_become_a_flood(self):
        for _ in range(1000):
            self.api.fault("list", api_server.status(500))
        program = self.start("--backoff=40ms", "--max_backoff=320ms")
        time.sleep(1)
        # At least half of 40, 80, 160, 320, 320, ... ms between them.
        self.assertLessEqual(self.api.count("list"), 10)
        self.assertGreaterEqual(self.api.count("list"), 2)
        self.assertEqual(program.get("/readyz"), (503, "the pods are not listed yet\n"))
        self.assertEqual(program.get("/healthz")[0], 200)

    def test_the_server_says_when(self):
        self.api.fault("list", api_server.status(429, [("Retry-After", "1")]))
        begin = time.monotonic()
        program = self.start()
        self.eventually(lambda: program.get("/readyz")[0], 200)
        self.assertGreaterEqual(time.monotonic() - begin, 1)


class WatchTest(TestCase):
    def test_events(self):
        self.fill(pod("a", "critical"))
        program = self.start()
        self.eventually(program.counts, {"critical": (1, 0, 0)})
        self.api.put(pod("b", "preemptible"))
        self.eventually(program.counts, {"critical": (1, 0, 0), "preemptible": (1, 0, 0)})
        self.api.put(pod("a", "critical", node="n1"))
        self.eventually(program.counts, {"critical": (0, 1, 0), "preemptible": (1, 0, 0)})
        self.api.put(pod("a", "critical", "Running", "n1"))
        self.eventually(program.counts, {"critical": (0, 0, 1), "preemptible": (1, 0, 0)})
        self.api.put(pod("a", "critical", "Failed", "n1"))
        self.eventually(program.counts, {"preemptible": (1, 0, 0)})
        self.api.delete("b")
        self.eventually(program.counts, {})
        self.assertIn('precedent_pods{class="preemptible",state="pending"}', program.metrics())

    def test_goes_on_where_it_was(self):
        program = self.start()
        self.eventually(lambda: self.api.count("watch"), 1)
        self.api.put(pod("a"))
        self.eventually(program.counts, {"none": (1, 0, 0)})
        self.api.bookmark()
        self.api.bookmark()
        self.api.end_watches()
        self.eventually(lambda: self.api.count("watch"), 2)
        self.assertEqual(self.api.requests[-1].query["resourceVersion"], "103")
        # What happens while nobody watches is not lost, and not counted twice.
        self.api.fault("watch", api_server.reset)
        self.api.fault("watch", api_server.status(500))
        self.api.end_watches()
        self.api.put(pod("b"))
        self.eventually(program.counts, {"none": (2, 0, 0)})
        self.assertEqual(program.errors("watch"), 2)
        self.assertEqual(program.metrics()["precedent_pods_lists_total"], 1)

    def test_too_old_is_listed_again(self):
        self.fill(pod("a"), pod("b"))
        program = self.start()
        self.eventually(lambda: self.api.count("watch"), 1)
        # Told in the stream.
        self.api.forget(["a"])
        self.api.gone()
        self.eventually(program.counts, {"none": (1, 0, 0)})
        self.eventually(lambda: self.api.count("watch"), 2)
        # Told as a status.
        self.api.forget(["b"])
        self.api.end_watches()
        self.eventually(program.counts, {})
        metrics = program.metrics()
        self.assertEqual(metrics["precedent_pods_lists_total"], 3)
        self.assertEqual(metrics['precedent_pods_watch_errors_total{during="gone"}'], 2)

    def test_what_cannot_be_read_is_listed_again(self):
        program = self.start()
        lines = [b"nonsense\n", b'{"type":"ADDED"}\n', b'{"type":"WEIRD","object":{"metadata":{'
                 b'"resourceVersion":"9"}}}\n', b'{"type":"ADDED","object":{"metadata":{'
                 b'"resourceVersion":"9"},"spec":null}}\n', b" " * (9 << 20)]
        for number, line in enumerate(lines, start=1):
            self.eventually(lambda n=number: self.api.count("watch"), number)
            self.eventually(lambda: len(self.api.watchers), 1)
            self.api.send(line)
            self.eventually(lambda: program.errors("unreadable"), number)
            self.api.end_watches()
        self.eventually(lambda: program.metrics()["precedent_pods_lists_total"],
                        len(lines) + 1)

    def test_watches_that_end_at_once_do_not_become_a_flood(self):
        self.api.empty_watches = True
        program = self.start("--backoff=40ms", "--max_backoff=320ms")
        self.eventually(lambda: program.get("/readyz")[0], 200)
        time.sleep(1)
        self.assertLessEqual(self.api.count("watch"), 11)
        self.assertGreaterEqual(self.api.count("watch"), 2)
        self.assertEqual(program.errors("watch"), 0)


class TableTest(TestCase):
    def test_oldest_wait(self):
        now = time.time()
        program = self.start()
        self.fill(pod("old", "c", created=now - 7200), pod("new", "c", created=now - 3600),
                  pod("running", "c", "Running", "n1", created=now - 90000))
        self.eventually(program.counts, {"c": (2, 0, 1)})

        def hours():
            return program.metrics()['precedent_pods_oldest_wait_seconds{class="c"}'] // 3600

        self.assertEqual(hours(), 2)
        self.api.delete("old")
        self.eventually(hours, 1)
        self.api.delete("new")
        self.eventually(lambda: program.metrics()['precedent_pods_oldest_wait_seconds{class="c"}'], 0)

    def test_classes_are_a_closed_set(self):
        self.fill(pod("a", "one"), pod("b", "two"), pod("c", "three"), pod("d", "three"))
        program = self.start("--max_classes=2")
        self.eventually(program.counts, {"one": (1, 0, 0), "two": (1, 0, 0), "other": (2, 0, 0)})
        self.api.delete("a")
        self.api.put(pod("e", "four"))
        self.eventually(program.counts, {"two": (1, 0, 0), "other": (3, 0, 0)})

    def test_pods_are_bounded(self):
        self.fill(*(pod(f"p{i}") for i in range(5)))
        program = self.start("--max_pods=3", "--page_size=2")
        self.eventually(program.counts, {"none": (3, 0, 0)})
        self.eventually(lambda: program.metrics()["precedent_pods_untracked"], 2)


class AccessTest(TestCase):
    def test_token_is_replaced(self):
        program = self.start()
        self.eventually(lambda: self.api.count("watch"), 1)
        self.assertEqual(self.api.requests[0].authorization, "Bearer first")
        self.api.token = "second"
        self.api.end_watches()
        self.eventually(lambda: program.errors("watch") > 0, True)
        # As the kubelet does it: a new file, and a link to it that is swapped.
        fresh = self.folder / "token.new"
        fresh.write_text("second")
        fresh.rename(self.token)
        self.api.put(pod("a"))
        self.eventually(program.counts, {"none": (1, 0, 0)})
        self.assertEqual(program.metrics()["precedent_pods_lists_total"], 1)

    def test_no_token(self):
        for content in ("", "two\nlines"):
            self.token.write_text(content)
            program = self.start()
            self.eventually(lambda one=program: one.errors("list") > 0, True)
            program.stop()
        self.assertEqual(self.api.requests, [])

    def test_a_stranger_gets_no_token(self):
        program = self.start(f"--ca_file={self.folder / 'stranger.crt'}")
        self.eventually(lambda: program.errors("list") > 0, True)
        self.assertEqual(self.api.requests, [])

    def test_without_tls_no_token_is_sent(self):
        plain = api_server.ApiServer()
        self.addCleanup(plain.close)
        program = self.start(server=f"http://{plain.address}")
        self.eventually(lambda: program.get("/readyz")[0], 200)
        self.assertIsNone(plain.requests[0].authorization)

    def test_the_environment_of_a_pod(self):
        host, port = self.api.address.split(":")
        program = self.start(server="", environment={"KUBERNETES_SERVICE_HOST": host,
                                                     "KUBERNETES_SERVICE_PORT": port})
        self.eventually(lambda: program.get("/readyz")[0], 200)


class ProgramTest(TestCase):
    def test_usage(self):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("KUBERNETES_")}
        server = "--api_server=https://127.0.0.1:1"
        for flags, words in (([], "KUBERNETES_SERVICE_HOST"), ([server, "x"], "unexpected argument `x`"),
                             (["--api_server=127.0.0.1"], "neither https:// nor http://"),
                             ([server, "--page_size=0"], "--page_size"),
                             ([server, "--max_pods=0"], "--max_pods"),
                             ([server, "--watch_timeout=0"], "--watch_timeout"),
                             ([server, "--max_backoff=1ms"], "--max_backoff"),
                             ([server, "--log_level=loud"], "`loud`")):
            done = subprocess.run([PROGRAM, *flags], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    def test_metrics_port(self):
        program = self.start()
        self.assertEqual(program.get("/")[0], 404)
        self.assertEqual(program.get("/metrics", "DELETE")[0], 405)
        self.eventually(lambda: program.metrics()["precedent_pods_synced"], 1)
        self.assertLess(program.metrics()["precedent_pods_last_event_age_seconds"], PATIENCE)

    def test_sigterm_ends_it_in_the_middle_of_a_watch(self):
        program = self.start()
        self.eventually(lambda: self.api.count("watch"), 1)
        program.process.send_signal(signal.SIGTERM)
        self.assertEqual(program.process.wait(PATIENCE), 0)


if __name__ == "__main__":
    if not certificates.can_make():
        print("webhook_pods_test: skipped: no openssl to make certificates with")
        sys.exit(0)
    unittest.main(verbosity=1)
