"""Too many connections, no more file descriptors or threads, the end in the middle."""
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import textwrap
import threading
import time
import unittest

import webhook
from statuses_test import head, status_of
from webhook import review


class Limits(webhook.TestCase):
    def test_overload_is_answered_at_once_with_the_fallback(self):
        server = self.start("--max_connections=4")
        kept = [server.connect() for _ in range(4)]
        for connection in kept:
            self.assertEqual(server.priority(connection), 550)
        self.assertEqual(server.metric("precedent_webhook_connections"), 4)
        # One more: the fallback of the options, and the connection ends.
        more = server.connect()
        more.request("POST", "/mutate", review("more"), webhook.JSON)
        answer = more.getresponse()
        content = answer.read().decode()
        self.assertEqual(answer.status, 200)
        self.assertIn('"uid":"more","allowed":true', content)
        self.assertIn("priority=500", content)
        self.assertEqual(answer.getheader("Connection"), "close")
        self.assertEqual(server.metric("precedent_webhook_overload_total"), 1)
        # Twice as many: closed at once.
        idle = [server.raw() for _ in range(4)]
        with self.assertRaises(OSError):
            server.raw()
        self.assertEqual(server.metric('precedent_webhook_connections_dropped_total{why="overload"}'), 1)
        for connection in kept:  # who was there first is served as before
            self.assertEqual(server.priority(connection), 550)
        for raw in idle:
            raw.close()
        kept[0].close()

        def served():
            try:
                return server.priority() == 550
            except OSError:  # as long as those who left are still counted
                return False

        server.wait_until(served)

    def test_no_file_descriptors(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

        server = self.start(preexec_fn=limit)
        kept = server.connect()
        self.assertEqual(server.priority(kept), 550)
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
        server.wait_log("cannot accept a connection")
        self.assertEqual(server.priority(kept), 550)
        # The policy's file cannot be opened either: what is live serves.
        self.write_policy(webhook.policy(2, 800))
        time.sleep(0.3)
        self.assertEqual(server.priority(kept), 550)
        for plain in waiting:
            plain.close()
        server.wait_until(lambda: server.priority(kept) == 850)
        self.assertServes(server)

    def test_no_threads(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become a user with a limit")
        user = 61_234

        def limited_to(processes):
            def limit():
                os.setgid(user)
                os.setuid(user)
                resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
            return limit

        for path in [self.folder, *self.folder.iterdir()]:
            path.chmod(0o755)
        if subprocess.run([webhook.WEBHOOK, "--help"], preexec_fn=limited_to(10), check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode not in (0, 1):
            self.skipTest("another user cannot run the program where it lies")
        # Main, log and files: none is left for the workers, and it serves all the same.
        server = self.start("--threads=8", preexec_fn=limited_to(3))
        self.assertServes(server)
        self.assertEqual(len(os.listdir(f"/proc/{server.process.pid}/task")), 3)
        server.stop()
        with self.assertRaisesRegex(AssertionError, "no thread"):
            self.start(preexec_fn=limited_to(1))

    def test_the_clock_jumps(self):
        """A library before libc moves the time of day by what a file says."""
        source = self.folder / "clock.c"
        source.write_text(textwrap.dedent("""
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <time.h>
            int clock_gettime(clockid_t id, struct timespec* now) {
              static int (*real)(clockid_t, struct timespec*);
              if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
              const int result = real(id, now);
              FILE* file = id == CLOCK_REALTIME ? fopen(getenv("CLOCK_FILE"), "r") : NULL;
              long shift = 0;
              if (file) { if (fscanf(file, "%ld", &shift) == 1) now->tv_sec += shift; fclose(file); }
              return result;
            }
            """))
        library = self.folder / "clock.so"
        built = subprocess.run([os.environ["PRECEDENT_CC"], "-x", "c", "-shared", "-fPIC", "-o", str(library),
                                str(source), "-ldl"], check=False, stderr=subprocess.PIPE)
        self.assertEqual(built.returncode, 0, built.stderr)
        shift = self.folder / "shift"
        shift.write_text("0")
        server = self.start(env={"LD_PRELOAD": str(library), "CLOCK_FILE": str(shift)})
        connection = server.connect()
        for seconds in (86_400, -86_400 * 400, 86_400 * 400, 0):
            shift.write_text(str(seconds))
            self.assertEqual(server.priority(connection), 550)
        self.write_policy(webhook.policy(2, 800))
        server.wait_until(lambda: server.priority(connection) == 850)
        times = [line["time"] for line in server.lines()]
        self.assertTrue(times)
        self.assertServes(server)


class End(webhook.TestCase):
    def test_sigterm_in_the_middle(self):
        server = self.start("--drain_delay=300ms", "--drain_timeout=10s")
        body = review()
        raw = server.raw()
        raw.sendall(head(len(body)) + body[:100])  # one that is being read
        idle = server.raw()
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(status_of(idle), 200)
        server.process.send_signal(signal.SIGTERM)
        # Not ready, but still serving, so that nobody is refused who has not heard yet.
        server.wait_until(lambda: server.ask("GET", "/readyz")[0] == 503)
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        late = server.connect()
        late.request("POST", "/mutate", body, webhook.JSON)
        answer = late.getresponse()
        answer.read()
        self.assertEqual((answer.status, answer.getheader("Connection")), (200, "close"))
        time.sleep(0.5)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", server.port), timeout=2)
        self.assertEqual(idle.recv(10), b"")
        self.assertIsNone(server.process.poll())
        raw.sendall(body[100:])
        self.assertEqual(status_of(raw), 200)
        raw.close()
        self.assertEqual(server.process.wait(10), 0)
        self.assertEqual(server.wait_log("stopped")["connections"], 0)

    def test_a_stuck_client_does_not_stop_the_end(self):
        server = self.start("--drain_timeout=300ms")
        raw = server.raw()
        raw.sendall(head(10))
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(10), 0)

    def test_sigterm_under_load_fails_no_request(self):
        server = self.start("--drain_delay=500ms")
        failed = []
        closes = [float("inf")]
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    if server.priority() != 550:
                        failed.append("priority")
                except (OSError, AssertionError) as error:
                    # Who comes after all that time may find the port closed, or closing.
                    gone = isinstance(error, (ConnectionRefusedError, ConnectionResetError))
                    if not gone or time.monotonic() < closes[0]:
                        failed.append(repr(error))
                    return

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        closes[0] = time.monotonic() + 0.45
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(20), 0)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class Flags(webhook.TestCase):
    def test_wrong_flags_are_named(self):
        for flag, text in [("--threads=-1", "threads"), ("--on_no_policy=x", "on_no_policy"),
                           ("--log_level=loud", "log_level"), ("--max_connections=0", "max_connections"),
                           ("--listen=nowhere", "nowhere"), ("--listen=127.0.0.1:99999", "99999"),
                           ("--max_body_bytes=0", "max_body_bytes"), ("--idle_timeout=0", "time-outs"),
                           ("--no_such_flag=1", "no_such_flag"), ("surplus", "surplus")]:
            with self.subTest(flag):
                completed = subprocess.run(
                    [webhook.WEBHOOK, f"--policy={self.folder / 'policy.txtpb'}",
                     f"--tls_certificate={self.folder / 'tls.crt'}", f"--tls_key={self.folder / 'tls.key'}", flag],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=30)
                self.assertIn(completed.returncode, (1, 2))
                self.assertIn(text, completed.stdout.decode())


if __name__ == "__main__":
    unittest.main(warnings="ignore")
